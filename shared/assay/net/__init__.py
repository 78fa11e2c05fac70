"""All outgoing connections: the client of providers, and the guarded client for URLs that callers choose."""
