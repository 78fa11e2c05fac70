"""Client-side rate limiting of requests to a provider."""

import asyncio
from collections.abc import Awaitable, Callable

BURST_SECONDS = 1.0  # most providers limit requests per second
LEARNED_SECONDS = 60.0  # how long an interval learned from a rejected request applies

type Reserve = Callable[[float, float], Awaitable[float]]  # (interval, patience) to the seconds until the reserved slot


class QueueTooLong(Exception):
    """The wait in the queue, `seconds`, is longer than the caller accepts."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"{seconds:g} seconds")
        self.seconds = seconds


class Throttle:
    """Lets requests pass in order, `interval` seconds apart. A new interval also applies to waiting requests.

    With `interval_known=False` the other requests wait until the first response has reported the interval.
    `reserve` reserves a slot that is shared with other processes.
    """

    def __init__(self, *, interval_known: bool = True, reserve: Reserve | None = None) -> None:
        self.reserve = reserve
        self._is_interval_known, self._has_begun = interval_known, False
        self._interval = 0.0
        self._learned, self._learned_until = 0.0, 0.0
        self._last = self._before = -BURST_SECONDS
        self._not_before = 0.0
        self._waiting: list[object] = []
        self._changed: asyncio.Event | None = None

    @property
    def interval(self) -> float:
        """Seconds between requests, 0 for no limit: as configured, or as learned from a rejected request."""
        learned = self._learned if self._learned_until > _now() else 0.0
        return max(self._interval, learned)

    @interval.setter
    def interval(self, seconds: float) -> None:
        if self._is_interval_known and seconds == self._interval:
            return
        if not self._is_interval_known and self._has_begun:
            self._last = _now()  # connecting takes time: the first request may have arrived only now
        self._interval, self._is_interval_known = seconds, True
        self._wake()

    @property
    def is_hurried(self) -> bool:
        """The last two requests were less than a second apart."""
        return self._last - self._before < BURST_SECONDS

    def settle(self) -> None:
        """End the wait for the interval after the first response or failure: without a report there is no limit."""
        if not self._is_interval_known:
            self.interval = 0.0

    def slow_down(self, seconds: float) -> None:
        """Wait `seconds` before the next request and between following ones, after the provider rejected one."""
        self._learned, self._learned_until = max(seconds, self._interval), _now() + LEARNED_SECONDS
        self._not_before = _now() + seconds
        self._wake()

    async def wait(self, patience: float) -> None:
        """Wait until a request may be sent. Raises QueueTooLong if that takes more than `patience` seconds."""
        if not self._is_interval_known and self._has_begun:
            await self._changed_within(BURST_SECONDS)
            self.settle()
        self._has_begun = True
        if self.interval or self._waiting:
            await self._queue(patience)
        self._before, self._last = self._last, _now()
        if self.reserve and self.interval:
            await asyncio.sleep(await self.reserve(self.interval, patience))

    async def _queue(self, patience: float) -> None:
        ticket = object()
        self._waiting.append(ticket)
        try:
            while (wait := self._wait(ticket)) > 0:
                if wait > patience:
                    raise QueueTooLong(wait)
                await self._changed_within(wait)
        finally:
            self._waiting.remove(ticket)
            self._wake()

    def _wait(self, ticket: object) -> float:
        free = max(self._last + self.interval, self._not_before) - _now()
        return max(0.0, free) + self._waiting.index(ticket) * self.interval

    async def _changed_within(self, seconds: float) -> None:
        if self._changed is None:
            self._changed = asyncio.Event()
        try:
            async with asyncio.timeout(seconds):
                await self._changed.wait()
        except TimeoutError:
            return

    def _wake(self) -> None:
        changed, self._changed = self._changed, None
        if changed is not None:
            changed.set()


def _now() -> float:
    return asyncio.get_running_loop().time()
