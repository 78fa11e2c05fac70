"""Shares the slots for reading pages fairly between callers."""

import asyncio
from weakref import WeakValueDictionary


class Slots:
    """Limits concurrent page reads; one caller gets at most three quarters of the slots."""

    def __init__(self, count: int) -> None:
        self.all = asyncio.Semaphore(count)
        self._share = max(1, count * 3 // 4)
        self._own: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    def find_own(self, caller: str) -> asyncio.Semaphore:
        """The slots of this caller; a read takes one of them, and then one of `all`."""
        own = self._own.get(caller)
        if own is None:
            own = self._own[caller] = asyncio.Semaphore(self._share)
        return own
