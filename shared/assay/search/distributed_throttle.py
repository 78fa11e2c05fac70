"""Slots at a paced provider, shared by all processes that have the table in common."""

from collections.abc import Callable
from functools import partial

from assay.net.throttle import QueueTooLong, Reserve
from assay.state import json_documents
from assay.state.ports import Conflict, TableStore

KEY = "pace"
TRIES = 12  # writes that others were quicker with


def reserver(table: TableStore, name: str, clock: Callable[[], float]) -> Reserve:
    return partial(_reserve, table, name, clock)


async def _reserve(table: TableStore, name: str, clock: Callable[[], float], interval: float, patience: float) -> float:
    """Seconds until the next free slot, which is ours; TooLong, and no slot taken, where that is too far away."""
    now = clock()

    def take_slot(old: json_documents.Document | None) -> json_documents.Document:
        slot = max(now, old["next"] if old else now)
        if slot - now > patience:
            raise QueueTooLong(slot - now)
        return {"slot": slot, "next": slot + interval}

    try:
        document = await json_documents.update(
            table, KEY, name, take_slot, until=now + patience + interval + 60, tries=TRIES
        )
    except Conflict:
        raise QueueTooLong(interval) from None
    wait: float = document["slot"] - now
    return max(0.0, wait)
