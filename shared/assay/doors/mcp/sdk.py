"""The doors that stand on the SDK: standard input and output, the local server, and Lambda by way of Mangum."""

from assay.doors.mcp.local import LocalMcp
from assay.doors.mcp.stdio import run_stdio

__all__ = ["LocalMcp", "run_stdio"]
