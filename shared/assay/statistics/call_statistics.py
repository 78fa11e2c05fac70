"""Counts the calls of each tenant by tool, exactly and across instances, in few rows that are cheap to read.

Each tool has `SLOTS` rows. A process adds to one of them, under a version that it knows from its last write, so a call
costs one write as a rule; calls that end together share it. What could not be written is added to the next write.
"""

import asyncio
import json
import secrets
from collections.abc import Callable

from assay.state.audit import Call
from assay.state.concurrent_map import map_concurrently
from assay.state.json_documents import encode
from assay.state.ports import Conflict, TableStore
from assay.state.table_rows import hash_names, query_all
from assay.statistics.tool_figures import ToolFigures

SLOTS = 8  # rows of each tool
ATTEMPTS = 50  # to write beside other processes; of each conflict one of them succeeded
KEPT_SECONDS = 90 * 86_400  # after the last call of a tool
DAY = 86_400
MOST_KNOWN = 2_000  # rows that a process remembers
PARTITION = "statistics-tenants"  # of the list of tenants

type Place = tuple[str, str]  # tenant and tool


def build_statistics_key(tenant: str) -> str:
    """Return the key of the rows that count a tenant's calls."""
    return "statistics/" + hash_names(tenant)


class CallStatistics:
    """Counts the calls of this process in the table."""

    def __init__(self, table: TableStore, clock: Callable[[], float]) -> None:
        self._table, self._clock = table, clock
        self._slot = secrets.randbelow(SLOTS)
        self._pending: dict[Place, ToolFigures] = {}
        self._known: dict[tuple[str, str], tuple[int, ToolFigures]] = {}  # rows as this process wrote them last
        self._registered: dict[str, int] = {}  # the day on which a tenant was last listed
        self._turn = asyncio.Lock()

    async def record(self, call: Call) -> None:
        """Count the call. Raises the table's errors; the call is then counted with the next one."""
        place = call.tenant, call.tool
        self._pending[place] = self._pending.get(place, ToolFigures()) + ToolFigures.from_call(call)
        async with self._turn:
            await map_concurrently(self._write_pending, list(self._pending))

    async def _write_pending(self, place: Place) -> None:
        figures = self._pending.pop(place)
        try:
            await self._write(place, figures)
        except BaseException:  # also when the call is cancelled
            self._pending[place] = self._pending.get(place, ToolFigures()) + figures
            raise
        await self._register(place[0])

    async def _write(self, place: Place, figures: ToolFigures) -> None:
        tenant, tool = place
        key, slot, until = build_statistics_key(tenant), self._slot, self._clock() + KEPT_SECONDS
        for _ in range(ATTEMPTS):
            row = key, f"{tool}/{slot:02}"
            version, stored = self._known.pop(row) if row in self._known else await self._read_row(*row)
            total = stored + figures
            try:
                version = await self._table.put(*row, encode(total.to_json()), until=until, expect=version)
            except Conflict:
                slot = secrets.randbelow(SLOTS)
                continue
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            self._known[row] = version, total
            return
        raise Conflict(f"too many processes count calls of {tool}")

    async def _read_row(self, key: str, sort: str) -> tuple[int, ToolFigures]:
        item = await self._table.get(key, sort)
        return (item.version, ToolFigures.from_json(json.loads(item.value))) if item else (0, ToolFigures())

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
