"""Table keys of sessions, and the lifetime of their rows."""

import hashlib
from contextlib import suppress

from assay.state.concurrent_map import map_concurrently
from assay.state.ports import Conflict, TableItem, TableStore
from assay.state.table_rows import AT_ONCE, hash_names, query_all

IDLE_SECONDS = 4 * 3600
STAY = 3  # lifetime of rows in idle periods; rows of a session in use are renewed before that


def build_key(tenant: str, user: str, session: str) -> str:
    """Return the key of a user's session; digests make the key unambiguous without a separator."""
    return "session/" + hash_names(tenant, user, session)


def build_owner(tenant: str, user: str) -> str:
    return hash_names(tenant, user)


def build_index_key(tenant: str) -> str:
    """Return the key of a tenant's session index."""
    return "sessions/" + hash_names(tenant)


def build_source_sort(url: str) -> str:
    return "source/" + hashlib.sha256(url.encode()).hexdigest()


def build_step_sort(place: int) -> str:
    return f"step/{place:05}"


async def renew(table: TableStore, key: str, until: float) -> None:
    """Extend the expiry time of every row of the key; a concurrently written row needs no renewal."""

    async def put(item: TableItem) -> None:
        with suppress(Conflict):
            await table.put(key, item.sort, item.value, until=until, expect=item.version)

    await map_concurrently(put, [item for item in await query_all(table, key) if item.sort != "head"], limit=AT_ONCE)
