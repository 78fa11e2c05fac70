"""Ports on this machine for servers that must be told where to listen."""

import random
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain

# Below the ports that systems give to connections and to servers that ask for any: those may take a port again between
# its choice and its use.
PORTS = range(15_000, 32_000)


@contextmanager
def reserve_port(host: str = "127.0.0.1") -> Iterator[int]:
    """Yield a TCP port of the host on which nobody listens. No other process reserves it before the block ends.

    Raises OSError if there is none.
    """
    first = random.randrange(len(PORTS))
    for port in chain(PORTS[first:], PORTS[:first]):
        # The UDP port of the same number is the reservation: it leaves the TCP port to the server. Without it, two
        # processes that start a server at the same time may choose one port, and one of them then asks the other's.
        with socket.socket(type=socket.SOCK_DGRAM) as reservation, socket.socket() as probe:
            try:
                reservation.bind((host, port))
                probe.bind((host, port))
            except OSError:
                continue
            probe.close()
            yield port
            return
    raise OSError(f"No free port on {host}.")
