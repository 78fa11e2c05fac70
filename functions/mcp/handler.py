"""All tools behind one MCP endpoint."""

from assay.doors.mcp.thin import handle as handler

__all__ = ["handler"]
