"""Index of due tasks by time: one row per task under the job's key, so that a run reads only what is due."""

import json
import math
import secrets
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable
from typing import NamedTuple

from assay.jobs.task import Task
from assay.services import Services
from assay.state.json_documents import encode
from assay.state.ports import Conflict, TableStore

PAGE = 500
WINDOW = 5_000  # rows that are read before they are put in a fair order
LATE = 20.0  # seconds between two writes, well below the grace period of an orphaned row


class Row(NamedTuple):
    """An index row. It is valid only if its sort key is the due key of its task."""

    sort: str
    owner: str
    id: str
    tenant: str = ""

    @property
    def time(self) -> float:
        return float(self.sort.partition("/")[0])


def key_of(job: str) -> str:
    return f"due/{job}"


async def iter_due_rows(table: TableStore, job: str, moment: float) -> AsyncIterator[Row]:
    """Yield the rows due by `moment`, in turn of the tenants and their people; of each, the longest due first."""
    window: list[Row] = []
    after: str | None = None
    while True:
        page = await table.query(key_of(job), after=after, limit=PAGE)
        rows = [Row(item.sort, **json.loads(item.value)) for item in page.items]
        due = [row for row in rows if row.time <= moment]
        window += due
        is_last = page.after is None or len(due) < len(rows)
        if is_last or len(window) >= WINDOW:
            for row in order_fairly(window):
                yield row
            window = []
        if is_last:
            return
        after = page.after


def order_fairly(rows: Iterable[Row]) -> list[Row]:
    """Return the rows so that the people of a tenant take turns, and the tenants take turns."""
    return _take_turns(_take_turns(rows, lambda row: row.owner), lambda row: row.tenant)


def _take_turns(rows: Iterable[Row], choose: Callable[[Row], str]) -> list[Row]:
    turns: Counter[str] = Counter()
    numbered = []
    for row in rows:
        turns[choose(row)] += 1
        numbered.append((turns[choose(row)], row))
    return [row for _, row in sorted(numbered, key=lambda each: each[0])]


async def reschedule(
    services: Services, task: Task, version: int, moment: float | None, *, keep: float | None = None
) -> tuple[Task, int]:
    """Write `task` over `version` (0: new), due at `moment` (None: never); return the task and its version.

    The new row is written before the task names it, and the old one stays, so that a crash in between leaves a task
    that is found at its old or its new time. Raises Conflict if another process wrote meanwhile; then nothing has
    changed.
    """
    table, began = services.table, services.clock()
    # Rounded down: rounded up, a task that is due now would be missed by a run that starts within the millisecond.
    due_key = "" if moment is None else f"{math.floor(moment * 1_000) / 1_000:014.3f}/{secrets.token_hex(4)}"
    moved = task.model_copy(update={"due_key": due_key})
    await _index_task(table, moved)
    try:
        written = await write_task(table, moved, version, keep=keep)
    except Conflict:
        await remove(table, task.job, due_key)
        raise
    if services.clock() - began > LATE:  # after a suspension the row may have been removed
        await _index_task(table, moved)
    return moved, written


async def _index_task(table: TableStore, task: Task) -> None:
    if task.due_key:
        await table.put(
            key_of(task.job), task.due_key, encode({"owner": task.owner, "id": task.id, "tenant": task.tenant})
        )


async def write_task(table: TableStore, task: Task, version: int, *, keep: float | None = None) -> int:
    """Write the task in place over `version`; return the new version. Raises Conflict on a concurrent write."""
    value = encode(task.model_dump(exclude_defaults=True))
    return await table.put(task.key, task.id, value, until=keep, expect=version)


async def remove(table: TableStore, job: str, due_key: str) -> None:
    """Remove the row with this sort key, if there is one."""
    if due_key:
        await table.delete(key_of(job), due_key)
