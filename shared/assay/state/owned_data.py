"""Index of the data of each person that is otherwise stored by id or digest, so that it can be exported and erased."""

from assay.state.ports import TableStore
from assay.state.table_rows import hash_names, query_all


def build_owned_key(tenant: str, user: str) -> str:
    return "owned/" + hash_names(tenant, user)


def build_owned_sort(kind: str, name: str) -> str:
    return f"{kind}/{name}"


async def record_owner(
    table: TableStore, tenant: str, user: str, kind: str, name: str, *, until: float | None = None
) -> None:
    """Record that this person owns the data of this kind and name, which expires at `until`, if it does."""
    await table.put(build_owned_key(tenant, user), build_owned_sort(kind, name), b"{}", until=until)


async def list_owned(table: TableStore, tenant: str, user: str, kind: str) -> list[str]:
    """Return the names of the person's data of this kind."""
    rows = await query_all(table, build_owned_key(tenant, user), f"{kind}/")
    return [row.sort.removeprefix(f"{kind}/") for row in rows]


async def list_latest_owned(
    table: TableStore, tenant: str, user: str, kind: str, *, before: str | None, most: int
) -> list[str]:
    """Return the last names of the person's data of this kind, the last one first; only those `before` a name."""
    after = None if before is None else build_owned_sort(kind, before)
    key = build_owned_key(tenant, user)
    page = await table.query(key, build_owned_sort(kind, ""), after=after, limit=most, descending=True)
    return [row.sort.removeprefix(f"{kind}/") for row in page.items]


async def find_owned(table: TableStore, tenant: str, user: str, kind: str, beginning: str, most: int) -> list[str]:
    """Return the names of the person's data of this kind that begin so, in order; at most `most`, by one query."""
    if "/" in beginning or "\0" in beginning or len(beginning) > 200:  # no name has these
        return []
    page = await table.query(build_owned_key(tenant, user), build_owned_sort(kind, beginning), limit=most)
    return [row.sort.removeprefix(f"{kind}/") for row in page.items]
