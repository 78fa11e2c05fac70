"""MCP server: one tool catalogue and one stateless engine for Lambda, standard input and output, and local HTTP."""
