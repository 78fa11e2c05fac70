"""Table keys of sessions, operations on all rows of a key, and their lifetime."""

import hashlib
from collections.abc import Iterable
from contextlib import suppress

from assay.state.concurrent_map import map_concurrently
from assay.state.ports import Conflict, TableItem, TableStore

IDLE_SECONDS = 4 * 3600
STAY = 3  # lifetime of rows in idle periods; rows of a session in use are renewed before that
PAGE, AT_ONCE = 500, 32


def build_key(tenant: str, user: str, session: str) -> str:
    """Return the key of a user's session; digests make the key unambiguous without a separator."""
    return "session/" + _digest(tenant, user, session)


def build_owner(tenant: str, user: str) -> str:
    return _digest(tenant, user)


def build_index_key(tenant: str) -> str:
    """Return the key of a tenant's session index."""
    return "sessions/" + _digest(tenant)


def _digest(*parts: str) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def build_source_sort(url: str) -> str:
    return "source/" + hashlib.sha256(url.encode()).hexdigest()


def build_step_sort(place: int) -> str:
    return f"step/{place:05}"


async def query_all(table: TableStore, key: str, prefix: str = "") -> list[TableItem]:
    """Return all live rows of the key whose sort key begins with the prefix, in order."""
    found: list[TableItem] = []
    after: str | None = None
    while True:
        page = await table.query(key, prefix, after=after, limit=PAGE)
        found += page.items
        if page.after is None:
            return found
        after = page.after


async def drop(table: TableStore, key: str, items: Iterable[TableItem]) -> None:
    """Delete these rows of the key."""
    await map_concurrently(lambda item: table.delete(key, item.sort), items, limit=AT_ONCE)


async def renew(table: TableStore, key: str, until: float) -> None:
    """Extend the expiry time of every row of the key; a concurrently written row needs no renewal."""

    async def put(item: TableItem) -> None:
        with suppress(Conflict):
            await table.put(key, item.sort, item.value, until=until, expect=item.version)

    await map_concurrently(put, [item for item in await query_all(table, key) if item.sort != "head"], limit=AT_ONCE)
