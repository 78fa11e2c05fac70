"""Turns the sources of watched sessions into tasks while the session exists."""

from collections.abc import Callable

from assay.errors import InvalidInput
from assay.jobs import watched_urls
from assay.jobs.job_timing import JobTiming
from assay.jobs.task import Task, load_tasks_by_owner
from assay.net.urls import canonicalize_url
from assay.services import Services
from assay.sessions import session_sources
from assay.sessions.session_keys import build_owner
from assay.sessions.watchlist import Watched, is_live, list_watched, set_next_check, unwatch
from assay.state.concurrent_map import map_concurrently

AT_ONCE = 16


async def create_session_tasks(
    services: Services, timing: JobTiming, is_late: Callable[[], bool] = lambda: False
) -> None:
    """Create tasks for sources that have none, until `is_late`."""
    now = services.clock()
    for session, version in await list_watched(services.table):
        if is_late():
            return
        if session.next <= now:
            await _sync_session(services, timing, session, version)


async def _sync_session(services: Services, timing: JobTiming, session: Watched, version: int) -> None:
    table, now = services.table, services.clock()
    if not await is_live(table, session.tenant, session.user, session.session):
        await unwatch(table, session)
        return
    urls = [url for source in await session_sources.read(table, session.key) if (url := _address(source["url"]))]
    for job in ("link_check", "archive") if session.archive else ("link_check",):
        await _watch_urls(services, session, job, urls)
    await set_next_check(table, session, version, now + timing.sessions)


async def _watch_urls(services: Services, session: Watched, job: str, urls: list[str]) -> None:
    known = await load_tasks_by_owner(services.table, job, build_owner(session.tenant, session.user))
    new = [url for url in urls if url not in known or session.session not in known[url][0].sessions]

    async def watch(url: str) -> None:
        task = Task(job=job, tenant=session.tenant, user=session.user, url=url, requested_at=services.clock())
        await watched_urls.ensure_task(services, task, session=session.session)

    await map_concurrently(watch, new, limit=AT_ONCE)


async def is_wanted(services: Services, task: Task) -> bool:
    """Return whether a user or a live session watches the URL."""
    if task.watched:
        return True
    for session in task.sessions:
        if await is_live(services.table, task.tenant, task.user, session):
            return True
    return False


def _address(url: str) -> str | None:
    """Return the URL as stored in the session, if it can be requested."""
    try:
        canonicalize_url(url)
    except InvalidInput:
        return None
    return url
