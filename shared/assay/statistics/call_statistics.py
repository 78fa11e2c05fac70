"""Counts the calls of each tenant by tool, exactly and across instances, in few rows that are cheap to read."""

import json
from collections.abc import Callable

from assay.state.audit import Call
from assay.state.json_documents import encode
from assay.state.ports import TableStore
from assay.state.table_rows import hash_names, query_all
from assay.statistics.summed_rows import SummedRows, SumPlace
from assay.statistics.tool_figures import ToolFigures

KEPT_SECONDS = 90 * 86_400  # after the last call of a tool
DAY = 86_400
MOST_KNOWN = 2_000  # rows that a process remembers
PARTITION = "statistics-tenants"  # of the list of tenants


def build_statistics_key(tenant: str) -> str:
    """Return the key of the rows that count a tenant's calls."""
    return "statistics/" + hash_names(tenant)


class CallStatistics:
    """Counts the calls of this process in the table."""

    def __init__(self, table: TableStore, clock: Callable[[], float]) -> None:
        self._table, self._clock = table, clock
        self._rows = SummedRows(
            table,
            clock,
            encode=lambda figures: encode(figures.to_json()),
            decode=lambda value: ToolFigures.from_json(json.loads(value)),
            most_known=MOST_KNOWN,
        )
        self._registered: dict[str, int] = {}  # the day on which a tenant was last listed

    async def record(self, call: Call) -> None:
        """Count the call. Raises the table's errors; the call is then counted with the next one."""
        place = SumPlace(build_statistics_key(call.tenant), call.tool, KEPT_SECONDS)
        await self._rows.add([(place, ToolFigures.from_call(call))])
        await self._register(call.tenant)

    async def _register(self, tenant: str) -> None:
        """List the tenant among those with calls, once a day."""
        now = self._clock()
        if self._registered.get(tenant) == (today := int(now // DAY)):
            return
        if len(self._registered) >= MOST_KNOWN:
            self._registered.clear()
        document = encode({"tenant": tenant})
        await self._table.put(PARTITION, hash_names(tenant), document, until=now + KEPT_SECONDS)
        self._registered[tenant] = today


async def read_tools(table: TableStore, tenant: str) -> dict[str, ToolFigures]:
    """Return the figures of the tenant's calls by tool, sorted by name. One query of at most `SLOTS` rows a tool."""
    by_tool: dict[str, ToolFigures] = {}
    for row in await query_all(table, build_statistics_key(tenant)):
        tool = row.sort.rpartition("/")[0]
        by_tool[tool] = by_tool.get(tool, ToolFigures()) + ToolFigures.from_json(json.loads(row.value))
    return dict(sorted(by_tool.items()))


async def list_tenants(table: TableStore) -> list[str]:
    """Return the tenants with counted calls, sorted by name."""
    return sorted(json.loads(row.value)["tenant"] for row in await query_all(table, PARTITION))
