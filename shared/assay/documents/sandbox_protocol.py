"""Messages between the sandbox pool and its worker processes: frame formats and exit codes."""

import struct

# Request header: length of the kind, length of the body, memory in bytes, CPU seconds, whether no file may be opened.
FRAME = struct.Struct("!IQQI?")
SIZE = struct.Struct("!Q")  # response header: length of the JSON
BROKE, DIED = 70, 100  # exit codes: an unexpected exception in a parser; 100 + the signal that ended it
