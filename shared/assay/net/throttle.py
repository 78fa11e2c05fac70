"""Client-side rate limiting of requests to a provider."""

import asyncio
from collections.abc import Awaitable, Callable

BURST_SECONDS = 1.0  # most providers limit requests per second
LEARNT_SECONDS = 60.0  # how long an interval learnt from a rejected request applies

type Reserve = Callable[[float, float], Awaitable[float]]  # (interval, patience) to the seconds until the reserved slot


class QueueTooLong(Exception):
    """The wait in the queue, `seconds`, is longer than the caller accepts."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"{seconds:g} seconds")
        self.seconds = seconds


class Throttle:
    """Lets requests pass in order, `interval` seconds apart. A new interval also applies to waiting requests.

    With `told=False` the interval is unknown until the first response reports it: the other requests wait for that.
    `reserve` reserves a slot that is shared with other processes.
    """

    def __init__(self, *, told: bool = True, reserve: Reserve | None = None) -> None:
        self.reserve = reserve
        self._told, self._begun = told, False
        self._interval = 0.0
        self._learnt, self._learnt_until = 0.0, 0.0
        self._last = self._before = -BURST_SECONDS
        self._not_before = 0.0
        self._waiting: list[object] = []
        self._changed: asyncio.Event | None = None

    @property
    def interval(self) -> float:
        """Seconds between requests, 0 for no limit: as configured, or as learnt from a rejected request."""
        learnt = self._learnt if self._learnt_until > _now() else 0.0
        return max(self._interval, learnt)

    @interval.setter
    def interval(self, seconds: float) -> None:
        if self._told and seconds == self._interval:
            return
        if not self._told and self._begun:
            self._last = _now()  # connecting takes time: the first request may have arrived only now
        self._interval, self._told = seconds, True
        self._wake()

    @property
    def is_hurried(self) -> bool:
        """The last two requests were less than a second apart."""
        return self._last - self._before < BURST_SECONDS

    def settle(self) -> None:
        """End the wait for the interval after the first response or failure: without a report there is no limit."""
        if not self._told:
            self.interval = 0.0

    def slow_down(self, seconds: float) -> None:
        """Wait `seconds` before the next request and between following ones, after the provider rejected one."""
        self._learnt, self._learnt_until = max(seconds, self._interval), _now() + LEARNT_SECONDS
        self._not_before = _now() + seconds
        self._wake()

    async def wait(self, patience: float) -> None:
        """Wait until a request may be sent. Raises QueueTooLong if that takes more than `patience` seconds."""
        if not self._told and self._begun:
            await self._changed_within(BURST_SECONDS)
            self.settle()
        self._begun = True
        if self.interval or self._waiting:
            await self._queue(patience)
        self._before, self._last = self._last, _now()
        if self.reserve and self.interval:
            await asyncio.sleep(await self.reserve(self.interval, patience))

    async def _queue(self, patience: float) -> None:
        me = object()
        self._waiting.append(me)
        try:
            while (wait := self._wait(me)) > 0:
                if wait > patience:
                    raise QueueTooLong(wait)
                await self._changed_within(wait)
        finally:
            self._waiting.remove(me)
            self._wake()

    def _wait(self, me: object) -> float:
        free = max(self._last + self.interval, self._not_before) - _now()
        return max(0.0, free) + self._waiting.index(me) * self.interval

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
