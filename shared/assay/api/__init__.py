"""The Python API: the tools as methods, run in this process or on a server, asynchronous or blocking."""
