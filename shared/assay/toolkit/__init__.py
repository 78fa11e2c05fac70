"""Building blocks of tools: the `tool` decorator, base models of arguments and answers, and JSON schemas."""
