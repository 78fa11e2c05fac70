"""Lambda function that serves all tools through one MCP endpoint."""

from assay.entrypoints.mcp.frozen_answers import handler_for

handler = handler_for()
