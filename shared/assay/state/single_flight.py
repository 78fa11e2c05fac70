"""Single flight: equal concurrent requests share one execution."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # a call without an event loop does not import asyncio
    import asyncio


@dataclass
class _Flight:
    task: "asyncio.Task[Any]"
    waiters: int = 0


class SingleFlight:
    """Running tasks by key. A task is cancelled when all its waiters have been cancelled."""

    def __init__(self) -> None:
        self._in_flight: dict[str, _Flight] = {}

    async def run[T](self, key: str, start: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """The result of the running task under `key`, or of a new one that `start` creates."""
        import asyncio

        flight = self._in_flight.get(key)
        if flight is None:
            flight = self._in_flight[key] = _Flight(asyncio.create_task(start()))
            flight.task.add_done_callback(lambda _: self._in_flight.pop(key, None))
        flight.waiters += 1
        try:
            answer: T = await asyncio.shield(flight.task)
            return answer
        finally:
            flight.waiters -= 1
            if not flight.waiters and not flight.task.done():
                self._in_flight.pop(key, None)
                flight.task.cancel()
