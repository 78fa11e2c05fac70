"""Sessions whose sources are looked after by jobs: a list of their own, so that nobody looks through all sessions."""

import json
from typing import NamedTuple

from assay.sessions.session_keys import everything, key_of
from assay.state.json_documents import encode
from assay.state.ports import Conflict, TableStore

KEY = "sessions/watched"
KEPT = 30 * 86_400  # seconds after which a row is forgotten that no job has looked at


class Watched(NamedTuple):
    """A session under watch. `archive`: copies of its sources are wanted; `next`: epoch second of the next look."""

    tenant: str
    user: str
    session: str
    archive: bool = False
    next: float = 0.0

    @property
    def key(self) -> str:
        return key_of(self.tenant, self.user, self.session)


async def watch(table: TableStore, watched: Watched, *, now: float) -> None:
    """Put the session under watch, or change how it is watched."""
    await table.put(KEY, _row(watched), encode(watched._asdict()), until=now + KEPT)


async def unwatch(table: TableStore, watched: Watched) -> None:
    await table.delete(KEY, _row(watched))


async def all_watched(table: TableStore) -> list[tuple[Watched, int]]:
    """Every session under watch, and the version of what is kept of it."""
    return [(Watched(**json.loads(item.value)), item.version) for item in await everything(table, KEY)]


async def looked_at(table: TableStore, watched: Watched, version: int, following: float) -> None:
    """Note when it is looked at next, unless somebody changed how it is watched meanwhile."""
    try:
        value = encode(watched._replace(next=following)._asdict())
        await table.put(KEY, _row(watched), value, until=following + KEPT, expect=version)
    except Conflict:
        return


async def is_live(table: TableStore, tenant: str, user: str, session: str) -> bool:
    return await table.get(key_of(tenant, user, session), "head") is not None


def _row(watched: Watched) -> str:
    return watched.key.removeprefix("session/")
