"""Watched URLs: add, list and remove them, for a user or for a session."""

from collections.abc import Sequence
from typing import Any

from assay.context import Caller, Services
from assay.jobs import due_index, leases, results_log
from assay.jobs.job_timing import DEFAULT_INTERVAL, DEFAULT_TIMING
from assay.jobs.leases import Claim
from assay.jobs.task import Task, load, of_owner
from assay.net.urls import canonical
from assay.sessions.session_keys import owner_of
from assay.sessions.session_views import stamp
from assay.state.ports import Conflict

AFRESH = {"state": "due", "tries": 0, "claims": 0, "reason": None}


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
    for url in [canonical(url) for url in urls]:
        for job in jobs:
            given = {"tenant": caller.tenant, "user": caller.user, "armed": services.clock(), "every": every}
            await want(services, Task(job=job, url=url, **given))


async def want(services: Services, errand: Task, *, session: str | None = None) -> Task:
    """Return the task for its owner or one of their sessions; create it if there is none."""
    while True:
        known = await load(services.table, errand.job, errand.owner, errand.id)
        base, version = known or (errand, 0)
        wanted = _watch_for_session(base, session, errand.every)
        try:
            if known is None or (session is None and base.state != "due"):
                fresh = wanted.model_copy(update={**AFRESH, "armed": services.clock()})
                return (await due_index.move(services, fresh, version, fresh.armed))[0]
            await _rewritten(services, wanted, version)
        except Conflict:
            continue
        if wanted.finding:
            await results_log.note(services, DEFAULT_TIMING, wanted)
        return wanted


def _watch_for_session(errand: Task, session: str | None, every: float) -> Task:
    if session is None:
        return errand.model_copy(update={"watched": True, "every": every})
    return errand.model_copy(update={"sessions": tuple(dict.fromkeys((*errand.sessions, session)))})


async def _rewritten(services: Services, errand: Task, version: int) -> None:
    """Rewrite the task in place: its due row and any claim stay."""
    keep = None if errand.place else services.clock() + DEFAULT_TIMING.kept
    await due_index.rewrite(services.table, errand, version, keep=keep)


async def unwatch(services: Services, caller: Caller, urls: Sequence[str], *, jobs: Sequence[str]) -> int:
    """Stop watching these URLs; return how many were watched. Tasks that a live session needs stay for it."""
    gone = 0
    for url in [canonical(url) for url in urls]:
        for job in jobs:
            asked = Task(job=job, tenant=caller.tenant, user=caller.user, url=url, armed=0.0)
            gone += await _let_go(services, asked)
    return gone


async def _let_go(services: Services, asked: Task) -> bool:
    while (known := await load(services.table, asked.job, asked.owner, asked.id)) is not None:
        errand, version = known
        if not errand.watched:
            return False
        try:
            if errand.sessions:
                await _rewritten(services, errand.model_copy(update={"watched": False}), version)
            else:
                await leases.delete_task(services, Claim(errand, version))
        except Conflict:
            continue
        return True
    return False


async def list_watched(services: Services, caller: Caller, jobs: Sequence[str]) -> list[dict[str, Any]]:
    """List the caller's tasks: `{job, url, state, nextAt?, reason?, sessions?, …fields of the last result}`."""
    found = []
    for job in jobs:
        known = await of_owner(services.table, job, owner_of(caller.tenant, caller.user))
        found += [_format_task(errand) for _, (errand, _) in sorted(known.items())]
    return found


def _format_task(errand: Task) -> dict[str, Any]:
    fields = {
        "job": errand.job,
        "url": errand.url,
        "state": errand.state,
        "watched": errand.watched,
        "sessions": list(errand.sessions) or None,
        **{name: value for name, value in (errand.finding or {}).items() if name != "endedAt"},
        "nextAt": None if errand.due is None else stamp(errand.due),
        "reason": errand.reason,
    }
    return {name: value for name, value in fields.items() if value is not None}
