"""Lambda function that serves all tools through one MCP endpoint."""

from assay.entrypoints.mcp.stateless_server import handle as handler

__all__ = ["handler"]
