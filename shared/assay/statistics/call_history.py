"""The calls of each tenant, and of all together, by hour and day. A range of time takes one or two queries.

A row has everything of one hour or day, so reading a range takes as many rows however many calls there were. All calls
add to the same few rows, so a process writes every few seconds at most. Calls of the last seconds of a process that is
ended before it closes its services may be missing here; `call_statistics` has them. The rows of an hour or day that is
over are merged into one by the process that first adds to a later one.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from typing import Literal

from assay.state.audit import Call
from assay.state.ports import TableStore
from assay.state.table_rows import hash_names, query_all
from assay.statistics.call_figures import PeriodFigures, add_periods
from assay.statistics.merged_rows import group_rows, list_values, merge_rows
from assay.statistics.summed_rows import SLOTS, SummedRows, SumPlace

type Grain = Literal["hour", "day"]

SECONDS: dict[Grain, int] = {"hour": 3_600, "day": 86_400}
MOST_PERIODS: dict[Grain, int] = {"hour": 72, "day": 92}
SPARE_SECONDS = 86_400  # for which rows outlast the longest range
MOST_KNOWN = 100  # rows that a process remembers; the largest take 100 kB
PAUSE_SECONDS = 5.0  # between two writes of a process
LOOKED_BACK = 4 * SLOTS  # rows among which those of past hours or days are looked for: two are not over, two may be
NO_TENANT = "all"  # in the place of the digest of a tenant


class CallHistory:
    """Adds the calls of this process to the history."""

    def __init__(self, table: TableStore, clock: Callable[[], float]) -> None:
        self._table, self._clock = table, clock
        self._rows: SummedRows[PeriodFigures] = SummedRows(
            table,
            clock,
            encode=lambda figures: figures.encode(),
            decode=PeriodFigures.decode,
            most_known=MOST_KNOWN,
        )
        self._waiting: list[Call] = []
        self._next_write = 0.0

    async def record(self, call: Call) -> None:
        """Add the call. Raises the table's errors; the call is then added with the next one."""
        self._waiting.append(call)
        if not 0 < self._next_write - (now := self._clock()) <= PAUSE_SECONDS:  # the clock may have been set back
            self._next_write = now + PAUSE_SECONDS
            await self.flush()

    async def flush(self) -> None:
        """Write the calls that wait. Raises the table's errors; the calls then wait for the next write."""
        calls, self._waiting = self._waiting, []
        await self._merge_past(await self._rows.add(add_up_calls(calls).items()))

    async def _merge_past(self, began: Iterable[SumPlace]) -> None:
        """Merge rows before the last hour or day, which no process adds to any more as a rule."""
        for key, _, lasting in began:
            grain: Grain = "hour" if key.endswith("/hour") else "day"
            over = name_period(grain, self._clock() - SECONDS[grain])
            page = await self._table.query(key, limit=LOOKED_BACK, descending=True)
            for name, rows in group_rows(page.items).items():
                if name < over and len(rows) > 1:
                    place = SumPlace(key, name, lasting)
                    await merge_rows(self._table, place, rows, _add_values, until=self._clock() + lasting)


def add_up_calls(calls: Iterable[Call]) -> dict[SumPlace, PeriodFigures]:
    """Return the figures of the calls of each tenant, and of all, by where they are added up."""
    by_hour: dict[tuple[str, float], list[Call]] = defaultdict(list)
    for call in calls:
        by_hour[call.tenant, call.at // SECONDS["hour"]].append(call)
    figures: dict[SumPlace, list[PeriodFigures]] = defaultdict(list)
    for (tenant, _), each in by_hour.items():
        of_tenant = PeriodFigures.from_calls(each)
        of_all = of_tenant.name_tenant(tenant)
        for grain in SECONDS:
            figures[find_place(tenant, grain, each[0].at)].append(of_tenant)
            figures[find_place(None, grain, each[0].at)].append(of_all)
    return {place: add_periods(parts) for place, parts in figures.items()}


def find_place(tenant: str | None, grain: Grain, at: float) -> SumPlace:
    """Where the calls of the tenant, or of all, are added up that ended in the same hour or day as `at`."""
    lasting = SECONDS[grain] * (MOST_PERIODS[grain] + 1) + SPARE_SECONDS
    return SumPlace(build_history_key(tenant, grain), name_period(grain, at), lasting)


def build_history_key(tenant: str | None, grain: Grain) -> str:
    """Return the key of the rows of a tenant, or of all together."""
    return f"call-history/{NO_TENANT if tenant is None else hash_names(tenant)}/{grain}"


def name_period(grain: Grain, at: float) -> str:
    """The name of the hour or day (UTC): `2026-11-23T09` or `2026-11-23`. Names are in the order of time."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H" if grain == "hour" else "%Y-%m-%d")


def list_periods(grain: Grain, until: float, number: int) -> dict[str, float]:
    """The names and beginnings of this many hours or days, the last of which has `until`."""
    end = datetime.fromtimestamp(until, UTC).replace(minute=0, second=0, microsecond=0)
    end = end if grain == "hour" else end.replace(hour=0)
    begins = [(end - timedelta(seconds=SECONDS[grain] * back)).timestamp() for back in range(number - 1, -1, -1)]
    return {name_period(grain, begin): begin for begin in begins}


async def read_history(
    table: TableStore, tenant: str | None, grain: Grain, until: float, number: int
) -> dict[float, PeriodFigures]:
    """Return the figures of this many hours or days by their beginnings, the last of which has `until`.

    It is one query of `SLOTS` rows at most of each period, and of one row of most periods.
    """
    begins = list_periods(grain, until, number)
    found = await query_all(table, build_history_key(tenant, grain), after=min(begins))
    rows = group_rows(found)  # some are after `until`
    return {begin: PeriodFigures.decode(*list_values(rows.get(name, ()))) for name, begin in begins.items()}


def _add_values(values: Iterable[bytes]) -> bytes:
    return PeriodFigures.decode(*values).limit_names().encode()
