"""`assay job` and `assay watch`: run jobs once or repeatedly, manage watched URLs, print reports."""

import argparse
import asyncio
import json
import signal
import sys
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from assay.bootstrap import build_services
from assay.caller import Caller
from assay.entrypoints.cli.watched_queries import is_about_queries, list_queries, manage_query
from assay.entrypoints.http.signals import on_signal
from assay.errors import InvalidInput, ToolError
from assay.jobs import job_report, watched_urls
from assay.jobs.job_registry import LINK_JOBS, NAMES
from assay.jobs.job_timing import MIN_INTERVAL
from assay.jobs.runner import run
from assay.own_stores import OwnStores
from assay.services import Services
from assay.sessions.session_keys import build_owner
from assay.webhooks.webhook_outbox import wait_for_attempts

DAYS = 90  # searched for the latest report

type PrintLine = Callable[[str], None]


def print_line(line: str) -> None:
    """Print a line and flush it, because a pipe would otherwise buffer the output of a process that runs for days."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def job(options: argparse.Namespace, write: PrintLine = print_line) -> int:
    """Run each named job once, or repeatedly until the process is stopped. Prints one line of JSON per run."""

    async def work(services: Services) -> None:
        while True:
            for name in options.jobs:
                await run_pass(services, name, write, patient=bool(options.every))
            await wait_for_attempts(services)
            if not options.every:
                return
            await asyncio.sleep(options.every)

    return _run_to_completion(work)


async def run_pass(services: Services, name: str, write: PrintLine, *, patient: bool) -> None:
    """Run a job once. If `patient`, report a retryable failure without raising it: the next run may succeed."""
    try:
        write(_line((await run(name, services)).wire()))
    except ToolError as failure:
        if not (patient and failure.retryable):
            raise
        sys.stderr.write(_line(failure.wire()) + "\n")


def manage_watches(options: argparse.Namespace, write: PrintLine = print_line) -> int:
    """Watch URLs, a session or queries, check or stop watches, list them, or print the latest reports.

    The exit code is 1 where a watch of a query was refused.
    """
    if is_about_queries(options):
        answers: list[dict[str, Any]] = []

        async def manage(services: Services) -> None:
            answers.append(await manage_query(services, options))
            write(_line(answers[0]))

        _run_to_completion(manage)
        return 0 if answers and answers[0]["status"] == "ok" else 1
    return _manage_urls(options, write)


def _manage_urls(options: argparse.Namespace, write: PrintLine) -> int:
    if options.every is not None and options.every < MIN_INTERVAL:
        raise InvalidInput(
            f"The shortest interval between two checks is {MIN_INTERVAL / 60:.0f} minutes.", field="every"
        )
    caller = Caller(options.tenant, options.user)
    jobs = ("link_check", "archive") if options.archive else ("link_check",)

    async def work(services: Services) -> None:
        if options.report:
            write(await _report(services, caller))
        elif options.stop:
            write(_line({"stopped": await watched_urls.unwatch(services, caller, options.urls, jobs=LINK_JOBS)}))
        elif options.urls or options.session:
            await watched_urls.watch(
                services, caller, options.urls, jobs=jobs, **({"every": options.every} if options.every else {})
            )
            await _session(services, caller, options.session, archive=options.archive)
            write(_line({"watched": options.urls, "session": options.session, "jobs": list(jobs)}))
        else:
            watched = await watched_urls.list_watched(services, caller, LINK_JOBS)
            write(_line({"watched": watched, **await list_queries(services, options)}))

    return _run_to_completion(work)


async def _session(services: Services, caller: Caller, session: str | None, *, archive: bool) -> None:
    if session:
        sessions = OwnStores(services, caller).sessions
        await sessions.read(session)  # raises if the session does not exist
        await sessions.watch(session, archive=archive)


async def _report(services: Services, caller: Caller) -> str:
    """The latest report of each job."""
    today = datetime.fromtimestamp(services.clock(), UTC).date()
    days = [(today - timedelta(days=ago)).isoformat() for ago in range(DAYS)]
    owner = build_owner(caller.tenant, caller.user)
    reports = [await job_report.load_latest(services.bucket, owner, name, days) for name in NAMES]
    return (
        "\n".join(each for each in reports if each)
        or "There is no report yet. Run `assay job link_check` to create one."
    )


def _run_to_completion(work: Callable[[Services], Awaitable[None]]) -> int:
    async def run_and_close() -> None:
        services = build_services()
        task = asyncio.current_task()
        assert task is not None
        on_signal(task.cancel, signal.SIGTERM)
        try:
            await work(services)
        finally:
            await services.close()

    try:
        asyncio.run(run_and_close())
    except asyncio.CancelledError:
        return 0  # stopped by SIGTERM: claimed checks become due again within minutes
    return 0


def _line(document: dict[str, Any]) -> str:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))
