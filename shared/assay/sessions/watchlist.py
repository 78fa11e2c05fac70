"""The list of sessions whose sources are watched by jobs."""

import json
from typing import NamedTuple

from assay.sessions.session_keys import build_key
from assay.state.json_documents import encode
from assay.state.ports import Conflict, TableStore
from assay.state.table_rows import query_all

KEY = "sessions/watched"
KEPT = 30 * 86_400  # seconds after which a row expires that no job has read


class Watched(NamedTuple):
    """A watched session. `archive`: its sources are to be archived; `next`: epoch second of the next check."""

    tenant: str
    user: str
    session: str
    archive: bool = False
    next: float = 0.0

    @property
    def key(self) -> str:
        return build_key(self.tenant, self.user, self.session)


async def watch(table: TableStore, watched: Watched, *, now: float) -> None:
    """Watch the session, or change how it is watched."""
    await table.put(KEY, build_row(watched), encode(watched._asdict()), until=now + KEPT)


async def unwatch(table: TableStore, watched: Watched) -> None:
    await table.delete(KEY, build_row(watched))


async def list_watched(table: TableStore) -> list[tuple[Watched, int]]:
    """Return every watched session with the version of its row."""
    return [(Watched(**json.loads(item.value)), item.version) for item in await query_all(table, KEY)]


async def set_next_check(table: TableStore, watched: Watched, version: int, following: float) -> None:
    """Store the time of the next check, unless the row changed meanwhile."""
    try:
        value = encode(watched._replace(next=following)._asdict())
        await table.put(KEY, build_row(watched), value, until=following + KEPT, expect=version)
    except Conflict:
        return


async def is_live(table: TableStore, tenant: str, user: str, session: str) -> bool:
    return await table.get(build_key(tenant, user, session), "head") is not None


def build_row(watched: Watched) -> str:
    return watched.key.removeprefix("session/")
