"""Log of job results: one page per user, job and day. Writing a result twice has no further effect."""

import json
from datetime import UTC, datetime
from typing import NamedTuple

from assay.context import Services
from assay.jobs.job_timing import JobTiming
from assay.jobs.task import Task
from assay.sessions import session_sources
from assay.sessions.session_keys import STAY, everything, key_of
from assay.state import json_documents
from assay.state.concurrent_map import map_concurrently
from assay.state.json_documents import Document
from assay.state.ports import Conflict

STALE = "reports/stale"  # log pages whose report is out of date


class Mark(NamedTuple):
    """A log page whose report must be rewritten, and the version of the row that says so."""

    owner: str
    job: str
    day: str
    tenant: str
    version: int

    @property
    def key(self) -> str:
        return page_of(self.job, self.owner)


def page_of(job: str, owner: str) -> str:
    return f"journal/{job}/{owner}"


async def note(services: Services, terms: JobTiming, errand: Task) -> None:
    """Log the last result on its day's page and update the sessions that watch the URL."""
    finding = errand.finding
    assert finding
    table, until = services.table, services.clock() + terms.kept
    day = datetime.fromtimestamp(finding["endedAt"], UTC).date().isoformat()
    line = {"url": errand.url, **finding, "was": errand.was, "state": errand.state, "reason": errand.reason}
    await json_documents.save(table, page_of(errand.job, errand.owner), f"{day}/{errand.id}", line, until=until)
    # The line precedes the mark: a report written in between finds its mark renewed.
    mark = {"tenant": errand.tenant}
    await json_documents.save(table, STALE, f"{errand.owner}/{errand.job}/{day}", mark, until=until)
    await map_concurrently(lambda session: _update_session_source(services, errand, session), errand.sessions)


async def _update_session_source(services: Services, errand: Task, session: str) -> None:
    """Update the session's source, if it still exists."""
    key = key_of(errand.tenant, errand.user, session)
    until = services.clock() + services.settings.session_seconds * STAY
    await session_sources.tell(services.table, key, errand.url, errand.finding or {}, until=until)


async def stale(services: Services, job: str) -> list[Mark]:
    """Return the log pages of the job whose reports are out of date."""
    found = []
    for item in await everything(services.table, STALE):
        owner, of, day = item.sort.split("/")
        if of == job:
            found.append(Mark(owner, of, day, json.loads(item.value)["tenant"], item.version))
    return found


async def lines(services: Services, mark: Mark) -> list[Document]:
    """Return the lines of the log page by URL."""
    items = await everything(services.table, mark.key, f"{mark.day}/")
    return sorted((json.loads(item.value) for item in items), key=lambda line: str(line["url"]))


async def settle(services: Services, mark: Mark) -> None:
    """Clear the mark once the report is written; if another line was logged meanwhile, the mark stays."""
    try:
        await services.table.delete(STALE, f"{mark.owner}/{mark.job}/{mark.day}", expect=mark.version)
    except Conflict:
        return
