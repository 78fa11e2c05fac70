"""Shares the slots for reading pages fairly between callers."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary


class Slots:
    """Limits concurrent page reads; one caller gets at most three quarters of the slots."""

    def __init__(self, count: int) -> None:
        self._all = asyncio.Semaphore(count)
        self._share = max(1, count * 3 // 4)
        self._own: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    @asynccontextmanager
    async def acquire(self, caller: str) -> AsyncIterator[None]:
        own = self._own.setdefault(caller, asyncio.Semaphore(self._share))
        async with own, self._all:
            yield
