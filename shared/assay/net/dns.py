"""Names to addresses: asked once, remembered a moment, equal questions in flight asked together."""

import asyncio
import socket
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache

from assay.net.failures import Unreachable

type Resolve = Callable[[str, int], Awaitable[list[str]]]

REMEMBERED = 30.0  # seconds: long enough for one piece of work, short enough for a moved site
MOST = 4096  # names


@cache
def _threads() -> ThreadPoolExecutor:
    # Not the loop's own pool: a few dead name servers would hold up everything that runs there.
    return ThreadPoolExecutor(32, thread_name_prefix="dns")


async def system_resolve(host: str, port: int) -> list[str]:
    """All addresses the system knows for the name. Raises Unreachable."""
    ask = asyncio.get_running_loop().run_in_executor(_threads(), _asked, host, port)
    try:
        return await ask
    except OSError as failure:
        raise Unreachable(f"No address was found for {host}; check the name.", "dns") from failure


def _asked(host: str, port: int) -> list[str]:
    # Bytes, since for text the codec of the old IDNA rules would have a say.
    rows = socket.getaddrinfo(host.encode("ascii"), port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(row[4][0]) for row in rows))


def is_unknown(lost: Unreachable) -> bool:
    """Whether the name does not exist; that no resolver answered says nothing of the name."""
    if lost.reason != "dns":
        return False
    cause = lost.__cause__
    no_data = getattr(socket, "EAI_NODATA", socket.EAI_NONAME)  # not every system tells the two apart
    return not isinstance(cause, OSError) or cause.errno in (socket.EAI_NONAME, no_data)


class Names:
    """A resolver that remembers what another one said."""

    def __init__(self, resolve: Resolve, *, seconds: float = REMEMBERED) -> None:
        self._resolve = resolve
        self._seconds = seconds
        self._known: dict[str, tuple[float, list[str]]] = {}
        self._asked: dict[str, asyncio.Task[list[str]]] = {}

    def forget(self) -> None:
        """Ask again for every name."""
        self._known.clear()

    async def addresses(self, host: str, port: int) -> list[str]:
        """The addresses of a name, at least one. Raises Unreachable."""
        until, known = self._known.get(host, (0.0, []))
        if time.monotonic() < until:
            return known
        task = self._asked.get(host)
        if task is None or task.get_loop() is not asyncio.get_running_loop():
            task = asyncio.create_task(self._ask(host, port))
            self._asked[host] = task
            task.add_done_callback(lambda done: self._forget(host, done))
        # Shielded: who stops waiting must not take the answer from the others.
        return await asyncio.shield(task)

    async def _ask(self, host: str, port: int) -> list[str]:
        found = await self._resolve(host, port)
        if not found:
            raise Unreachable(f"No address was found for {host}; check the name.", "dns")
        if len(self._known) >= MOST:
            self._known.pop(next(iter(self._known)))
        self._known[host] = (time.monotonic() + self._seconds, found)
        return found

    def _forget(self, host: str, task: asyncio.Task[list[str]]) -> None:
        if self._asked.get(host) is task:
            del self._asked[host]
        if not task.cancelled():
            task.exception()  # seen, so that a failure nobody waited for is not reported as lost
