"""Fair queue for a limited resource: slow work of one caller does not block the others."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

SLOW_SECONDS = 2.0  # longer work no longer counts against the limit of quick work
MAX_FACTOR, MAX_CALLER_FACTOR = 4, 2  # times `count`: concurrent turns in total, and of one caller


@dataclass(eq=False)
class Turn:
    """One unit of work, running or waiting."""

    caller: str
    number: int = 0  # among those that had to wait, in the order of their arrival
    started: float = 0.0
    slowing: "asyncio.TimerHandle | None" = field(default=None, repr=False)  # the time at which it will be slow
    granted: "asyncio.Future[None] | None" = field(default=None, repr=False)


class FairQueue:
    """Grants about `count` concurrent turns while work is quick.

    A caller without a running turn gets one at once, and work slower than `slow` seconds does not count, both within
    bounds: at most 2 x `count` turns per caller and 4 x `count` in total. Waiting turns start in the order of their
    caller's number of running turns, then of arrival.
    """

    def __init__(self, count: int, slow: float = SLOW_SECONDS) -> None:
        self._count, self._slow = count, slow
        self._running: list[Turn] = []
        self._waiting: dict[str, list[Turn]] = {}  # by caller, the oldest first
        self._arrived = 0  # turns that had to wait

    @asynccontextmanager
    async def turn(self, caller: str) -> AsyncIterator[Turn]:
        """Wait for a turn and hold it for the duration of the context."""
        turn = Turn(caller)
        if self._may_start(self._list_callers().count(caller)):
            self._start(turn)
        else:
            await self._wait(turn)
        try:
            yield turn
        finally:
            self._end(turn)

    async def _wait(self, turn: Turn) -> None:
        turn.granted = asyncio.get_running_loop().create_future()
        self._arrived += 1
        turn.number = self._arrived
        self._waiting.setdefault(turn.caller, []).append(turn)
        try:
            await turn.granted
        except asyncio.CancelledError:
            if turn in self._running:
                self._end(turn)
            else:
                self._stop_waiting(turn)
            raise

    def _stop_waiting(self, turn: Turn) -> None:
        turns = self._waiting[turn.caller]
        turns.remove(turn)
        if not turns:
            del self._waiting[turn.caller]

    def _may_start(self, own: int) -> bool:
        """Whether a turn may start of a caller that has so many running ones."""
        running = len(self._running)
        if running < self._count:
            return True
        if running >= MAX_FACTOR * self._count:
            return False
        if not own:
            return True
        now = asyncio.get_running_loop().time()
        quick = sum(now - each.started < self._slow for each in self._running)
        return own < MAX_CALLER_FACTOR * self._count and quick < self._count

    def _list_callers(self) -> list[str]:
        """The callers of the running turns, each as often as it has one."""
        return [each.caller for each in self._running]

    def _start(self, turn: Turn) -> None:
        self._running.append(turn)
        self.restart_clock(turn)

    def restart_clock(self, turn: Turn) -> None:
        """Measure the duration of the work from now on."""
        loop = asyncio.get_running_loop()
        if turn.slowing is not None:
            turn.slowing.cancel()
        turn.started = loop.time()
        turn.slowing = loop.call_later(self._slow, self._wake)

    def _end(self, turn: Turn) -> None:
        self._running.remove(turn)
        if turn.slowing is not None:
            turn.slowing.cancel()
        self._wake()

    def _wake(self) -> None:
        """Start all waiting turns that may start now."""
        while self._waiting:
            callers, oldest = self._list_callers(), [turns[0] for turns in self._waiting.values()]
            turn = min(oldest, key=lambda each: (callers.count(each.caller), each.number))
            if not self._may_start(callers.count(turn.caller)):
                return
            self._stop_waiting(turn)
            self._start(turn)
            if turn.granted and not turn.granted.done():
                turn.granted.set_result(None)
