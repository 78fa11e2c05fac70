"""Operations on all rows of a table key, and digests of the names that a key is made of."""

import hashlib
from collections.abc import AsyncGenerator, Callable, Iterable

from assay.state.ports import TableItem, TableStore

PAGE, AT_ONCE = 500, 32
STEP = 50  # rows of one request, where they may be so large that a page of an answer has few


def hash_names(*names: str) -> str:
    """Return the digest of these names in this order; as part of a key it is unambiguous without a separator."""
    return hashlib.sha256(repr(names).encode()).hexdigest()


async def query_all(table: TableStore, key: str, prefix: str = "", *, after: str | None = None) -> list[TableItem]:
    """Return all live rows of the key whose sort key begins with the prefix, in order; only those `after` a place."""
    return [row async for rows in iterate_rows(table, key, prefix, after=after, limit=PAGE) for row in rows]


async def iterate_rows(
    table: TableStore, key: str, prefix: str = "", *, after: str | None = None, limit: int = STEP
) -> AsyncGenerator[list[TableItem]]:
    """Yield the rows that `query_all` returns, `limit` at a time: few, as they may be large."""
    while True:
        page = await table.query(key, prefix, after=after, limit=limit)
        yield page.items
        if page.after is None:
            return
        after = page.after


async def query_fitting[Entry](
    table: TableStore,
    key: str,
    prefix: str = "",
    *,
    parse: Callable[[bytes], Entry],
    fits: Callable[[Entry], bool],
    after: str | None,
    limit: int | None = None,
    descending: bool = False,
) -> tuple[list[Entry], str | None]:
    """Return the entries of the rows up to one that does not fit, or to the limit, and the row to go on after.

    `fits` is asked about each entry in order, and has to accept the first.
    """
    found: list[Entry] = []
    while limit is None or len(found) < limit:
        step = STEP if limit is None else min(STEP, limit - len(found))
        page = await table.query(key, prefix, after=after, limit=step, descending=descending)
        for row in page.items:
            entry = parse(row.value)
            if not fits(entry):
                return found, after
            found.append(entry)
            after = row.sort
        if page.after is None:
            return found, None
    return found, after


async def delete_rows(table: TableStore, key: str, sorts: Iterable[str]) -> None:
    """Delete these rows of the key."""
    from assay.state.concurrent_map import map_concurrently  # it loads asyncio, which many calls need not

    await map_concurrently(lambda sort: table.delete(key, sort), sorts, limit=AT_ONCE)
