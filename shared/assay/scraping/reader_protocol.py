"""Message framing between the parse executor and its worker processes."""

import struct

SIZE = struct.Struct("!Q")  # length of the pickled message that follows
READY = SIZE.pack(0)  # sent once by a worker that has finished its imports
