"""Slots at a paced provider, shared by all processes that have the table in common."""

from collections.abc import Callable
from functools import partial

from assay import kept
from assay.net.pace import Reserve, TooLong
from assay.ports import Conflict, Table

KEY = "pace"
TRIES = 12  # writes that others were quicker with


def reserver(table: Table, name: str, clock: Callable[[], float]) -> Reserve:
    return partial(_reserve, table, name, clock)


async def _reserve(table: Table, name: str, clock: Callable[[], float], interval: float, patience: float) -> float:
    """Seconds until the next free slot, which is ours; TooLong, and no slot taken, where that is too far away."""
    now = clock()

    def taken(old: kept.Document | None) -> kept.Document:
        slot = max(now, old["next"] if old else now)
        if slot - now > patience:
            raise TooLong(slot - now)
        return {"slot": slot, "next": slot + interval}

    try:
        document = await kept.change(table, KEY, name, taken, until=now + patience + interval + 60, tries=TRIES)
    except Conflict:
        raise TooLong(interval) from None
    wait: float = document["slot"] - now
    return max(0.0, wait)
