"""The tools for Python programs: in this process or on a server, awaited or not."""
