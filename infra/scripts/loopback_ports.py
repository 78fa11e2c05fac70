"""Ports on this machine for servers that must be told where to listen."""

import random
import socket

# Below the ports that systems give to connections and to servers that ask for any: those may take a port again between
# its choice and its use.
PORTS = range(15_000, 32_000)


def find_free_port(host: str = "127.0.0.1") -> int:
    """Return a port of the host on which nobody listens. Raises OSError if there is none."""
    for port in random.sample(PORTS, len(PORTS)):
        with socket.socket() as probe:
            try:
                probe.bind((host, port))
            except OSError:
                continue
            return port
    raise OSError(f"No free port on {host}.")
