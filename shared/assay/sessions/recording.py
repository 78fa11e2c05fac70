"""Records sources in research sessions."""

from collections.abc import Iterable, Mapping
from typing import Any

from assay.sessions import session_sources
from assay.sessions.session_keys import build_key
from assay.sessions.store import SessionStore
from assay.state.ports import TableStore


async def note_sources(
    table: TableStore, tenant: str, user: str, session: str, sources: Iterable[Mapping[str, Any]], now: float
) -> None:
    """Store the sources in the session, one row per URL."""
    await SessionStore(table, tenant, user, clock=lambda: now).note(session, sources)


async def list_sources(table: TableStore, tenant: str, user: str, session: str) -> list[dict[str, Any]]:
    """Return the sources of the session in the order in which they were first recorded."""
    return await session_sources.read(table, build_key(tenant, user, session))
