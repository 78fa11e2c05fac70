"""Addresses under watch: put there by somebody, or for the sake of a session; listed; let go."""

from collections.abc import Sequence
from typing import Any

from assay.context import Caller, Services
from assay.jobs import due_index, leases, results_log
from assay.jobs.job_timing import EVERY, TERMS
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
    every: float = EVERY,
) -> None:
    """Have jobs see to these addresses, now and then every so many seconds. Raises InvalidInput for what is no address.

    What was given up is tried again, and what was archived is archived anew.
    """
    for url in [canonical(url) for url in urls]:
        for job in jobs:
            given = {"tenant": caller.tenant, "user": caller.user, "armed": services.clock(), "every": every}
            await want(services, Task(job=job, url=url, **given))


async def want(services: Services, errand: Task, *, session: str | None = None) -> Task:
    """The errand, wanted by its owner or by one of their sessions; made if there is none yet."""
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
            await results_log.note(services, TERMS, wanted)
        return wanted


def _watch_for_session(errand: Task, session: str | None, every: float) -> Task:
    if session is None:
        return errand.model_copy(update={"watched": True, "every": every})
    return errand.model_copy(update={"sessions": tuple(dict.fromkeys((*errand.sessions, session)))})


async def _rewritten(services: Services, errand: Task, version: int) -> None:
    """Changed where it stands: its place, and whoever has claimed it, stay."""
    keep = None if errand.place else services.clock() + TERMS.kept
    await due_index.rewrite(services.table, errand, version, keep=keep)


async def unwatch(services: Services, caller: Caller, urls: Sequence[str], *, jobs: Sequence[str]) -> int:
    """Let go of these addresses; how many were watched. What a live session has stays for its sake."""
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
                await leases.forget(services, Claim(errand, version))
        except Conflict:
            continue
        return True
    return False


async def list_watched(services: Services, caller: Caller, jobs: Sequence[str]) -> list[dict[str, Any]]:
    """What jobs see to for the caller: `{job, url, state, nextAt?, reason?, sessions?, …what was found out last}`."""
    found = []
    for job in jobs:
        known = await of_owner(services.table, job, owner_of(caller.tenant, caller.user))
        found += [_format_task(errand) for _, (errand, _) in sorted(known.items())]
    return found


def _format_task(errand: Task) -> dict[str, Any]:
    told = {
        "job": errand.job,
        "url": errand.url,
        "state": errand.state,
        "watched": errand.watched,
        "sessions": list(errand.sessions) or None,
        **{name: value for name, value in (errand.finding or {}).items() if name != "endedAt"},
        "nextAt": None if errand.due is None else stamp(errand.due),
        "reason": errand.reason,
    }
    return {name: value for name, value in told.items() if value is not None}
