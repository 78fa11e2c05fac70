"""Research sessions: steps, sources, gaps and outcomes, private to one person, kept while they are used."""

from collections.abc import Iterable, Mapping
from typing import Any

from assay.sessions import session_sources
from assay.sessions.session_keys import key_of
from assay.sessions.store import SessionStore
from assay.state.ports import TableStore


async def note_sources(
    table: TableStore, tenant: str, user: str, session: str, sources: Iterable[Mapping[str, Any]], now: float
) -> None:
    """Remember the sources under the session, one row a URL."""
    await SessionStore(table, tenant, user, clock=lambda: now).note(session, sources)


async def list_sources(table: TableStore, tenant: str, user: str, session: str) -> list[dict[str, Any]]:
    """Every source noted under the session, in the order in which they were met."""
    return await session_sources.read(table, key_of(tenant, user, session))
