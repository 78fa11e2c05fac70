"""Operations on all rows of a table key, and digests of the names that a key is made of."""

import hashlib
from collections.abc import Iterable

from assay.state.ports import TableItem, TableStore

PAGE, AT_ONCE = 500, 32


def hash_names(*names: str) -> str:
    """Return the digest of these names in this order; as part of a key it is unambiguous without a separator."""
    return hashlib.sha256(repr(names).encode()).hexdigest()


async def query_all(table: TableStore, key: str, prefix: str = "", *, after: str | None = None) -> list[TableItem]:
    """Return all live rows of the key whose sort key begins with the prefix, in order; only those `after` a place."""
    found: list[TableItem] = []
    while True:
        page = await table.query(key, prefix, after=after, limit=PAGE)
        found += page.items
        if page.after is None:
            return found
        after = page.after


async def delete_rows(table: TableStore, key: str, sorts: Iterable[str]) -> None:
    """Delete these rows of the key."""
    from assay.state.concurrent_map import map_concurrently  # it loads asyncio, which many calls need not

    await map_concurrently(lambda sort: table.delete(key, sort), sorts, limit=AT_ONCE)
