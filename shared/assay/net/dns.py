"""Caching resolver: short-lived cache, shared concurrent lookups, and a fair share for each tenant."""

import asyncio
import socket
import time
from collections import Counter
from collections.abc import Awaitable, Callable

from assay.net.exceptions import Unreachable
from assay.net.resolver import SECONDS, system_resolve
from assay.state.tenant import current_tenant

__all__ = ["CachingResolver", "Resolve", "is_unknown", "system_resolve"]

type Resolve = Callable[[str, int], Awaitable[list[str]]]

TTL = 30.0  # seconds
MAX_NAMES = 4096  # in the cache
KNOWN_NAMES = ("archive.org", "wikipedia.org", "iana.org")  # which resolve wherever DNS works
SHARE, AT_ONCE = 256, 2048  # concurrent lookups of one tenant, and of all tenants


def is_unknown(failure: Unreachable) -> bool:
    """Whether the name does not exist; False if the resolver failed, which says nothing about the name."""
    if failure.reason != "dns":
        return False
    cause = failure.__cause__
    no_data = getattr(socket, "EAI_NODATA", socket.EAI_NONAME)  # not defined on every system
    return not isinstance(cause, OSError) or cause.errno in (socket.EAI_NONAME, no_data)


class CachingResolver:
    """Caches the results of another resolver."""

    def __init__(self, resolve: Resolve, *, seconds: float = TTL, share: int = SHARE, at_once: int = AT_ONCE) -> None:
        self._resolve, self._seconds, self._share, self._at_once = resolve, seconds, share, at_once
        self._cache: dict[str, tuple[float, list[str]]] = {}
        self._pending: dict[tuple[str, str], asyncio.Task[list[str]]] = {}
        self._active: Counter[str] = Counter()  # lookups in flight by tenant
        self._waiting: set[asyncio.Future[None]] = set()

    def clear_cache(self) -> None:
        """Clear the cache."""
        self._cache.clear()

    async def works(self) -> bool:
        """Whether names resolve that are known to exist: some networks answer that no name exists at all."""
        for name in KNOWN_NAMES:
            try:
                await self.addresses(name, 443)
            except Unreachable:
                continue
            return True
        return False

    async def addresses(self, host: str, port: int) -> list[str]:
        """The addresses of a name, at least one. Raises Unreachable."""
        until, cached = self._cache.get(host, (0.0, []))
        if time.monotonic() < until:
            return cached
        key = current_tenant(), host  # by tenant: a tenant must not wait in the queue of another
        task = self._pending.get(key)
        if task is None or task.get_loop() is not asyncio.get_running_loop():
            task = asyncio.create_task(self._resolve_and_cache(host, port))
            self._pending[key] = task
            task.add_done_callback(lambda done: self._remove_pending(key, done))
        # Shielded, because cancelling one waiter must not cancel the lookup for the others.
        return await asyncio.shield(task)

    async def _resolve_and_cache(self, host: str, port: int) -> list[str]:
        tenant = current_tenant()
        await self._wait_for_room(tenant)
        self._active[tenant] += 1
        try:
            addresses = await self._resolve(host, port)
        finally:
            self._active[tenant] -= 1
            self._active += Counter()  # drops tenants without lookups
            self._wake_waiting()
        if not addresses:
            raise Unreachable(f"No address was found for {host}; check the name.", "dns")
        if len(self._cache) >= MAX_NAMES:
            self._cache.pop(next(iter(self._cache)))
        self._cache[host] = (time.monotonic() + self._seconds, addresses)
        return addresses

    async def _wait_for_room(self, tenant: str) -> None:
        """Wait until the tenant may start another lookup. Raises Unreachable after the time limit of a lookup."""
        try:
            async with asyncio.timeout(SECONDS):
                while self._active[tenant] >= self._share or self._active.total() >= self._at_once:
                    room = asyncio.get_running_loop().create_future()
                    self._waiting.add(room)
                    try:
                        await room
                    finally:
                        self._waiting.discard(room)
        except TimeoutError as late:
            raise Unreachable("Too many concurrent DNS lookups; request fewer hosts at a time.", "dns") from late

    def _wake_waiting(self) -> None:
        for room in self._waiting:
            if not room.done() and not room.get_loop().is_closed():
                room.set_result(None)

    def _remove_pending(self, key: tuple[str, str], task: asyncio.Task[list[str]]) -> None:
        if self._pending.get(key) is task:
            del self._pending[key]
        if not task.cancelled():
            task.exception()  # retrieved, so that asyncio does not log a failure without waiters
