"""From when on expired data may be deleted for good.

A machine whose clock is far ahead until the network sets it right must not lose what only seems to have expired. So the
time of the clock is noted, and an hour later by the same clock, what had expired then is deleted.
"""

from typing import NamedTuple

from assay.state.clock_skew import is_ahead

CONFIRM_SECONDS = 3_600


class PurgeTimes(NamedTuple):
    """Epoch seconds: the time that was noted last, and the one up to which expired data may be deleted."""

    noted: int = 0
    until: int = 0


def advance_times(times: PurgeTimes, now: float) -> PurgeTimes:
    if not times.noted or is_ahead(times.noted, now):
        return PurgeTimes(int(now), min(times.until, int(now)))
    if now - times.noted < CONFIRM_SECONDS:
        return times._replace(until=min(times))  # a later one is of a process that died before it wrote both
    return PurgeTimes(int(now), times.noted)
