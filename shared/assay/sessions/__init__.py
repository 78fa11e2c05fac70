"""Research sessions: steps, sources, gaps and outcomes, private to one person, kept while they are used."""

from collections.abc import Iterable, Mapping
from typing import Any

from assay.ports import Table
from assay.sessions import seen
from assay.sessions.desk import Desk as Desk
from assay.sessions.desk import Full as Full
from assay.sessions.outcomes import of_call as of_call
from assay.sessions.research import Research as Research
from assay.sessions.rows import IDLE_SECONDS as IDLE_SECONDS
from assay.sessions.rows import key_of as key_of


async def note(
    table: Table, tenant: str, user: str, session: str, sources: Iterable[Mapping[str, Any]], now: float
) -> None:
    """Remember the sources under the session, one row a URL."""
    await Desk(table, tenant, user, clock=lambda: now).note(session, sources)


async def sources(table: Table, tenant: str, user: str, session: str) -> list[dict[str, Any]]:
    """Every source noted under the session, in the order in which they were met."""
    return await seen.read(table, key_of(tenant, user, session))
