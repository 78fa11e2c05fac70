"""Sums that many processes add to exactly, in few rows that are cheap to read.

Each sum has `SLOTS` rows. A process adds to one of them, under a version that it knows from its last write, so an
addition costs one write as a rule; additions that come together share it. What could not be written is added to the
next write.
"""

import asyncio
import secrets
from collections.abc import Callable, Iterable
from itertools import compress
from typing import NamedTuple, Protocol, Self

from assay.state.concurrent_map import map_concurrently
from assay.state.ports import Conflict, TableStore

SLOTS = 8  # rows of each sum
ATTEMPTS = 50  # to write beside other processes; of each conflict one of them succeeded


class Summand(Protocol):
    """What can be added up."""

    def __add__(self, other: Self, /) -> Self: ...


class SumPlace(NamedTuple):
    """Where a sum is: the key of its rows, what their sort keys begin with, and how long they last after a write."""

    key: str
    name: str
    seconds: float


class SummedRows[Sum: Summand]:
    """Adds what this process counts to the rows of the table. It remembers `most_known` rows as it wrote them last."""

    def __init__(
        self,
        table: TableStore,
        clock: Callable[[], float],
        *,
        encode: Callable[[Sum], bytes],
        decode: Callable[[bytes], Sum],
        most_known: int,
    ) -> None:
        self._table, self._clock, self._most_known = table, clock, most_known
        self._encode, self._decode = encode, decode
        self._slot = secrets.randbelow(SLOTS)
        self._pending: dict[SumPlace, Sum] = {}
        self._known: dict[tuple[str, str], tuple[int, Sum]] = {}
        self._turn = asyncio.Lock()

    async def add(self, summands: Iterable[tuple[SumPlace, Sum]]) -> list[SumPlace]:
        """Add to the sums, and return those that received a row more.

        Raises the table's errors; what was not written is then added with the next ones.
        """
        for place, summand in summands:
            self._keep(place, summand)
        return await self.flush()

    async def flush(self) -> list[SumPlace]:
        """Write what waits, and return the sums that received a row more. Raises the table's errors; it then waits."""
        async with self._turn:
            places = list(self._pending)
            is_new = await map_concurrently(self._write_pending, places)
        return list(compress(places, is_new))

    def _keep(self, place: SumPlace, summand: Sum) -> None:
        waiting = self._pending.get(place)
        self._pending[place] = summand if waiting is None else waiting + summand

    async def _write_pending(self, place: SumPlace) -> bool:
        summand = self._pending.pop(place)
        try:
            return await self._write(place, summand)
        except BaseException:  # also when the call is cancelled
            self._keep(place, summand)
            raise

    async def _write(self, place: SumPlace, summand: Sum) -> bool:
        """Add to a row of the sum, and return whether it is new."""
        slot, until = self._slot, self._clock() + place.seconds
        for _ in range(ATTEMPTS):
            row = place.key, f"{place.name}/{slot:02}"
            version, stored = self._known.pop(row) if row in self._known else await self._read_row(*row)
            total = summand if stored is None else stored + summand
            try:
                version = await self._table.put(*row, self._encode(total), until=until, expect=version)
            except Conflict:
                slot = secrets.randbelow(SLOTS)
                continue
            if len(self._known) >= self._most_known:
                self._known.clear()
            self._known[row] = version, total
            return stored is None
        raise Conflict(f"too many processes add to {place.name}")

    async def _read_row(self, key: str, sort: str) -> tuple[int, Sum | None]:
        item = await self._table.get(key, sort)
        return (item.version, self._decode(item.value)) if item else (0, None)
