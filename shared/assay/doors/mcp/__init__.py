"""MCP: one catalogue and one set of answers, under two engines: a thin one for Lambda, the SDK's for streams."""
