"""A throttle for one provider that all processes with the same table share.

Each process reserves its time slot with a compare-and-swap write.
"""

from collections.abc import Callable
from functools import partial

from assay.net.throttle import QueueTooLong, Reserve
from assay.state import json_documents
from assay.state.clock_skew import is_ahead
from assay.state.ports import Conflict, TableStore

KEY = "pace"
TRIES = 12  # conflicting writes before the reservation is given up


def make_reserve(table: TableStore, name: str, clock: Callable[[], float]) -> Reserve:
    """The function that reserves slots at the provider `name`, for `Throttle.reserve`."""
    return partial(_reserve, table, name, clock)


async def _reserve(table: TableStore, name: str, clock: Callable[[], float], interval: float, max_wait: float) -> float:
    """Reserve the next free slot and return the seconds until it. Raises QueueTooLong if that is over `max_wait`."""
    now = clock()

    def take_slot(old: json_documents.Document | None) -> json_documents.Document:
        following = old["next"] if old and not is_ahead(old["next"], now, max_wait + interval) else now
        slot = max(now, following)
        if slot - now > max_wait:
            raise QueueTooLong(slot - now)
        return {"slot": slot, "next": slot + interval}

    try:
        document = await json_documents.update(
            table, KEY, name, take_slot, until=now + max_wait + interval + 60, tries=TRIES
        )
    except Conflict:
        raise QueueTooLong(interval) from None
    wait: float = document["slot"] - now
    return max(0.0, wait)
