"""A token that an upstream lends for a while: fetched once however many need it, renewed before it ends."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import NamedTuple

EARLY = 60.0  # seconds before its end that it is renewed


class IssuedToken(NamedTuple):
    """A token, and for how many seconds it is good from now on."""

    token: str
    seconds: float

    def __repr__(self) -> str:
        return f"Lent(…, {self.seconds:g})"


class Token:
    """Kept in memory alone: it is never logged, never stored."""

    def __init__(self, fetch: Callable[[], Awaitable[IssuedToken]], clock: Callable[[], float]) -> None:
        self._fetch, self._clock = fetch, clock
        self._token, self._until = "", 0.0
        self._fetching: asyncio.Task[str] | None = None

    async def get(self) -> str:
        """The token, a new one where the old one ends soon. Raises what fetching it raises, to all who wait."""
        if self._token and self._clock() < self._until:
            return self._token
        task = self._fetching
        if task is None or task.done() or task.get_loop() is not asyncio.get_running_loop():
            task = self._fetching = asyncio.create_task(self._fetch_and_store())
            task.add_done_callback(lambda done: done.cancelled() or done.exception())  # heard, though nobody may wait
        return await asyncio.shield(task)

    def invalidate(self, token: str) -> None:
        """The upstream no longer takes `token`: the next who asks gets a new one."""
        if token == self._token:
            self._token = ""

    async def _fetch_and_store(self) -> str:
        lent = await self._fetch()
        self._token = lent.token
        self._until = self._clock() + max(lent.seconds - EARLY, lent.seconds / 2)
        return lent.token
