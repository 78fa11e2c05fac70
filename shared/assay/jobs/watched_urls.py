"""Watched URLs: add, list and remove them, for a user or for a session."""

from collections.abc import Sequence
from typing import Any

from assay.caller import Caller
from assay.jobs import due_index, leases, results_log
from assay.jobs.job_timing import DEFAULT_INTERVAL, DEFAULT_TIMING
from assay.jobs.leases import Claim
from assay.jobs.task import Task, load_task, load_tasks_by_owner
from assay.net.urls import canonicalize_url
from assay.services import Services
from assay.sessions.session_keys import build_owner
from assay.sessions.session_views import format_time
from assay.state.clock_skew import is_ahead
from assay.state.ports import Conflict

RESET_FIELDS = {"state": "due", "tries": 0, "claims": 0, "reason": None}


async def watch(
    services: Services,
    caller: Caller,
    urls: Sequence[str],
    *,
    jobs: Sequence[str] = ("link_check",),
    every: float = DEFAULT_INTERVAL,
) -> None:
    """Let jobs process these URLs now and then every `every` seconds. Raises InvalidInput for an invalid URL.

    A parked task is tried again, and an archived page is archived again.
    """
    for url in [canonicalize_url(url) for url in urls]:
        for job in jobs:
            now, owner = services.clock(), {"tenant": caller.tenant, "user": caller.user}
            await ensure_task(services, Task(job=job, url=url, requested_at=now, every=every, **owner))


async def ensure_task(services: Services, task: Task, *, session: str | None = None, due: float = 0.0) -> Task:
    """Return the task for its owner or one of their sessions; create it if there is none, due now or later."""
    while True:
        known = await load_task(services.table, task.job, task.owner, task.id)
        base, version = known or (task, 0)
        wanted = _watch_for_session(base, session, task.every)
        try:
            if known is None or (session is None and not _is_due_in_time(base, services.clock())):
                fresh = wanted.model_copy(update={**RESET_FIELDS, "requested_at": services.clock()})
                return (await due_index.reschedule(services, fresh, version, max(due, fresh.requested_at)))[0]
            if wanted != base or not base.due_key:  # a write would end the claim of a worker
                await _rewrite_task(services, wanted, version)
        except Conflict:
            continue
        if wanted.finding:
            await results_log.record_result(services, DEFAULT_TIMING, wanted)
        return wanted


def _is_due_in_time(task: Task, now: float) -> bool:
    """Whether the task is due within its interval. A clock that was ahead has left a time beyond that."""
    return task.state == "due" and not is_ahead(task.due or 0.0, now, max(task.every, *DEFAULT_TIMING.pauses))


def _watch_for_session(task: Task, session: str | None, every: float) -> Task:
    if session is None:
        return task.model_copy(update={"watched": True, "every": every})
    return task.model_copy(update={"sessions": tuple(dict.fromkeys((*task.sessions, session)))})


async def _rewrite_task(services: Services, task: Task, version: int) -> None:
    """Rewrite the task in place: its due row and any claim stay."""
    keep = None if task.due_key else services.clock() + DEFAULT_TIMING.retention
    await due_index.write_task(services.table, task, version, keep=keep)


async def unwatch(services: Services, caller: Caller, urls: Sequence[str], *, jobs: Sequence[str]) -> int:
    """Stop watching these URLs; return how many were watched. Tasks that a live session needs stay for it."""
    removed = 0
    for url in [canonicalize_url(url) for url in urls]:
        for job in jobs:
            removed += await unwatch_task(services, job, caller, url)
    return removed


async def unwatch_task(services: Services, job: str, caller: Caller, url: str) -> bool:
    """Remove the task, or leave it to the live sessions that need it; return whether the user watched it."""
    task = Task(job=job, tenant=caller.tenant, user=caller.user, url=url, requested_at=0.0)
    while (known := await load_task(services.table, task.job, task.owner, task.id)) is not None:
        stored, version = known
        if not stored.watched:
            return False
        try:
            if stored.sessions:
                await _rewrite_task(services, stored.model_copy(update={"watched": False}), version)
            else:
                await leases.delete_task(services, Claim(stored, version))
        except Conflict:
            continue
        return True
    return False


async def list_watched(services: Services, caller: Caller, jobs: Sequence[str]) -> list[dict[str, Any]]:
    """List the caller's tasks: `{job, url, state, nextAt?, reason?, sessions?, …fields of the last result}`."""
    listed = []
    for job in jobs:
        known = await load_tasks_by_owner(services.table, job, build_owner(caller.tenant, caller.user))
        listed += [_format_task(task) for _, (task, _) in sorted(known.items())]
    return listed


def _format_task(task: Task) -> dict[str, Any]:
    fields = {
        "job": task.job,
        "url": task.url,
        "state": task.state,
        "watched": task.watched,
        "sessions": list(task.sessions) or None,
        **{name: value for name, value in (task.finding or {}).items() if name != "endedAt"},
        "nextAt": None if task.due is None else format_time(task.due),
        "reason": task.reason,
    }
    return {name: value for name, value in fields.items() if value is not None}
