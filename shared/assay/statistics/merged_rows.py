"""Merges the rows of a sum into one row when nothing is added to it any more.

The merged row names the version of each row that it contains: it is written first, and they are deleted then, so that
whoever reads between the two adds nothing twice. A row that a late process writes afterwards counts beside it, until
the next merger.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from itertools import groupby
from types import MappingProxyType
from typing import NamedTuple

from assay.state.concurrent_map import map_concurrently
from assay.state.ports import Conflict, TableItem, TableStore
from assay.statistics.summed_rows import SumPlace

MERGED = "merged"  # in the place of the number of a row


def group_rows(rows: Iterable[TableItem]) -> dict[str, list[TableItem]]:
    """The rows of sums, in the order of a query, by the name of the sum."""
    return {name: list(group) for name, group in groupby(rows, lambda row: row.sort.rpartition("/")[0])}


def list_values(rows: Iterable[TableItem]) -> list[bytes]:
    """The values that make up one sum, of its rows."""
    merged, others = _split(rows)
    return [*merged.values, *(row.value for row in others if merged.contained.get(row.sort) != row.version)]


async def merge_rows(
    table: TableStore,
    place: SumPlace,
    rows: list[TableItem],
    add_values: Callable[[Iterable[bytes]], bytes],
    *,
    until: float,
) -> None:
    """Merge the rows of one sum into one. Does nothing if another process does it at the same time."""
    merged, others = _split(rows)
    added = [row for row in others if merged.contained.get(row.sort) != row.version]
    contained = {row.sort: row.version for row in others}

    async def write(rows: Iterable[TableItem], version: int) -> int:
        value = add_values([*merged.values, *(row.value for row in rows)])
        row = json.dumps(contained).encode() + b"\n" + value
        return await table.put(place.key, f"{place.name}/{MERGED}", row, until=until, expect=version)

    async def delete(row: TableItem) -> bool:
        try:
            await table.delete(place.key, row.sort, expect=row.version)
        except Conflict:
            return False
        return True

    try:
        version = await write(added, merged.version)
        is_deleted = await map_concurrently(delete, others)
        changed = {row.sort for row, was_deleted in zip(others, is_deleted, strict=True) if not was_deleted}
        if any(row.sort in changed for row in added):  # a late process added to it meanwhile: it counts by itself
            await write([row for row in added if row.sort not in changed], version)
    except Conflict:
        return


class MergedRow(NamedTuple):
    """The merged row of a sum, if there is one: the versions of the rows that it contains by their names."""

    values: tuple[bytes, ...] = ()
    contained: Mapping[str, int] = MappingProxyType({})
    version: int = 0


def _split(rows: Iterable[TableItem]) -> tuple[MergedRow, list[TableItem]]:
    """The merged row, and the others."""
    merged, others = MergedRow(), []
    for row in rows:
        if row.sort.endswith(f"/{MERGED}"):
            names, _, value = row.value.partition(b"\n")
            merged = MergedRow((value,), json.loads(names), row.version)
        else:
            others.append(row)
    return merged, others
