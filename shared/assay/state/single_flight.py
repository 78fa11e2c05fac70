"""Equal requests in flight fly once: the first one asks, the others wait for its answer."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # a call that nothing runs beside does without a loop
    import asyncio


@dataclass
class _Flight:
    task: "asyncio.Task[Any]"
    waiters: int = 0


class SingleFlight:
    """Tasks by key. A flight ends early only when everyone aboard has left."""

    def __init__(self) -> None:
        self._in_flight: dict[str, _Flight] = {}

    async def run[T](self, key: str, start: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """The answer of the one flight under `key`; starts it when there is none."""
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
