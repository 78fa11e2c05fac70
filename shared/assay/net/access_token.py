"""Access tokens of providers (OAuth 2.0): fetched once for concurrent requests, renewed before they expire."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import NamedTuple

EARLY = 60.0  # seconds before expiry at which a token is renewed


class IssuedToken(NamedTuple):
    """A token and its lifetime in seconds."""

    token: str
    seconds: float

    def __repr__(self) -> str:
        return f"IssuedToken(…, {self.seconds:g})"


class Token:
    """The current token, in memory only: it is never logged or stored."""

    def __init__(self, fetch: Callable[[], Awaitable[IssuedToken]], clock: Callable[[], float]) -> None:
        self._fetch, self._clock = fetch, clock
        self._token, self._renew_at = "", 0.0
        self._fetch_task: asyncio.Task[str] | None = None

    async def get(self) -> str:
        """The token, renewed if it expires soon. Raises the errors of `fetch` to all waiting callers."""
        if self._token and self._clock() < self._renew_at:
            return self._token
        task = self._fetch_task
        if task is None or task.done() or task.get_loop() is not asyncio.get_running_loop():
            task = self._fetch_task = asyncio.create_task(self._fetch_and_store())
            task.add_done_callback(
                lambda done: done.cancelled() or done.exception()
            )  # retrieved, so that asyncio does not log it
        return await asyncio.shield(task)

    def invalidate(self, token: str) -> None:
        """Discard `token`, which the provider rejected; the next `get` fetches a new one."""
        if token == self._token:
            self._token = ""

    async def _fetch_and_store(self) -> str:
        issued = await self._fetch()
        self._token = issued.token
        self._renew_at = self._clock() + max(issued.seconds - EARLY, issued.seconds / 2)
        return issued.token
