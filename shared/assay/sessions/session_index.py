"""Index of a tenant's sessions by last use; the oldest are deleted beyond a limit."""

import json

from assay.sessions.session_keys import build_index_key, build_key, build_owner
from assay.state.concurrent_map import map_concurrently
from assay.state.json_documents import Document, encode
from assay.state.ports import TableStore
from assay.state.table_rows import delete_rows, query_all

MAX_SESSIONS = 50


async def use(
    table: TableStore, tenant: str, user: str, session: str, *, started: float, now: float, until: float
) -> None:
    """Record the use of the session."""
    key = build_key(tenant, user, session)
    entry = {"key": key, "id": session, "owner": build_owner(tenant, user), "begun": started, "used": now}
    await table.put(build_index_key(tenant), _build_sort_key(key), encode(entry), until=until)


async def list_session_ids(table: TableStore, tenant: str, user: str) -> list[str]:
    """Return the ids of the sessions of one user."""
    owner = build_owner(tenant, user)
    return [entry["id"] for entry in await _query_entries(table, tenant) if entry["owner"] == owner and "id" in entry]


async def make_room(table: TableStore, tenant: str, most: int = MAX_SESSIONS) -> int:
    """Delete the least recently used sessions beyond `most`; return how many were deleted.

    A new session is indexed before this call, so that of concurrent callers the last one sees all.
    """
    entries = await _query_entries(table, tenant)
    oldest = sorted(entries, key=lambda entry: (entry["used"], entry["begun"], entry["key"]))
    leaving = oldest[: max(0, len(oldest) - most)]
    await map_concurrently(lambda entry: delete_session(table, tenant, entry["key"]), leaving)
    return len(leaving)


async def erase(table: TableStore, tenant: str, user: str | None = None) -> int:
    """Delete all sessions of the tenant or of one user; return their number."""
    owned = await list_session_keys(table, tenant, user)
    await map_concurrently(lambda key: delete_session(table, tenant, key), owned)
    return len(owned)


async def list_session_keys(table: TableStore, tenant: str, user: str | None = None) -> list[str]:
    """Return the keys of all sessions of the tenant or of one user."""
    return [entry["key"] for entry in await list_entries(table, tenant, user)]


async def list_entries(table: TableStore, tenant: str, user: str | None = None) -> list[Document]:
    """Return the index entries of all sessions of the tenant or of one user, those used last first."""
    entries = await _query_entries(table, tenant)
    owned = [entry for entry in entries if user is None or entry["owner"] == build_owner(tenant, user)]
    return sorted(owned, key=lambda entry: (-entry["used"], entry["key"]))


async def read_heads(table: TableStore, tenant: str, user: str) -> list[tuple[Document, Document]]:
    """Return the index entry and the head of each live session of a user, those used last first."""
    entries = await list_entries(table, tenant, user)
    heads = await map_concurrently(lambda entry: table.get(entry["key"], "head"), entries)
    return [(entry, json.loads(head.value)) for entry, head in zip(entries, heads, strict=True) if head is not None]


async def erase_one(table: TableStore, tenant: str, key: str) -> bool:
    """Delete the session of the tenant under this key; return whether there was one."""
    if await table.get(build_index_key(tenant), _build_sort_key(key)) is None:
        return False
    await delete_session(table, tenant, key)
    return True


async def count(table: TableStore, tenant: str) -> int:
    """Return the number of the tenant's sessions."""
    return len(await query_all(table, build_index_key(tenant)))


async def delete_content(table: TableStore, key: str) -> None:
    """Delete the rows of the session, its head first: then a crash leaves no readable session, and whoever writes at
    the same time finds that it is gone.
    """
    await table.delete(key, "head")
    await delete_rows(table, key, [item.sort for item in await query_all(table, key)])


async def delete_session(table: TableStore, tenant: str, key: str) -> None:
    """Delete the session with its entry in the index."""
    await delete_content(table, key)
    await table.delete(build_index_key(tenant), _build_sort_key(key))


async def _query_entries(table: TableStore, tenant: str) -> list[Document]:
    return [json.loads(item.value) for item in await query_all(table, build_index_key(tenant))]


def _build_sort_key(key: str) -> str:
    return key.removeprefix("session/")
