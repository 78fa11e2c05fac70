"""Counts the calls of one person by tool.

Each tool has several rows, of which a call changes one at random, so that concurrent calls rarely meet. The sum of the
rows is exact, and rows can be deleted, which counters cannot.
"""

import json
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from assay.state.json_documents import encode
from assay.state.ports import Conflict, TableStore
from assay.state.table_rows import hash_names, query_all

ROWS = 16  # of each tool
ATTEMPTS = 200  # to write beside other writers; of each conflict one writer succeeded


@dataclass(frozen=True)
class ToolUsage:
    """The calls of one tool. Times are in epoch seconds."""

    tool: str
    count: int
    first: float
    last: float


def build_usage_key(tenant: str, user: str) -> str:
    """Return the key of the rows that count a person's calls."""
    return "usage/" + hash_names(tenant, user)


class UsageStore:
    """The counted calls of one user of one tenant."""

    def __init__(
        self, table: TableStore, tenant: str, user: str, *, clock: Callable[[], float] = time.time, rows: int = ROWS
    ) -> None:
        self._table, self._clock, self._rows = table, clock, rows
        self._key = build_usage_key(tenant, user)

    async def count(self, tool: str) -> None:
        """Count one call of the tool."""
        now = self._clock()
        for _ in range(ATTEMPTS):
            sort = f"{tool}/{secrets.randbelow(self._rows):02}"
            item = await self._table.get(self._key, sort)
            known: dict[str, Any] = json.loads(item.value) if item else {"count": 0, "first": now, "last": now}
            counted = {
                "count": known["count"] + 1,
                "first": min(known["first"], now),
                "last": max(known["last"], now),
            }
            try:
                await self._table.put(self._key, sort, encode(counted), expect=item.version if item else 0)
            except Conflict:
                continue
            return
        raise Conflict(f"too many concurrent calls of {tool}")

    async def read(self) -> Sequence[ToolUsage]:
        """Return the calls by tool, the tool that was used last first."""
        by_tool: dict[str, list[dict[str, Any]]] = {}
        for row in await query_all(self._table, self._key):
            by_tool.setdefault(row.sort.partition("/")[0], []).append(json.loads(row.value))
        usage = [
            ToolUsage(
                tool,
                sum(row["count"] for row in rows),
                min(row["first"] for row in rows),
                max(row["last"] for row in rows),
            )
            for tool, rows in by_tool.items()
        ]
        return sorted(usage, key=lambda each: (-each.last, each.tool))
