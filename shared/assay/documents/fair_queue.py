"""Turns at a scarce resource, shared out so that the slow work of one caller does not keep the others waiting."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

SLOW_SECONDS = 2.0  # work that takes longer no longer keeps quick work waiting
MOST, OWN_MOST = 4, 2  # times `count`: turns at a time in all, and of one caller


@dataclass(eq=False)
class Turn:
    """One piece of work that runs or waits."""

    caller: str
    began: float = 0.0
    granted: "asyncio.Future[None] | None" = field(default=None, repr=False)


class FairQueue:
    """About `count` turns at a time, for as long as work is quick.

    A caller without a turn gets one at once, and slow work does not count, both within bounds: at most twice `count`
    turns for one caller, four times for all. Those who wait are served by who has the fewest turns, then by age.
    """

    def __init__(self, count: int, slow: float = SLOW_SECONDS) -> None:
        self._count, self._slow = count, slow
        self._running: list[Turn] = []
        self._waiting: list[Turn] = []

    @asynccontextmanager
    async def turn(self, caller: str) -> AsyncIterator[Turn]:
        """Wait for a turn and hold it."""
        turn = Turn(caller)
        if self._may_start(turn):
            self._start(turn)
        else:
            await self._wait(turn)
        try:
            yield turn
        finally:
            self._running.remove(turn)
            self._wake()

    async def _wait(self, turn: Turn) -> None:
        turn.granted = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn.granted
        except asyncio.CancelledError:
            if turn in self._running:
                self._running.remove(turn)
                self._wake()
            else:
                self._waiting.remove(turn)
            raise

    def _own(self, caller: str) -> int:
        return sum(each.caller == caller for each in self._running)

    def _may_start(self, turn: Turn) -> bool:
        if len(self._running) >= MOST * self._count:
            return False
        own = self._own(turn.caller)
        if not own:
            return True
        now = asyncio.get_running_loop().time()
        quick = sum(now - each.began < self._slow for each in self._running)
        return own < OWN_MOST * self._count and quick < self._count

    def _start(self, turn: Turn) -> None:
        self._running.append(turn)
        self.restart_clock(turn)

    def restart_clock(self, turn: Turn) -> None:
        """Count from now how long the work takes."""
        loop = asyncio.get_running_loop()
        turn.began = loop.time()
        loop.call_later(self._slow, self._wake)

    def _wake(self) -> None:
        """Start all that may start now."""
        while self._waiting:
            turn = min(self._waiting, key=lambda each: self._own(each.caller))  # the oldest of these: min is stable
            if not self._may_start(turn):
                return
            self._waiting.remove(turn)
            self._start(turn)
            if turn.granted and not turn.granted.done():
                turn.granted.set_result(None)
