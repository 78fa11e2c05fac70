"""All tools behind one MCP endpoint; MCP_ENGINE=sdk has the SDK serve it."""

import os

if os.environ.get("MCP_ENGINE") == "sdk":
    from assay.doors.mcp.asgi import handler
else:
    from assay.doors.mcp.thin import handle as handler

__all__ = ["handler"]
