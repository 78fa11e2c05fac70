"""MCP: one catalogue and one stateless engine for Lambda, for standard input and output, and for local HTTP."""
