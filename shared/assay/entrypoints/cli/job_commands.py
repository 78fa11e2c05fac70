"""Jobs on the command line: run them once or now and then, put addresses under their watch, see what they found."""

import argparse
import asyncio
import json
import signal
import sys
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from assay.bootstrap import build_services
from assay.context import Caller, Context, Services
from assay.entrypoints.http.signals import on_signal
from assay.errors import InvalidInput, ToolError
from assay.jobs import job_report, watched_urls
from assay.jobs.job_registry import NAMES
from assay.jobs.job_timing import MIN_INTERVAL
from assay.jobs.runner import run
from assay.sessions.session_keys import owner_of

DAYS = 90  # that reports are looked for

type Say = Callable[[str], None]


def aloud(line: str) -> None:
    """At once, also into a pipe: a scheduler goes on for days."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def job(asked: argparse.Namespace, say: Say = aloud) -> int:
    """One pass of each job named, or a pass now and then until the process is told to stop; a line of JSON a pass."""

    async def work(services: Services) -> None:
        while True:
            for name in asked.jobs:
                await run_pass(services, name, say, patient=bool(asked.every))
            if not asked.every:
                return
            await asyncio.sleep(asked.every)

    return _run_to_completion(work)


async def run_pass(services: Services, name: str, say: Say, *, patient: bool) -> None:
    """A scheduler is patient: the next pass may fare better."""
    try:
        say(_line((await run(name, services)).wire()))
    except ToolError as failure:
        if not (patient and failure.retryable):
            raise
        sys.stderr.write(_line(failure.wire()) + "\n")


def manage_watches(asked: argparse.Namespace, say: Say = aloud) -> int:
    """Put addresses or a session under watch, let go of them, or list what is watched and what was found out."""
    if asked.every is not None and asked.every < MIN_INTERVAL:
        raise InvalidInput(f"Links are checked every {MIN_INTERVAL / 60:.0f} minutes at most.", field="every")
    caller = Caller(asked.tenant, asked.user)
    jobs = ("link_check", "archive") if asked.archive else ("link_check",)

    async def work(services: Services) -> None:
        if asked.report:
            say(await _report(services, caller))
        elif asked.stop:
            say(_line({"stopped": await watched_urls.unwatch(services, caller, asked.urls, jobs=NAMES)}))
        elif asked.urls or asked.session:
            await watched_urls.watch(
                services, caller, asked.urls, jobs=jobs, **({"every": asked.every} if asked.every else {})
            )
            await _session(services, caller, asked.session, archive=asked.archive)
            say(_line({"watched": asked.urls, "session": asked.session, "jobs": list(jobs)}))
        else:
            say(_line({"watched": await watched_urls.list_watched(services, caller, NAMES)}))

    return _run_to_completion(work)


async def _session(services: Services, caller: Caller, session: str | None, *, archive: bool) -> None:
    if session:
        desk = Context(services, caller).sessions
        await desk.read(session)  # one that is not there cannot be watched
        await desk.watch(session, archive=archive)


async def _report(services: Services, caller: Caller) -> str:
    """The latest report of each job."""
    today = datetime.fromtimestamp(services.clock(), UTC).date()
    days = [(today - timedelta(days=ago)).isoformat() for ago in range(DAYS)]
    owner = owner_of(caller.tenant, caller.user)
    found = [await job_report.latest(services.bucket, owner, name, days) for name in NAMES]
    return "\n".join(each for each in found if each) or "There is no report yet: `assay job link_check` writes one."


def _run_to_completion(work: Callable[[Services], Awaitable[None]]) -> int:
    async def whole() -> None:
        services = build_services()
        task = asyncio.current_task()
        assert task is not None
        on_signal(task.cancel, signal.SIGTERM)
        try:
            await work(services)
        finally:
            await services.close()

    try:
        asyncio.run(whole())
    except asyncio.CancelledError:
        return 0  # told to stop: what was claimed is due again in minutes
    return 0


def _line(told: dict[str, Any]) -> str:
    return json.dumps(told, ensure_ascii=False, separators=(",", ":"))
