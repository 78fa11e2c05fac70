"""Log of job results: one page per user, job and day. Writing a result twice has no further effect."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from assay.jobs.job_timing import JobTiming
from assay.jobs.task import Task
from assay.services import Services
from assay.sessions import session_sources
from assay.sessions.session_keys import STAY, build_key
from assay.state import json_documents
from assay.state.concurrent_map import map_concurrently
from assay.state.json_documents import Document
from assay.state.ports import Conflict
from assay.state.table_rows import delete_rows, query_all

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


async def record_result(services: Services, timing: JobTiming, task: Task) -> None:
    """Log the last result on its day's page and update the sessions that watch the URL."""
    finding = task.finding
    assert finding
    table, until = services.table, services.clock() + timing.retention
    day = datetime.fromtimestamp(finding["endedAt"], UTC).date().isoformat()
    line = {"url": task.url, **finding, "was": task.previous_outcome, "state": task.state, "reason": task.reason}
    await json_documents.save(table, page_of(task.job, task.owner), f"{day}/{task.id}", line, until=until)
    # The line precedes the mark: a report written in between finds its mark renewed.
    mark = {"tenant": task.tenant}
    await json_documents.save(table, STALE, f"{task.owner}/{task.job}/{day}", mark, until=until)
    await map_concurrently(lambda session: _update_session_source(services, task, session), task.sessions)


async def forget_results(services: Services, timing: JobTiming, tasks: Sequence[Task]) -> None:
    """Delete the results of these tasks of one owner from the log.

    The next run writes the reports of these days again without them.
    """
    if not tasks:
        return
    table, until, [task, *_] = services.table, services.clock() + timing.retention, tasks
    page, ids, mark = page_of(task.job, task.owner), {each.id for each in tasks}, {"tenant": task.tenant}
    rows = [row.sort for row in await query_all(table, page) if row.sort.partition("/")[2] in ids]
    await delete_rows(table, page, rows)
    for day in sorted({row.partition("/")[0] for row in rows}):
        await json_documents.save(table, STALE, f"{task.owner}/{task.job}/{day}", mark, until=until)


async def _update_session_source(services: Services, task: Task, session: str) -> None:
    """Update the session's source, if it still exists."""
    key = build_key(task.tenant, task.user, session)
    until = services.clock() + services.settings.session_seconds * STAY
    await session_sources.tell(services.table, key, task.url, task.finding or {}, until=until)


async def list_stale_pages(services: Services, job: str) -> list[Mark]:
    """Return the log pages of the job whose reports are out of date."""
    pages = []
    for item in await query_all(services.table, STALE):
        owner, name, day = item.sort.split("/")
        if name == job:
            pages.append(Mark(owner, name, day, json.loads(item.value)["tenant"], item.version))
    return pages


async def load_lines(services: Services, mark: Mark) -> list[Document]:
    """Return the lines of the log page by URL."""
    items = await query_all(services.table, mark.key, f"{mark.day}/")
    return sorted((json.loads(item.value) for item in items), key=lambda line: str(line["url"]))


async def clear_mark(services: Services, mark: Mark) -> None:
    """Clear the mark once the report is written; if another line was logged meanwhile, the mark stays."""
    try:
        await services.table.delete(STALE, f"{mark.owner}/{mark.job}/{mark.day}", expect=mark.version)
    except Conflict:
        return
