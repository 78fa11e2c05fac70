"""What a job has stored besides its record, and its removal where a worker wrote it after the record was deleted."""

import json
from collections.abc import Iterable

from assay.services import Services
from assay.state.concurrent_map import map_concurrently
from assay.state.ports import TableItem
from assay.state.table_rows import AT_ONCE, delete_rows, query_all


def find_object(key: str, row: TableItem) -> str:
    """Return the name of the object of this row of the job under the key: a page or a unit; "" for other rows."""
    kind, _, number = row.sort.partition("/")
    if kind == "unit":
        return f"{key}/{number}"
    return (json.loads(row.value).get("body") or "") if kind == "page" else ""


async def delete_leftovers(services: Services, key: str, objects: Iterable[str] = ()) -> None:
    """Delete the rows of a job whose record is gone, their objects, and these objects.

    A worker does so after its last write, and an erasure after it has deleted the record: one of them is the last.
    """
    rows = await query_all(services.table, key)
    names = {*objects, *(name for row in rows if (name := find_object(key, row)))}
    await map_concurrently(services.bucket.delete, sorted(names), limit=AT_ONCE)
    await delete_rows(services.table, key, [row.sort for row in rows])
