"""DNS resolver without blocking threads: c-ares, which reads the system's configuration and hosts file.

A silent name server costs a pending query instead of a thread, so that slow names do not delay others.
"""

import asyncio
import socket
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from assay.net.exceptions import Unreachable

if TYPE_CHECKING:
    from pycares import Channel

SECONDS = 5.0  # for one name, including all servers and search domains
TRY_SECONDS = 1.5  # for one server; doubled in the second round
ROUNDS = 2
LOOKUPS = 4096  # per channel: c-ares caches answers for their TTL without another limit


class Resolver:
    """Resolves host names. Tests replace the system's name servers by `servers` and `port`."""

    def __init__(self, servers: Sequence[str] = (), port: int | None = None, *, seconds: float = SECONDS) -> None:
        self._servers, self._port, self._seconds = list(servers), port, seconds
        self._channel: Channel | None = None
        self._lookups = 0

    async def __call__(self, host: str, port: int) -> list[str]:
        """All addresses of the name. Raises Unreachable; its cause is `socket.gaierror` if a server responded."""
        try:
            async with asyncio.timeout(self._seconds):
                return await self._look_up(host, port)
        except TimeoutError as late:
            raise Unreachable(f"No name server responded for {host} in {self._seconds:g} seconds.", "dns") from late
        except socket.gaierror as failure:
            if failure.errno == socket.EAI_NONAME:
                raise Unreachable(f"No address was found for {host}; check the name.", "dns") from failure
            raise Unreachable(f"The name servers cannot resolve {host} at present.", "dns") from failure

    async def _look_up(self, host: str, port: int) -> list[str]:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[list[str]] = loop.create_future()

        def settle(result: Any, code: int | None) -> None:
            if future.done():
                return
            if code:
                future.set_exception(_error(code))
            else:
                future.set_result(list(dict.fromkeys(node.addr[0].decode() for node in result.nodes)))

        def on_answer(result: Any, code: int | None) -> None:  # runs in the thread of c-ares
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(settle, result, code)

        self._get_channel().getaddrinfo(host, port, type=socket.SOCK_STREAM, callback=on_answer)
        return await future

    def _get_channel(self) -> "Channel":
        self._lookups += 1
        if self._channel is None or self._lookups % LOOKUPS == 0:  # the old channel closes after its last query
            from pycares import Channel

            self._channel = Channel(
                timeout=TRY_SECONDS,
                tries=ROUNDS,
                udp_port=self._port,
                tcp_port=self._port,
                servers=self._servers or None,
            )
        return self._channel


def _error(code: int) -> socket.gaierror:
    """The error of the system's resolver for a c-ares code: unknown name, or temporary failure."""
    from pycares import errno

    unknown = code in (errno.ARES_ENOTFOUND, errno.ARES_ENODATA, errno.ARES_ENONAME, errno.ARES_EBADNAME)
    return socket.gaierror(socket.EAI_NONAME if unknown else socket.EAI_AGAIN, str(errno.strerror(code)))


system_resolve = Resolver()
