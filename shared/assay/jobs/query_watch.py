"""Scheduled job that checks watched queries and pages, and the scheduling of their watches."""

from collections.abc import Iterable
from contextlib import nullcontext

from assay.caller import Caller
from assay.consent.consent_gate import find_refusal
from assay.context import Context
from assay.errors import ToolError
from assay.jobs import results_log, watched_urls
from assay.jobs.host_slots import Hosts
from assay.jobs.job_timing import DEFAULT_TIMING, JobTiming
from assay.jobs.robots_rules import RobotsRules
from assay.jobs.task import ScheduledJob, Task, TaskResult, Work, load_tasks_by_owner
from assay.jobs.watch_checks import check_watch
from assay.monitoring.watch_records import Watch
from assay.monitoring.watch_store import WatchMissing
from assay.services import Services
from assay.sessions.session_keys import build_owner
from assay.settings import Settings
from assay.state.call_memo import open_memo
from assay.state.tenant import working_for

NAME = "query_watch"
ADDRESS = "watch:"  # begins the address of a task; the id of its watch follows
GONE = "The watch has ended."


def begin(services: Services, timing: JobTiming) -> Work:
    hosts, robots = Hosts(services, timing), RobotsRules(services)

    async def work(ctx: Context, task: Task) -> TaskResult:
        watch = await ctx.own.watches.load(task.url.removeprefix(ADDRESS))
        if watch is None:
            return TaskResult("deferred", reason=GONE)  # the next run deletes the task
        try:
            async with hosts.acquire(watch.query) if watch.kind == "page" else nullcontext() as slots:
                if slots is not None:
                    await robots.check(watch.query, slots)
                with ctx.budget.open(), working_for(ctx.caller.tenant), open_memo():
                    await ctx.charge()
                    _, new = await check_watch(watch, ctx)
        except WatchMissing:
            return TaskResult("deferred", reason=GONE)
        except ToolError as failure:  # also of a lasting kind: a page that is missing today may be there tomorrow
            fields = describe(watch) | ({"retryAfter": failure.retry_after} if failure.retry_after else {})
            return TaskResult("retry", "failed", fields, failure.sentence())
        return TaskResult("ok", "checked", {**describe(watch), "newCount": len(new)})

    return work


def describe(watch: Watch) -> dict[str, object]:
    return {"kind": watch.kind, "query": watch.query}


async def is_wanted(services: Services, task: Task) -> bool:
    """Whether the watch is still there and the person still consents. Otherwise its task is deleted."""
    ctx = Context(services, Caller(task.tenant, task.user))
    return await ctx.own.watches.load(task.url.removeprefix(ADDRESS)) is not None and not await find_refusal(
        ctx.own.consents, "monitoring"
    )


def is_enabled(settings: Settings) -> bool:
    return settings.monitoring_enabled


async def schedule(watch: Watch, ctx: Context, *, last: float) -> None:
    """Let the job check the watch now and then, first an interval after the `last` check; a parked watch is checked
    again.
    """
    owner = {"tenant": ctx.caller.tenant, "user": ctx.caller.user}
    now = ctx.services.clock()
    task = Task(job=NAME, url=ADDRESS + watch.id, requested_at=now, every=watch.every, **owner)
    await watched_urls.ensure_task(ctx.services, task, due=min(last, now) + watch.every)


async def unschedule(identities: Iterable[str], ctx: Context) -> None:
    """End the checks of these watches, and delete their results from the log and, at the next run, from the reports."""
    owner = {"tenant": ctx.caller.tenant, "user": ctx.caller.user}
    tasks = [Task(job=NAME, url=ADDRESS + identity, requested_at=0.0, **owner) for identity in identities]
    for task in tasks:
        await watched_urls.unwatch_task(ctx.services, NAME, ctx.caller, task.url)
    await results_log.forget_results(ctx.services, DEFAULT_TIMING, tasks)


async def load_schedule(ctx: Context) -> dict[str, Task]:
    """Return the tasks of the caller's watches by the id of the watch."""
    owner = build_owner(ctx.caller.tenant, ctx.caller.user)
    tasks = await load_tasks_by_owner(ctx.services.table, NAME, owner)
    return {url.removeprefix(ADDRESS): task for url, (task, _) in tasks.items()}


JOB = ScheduledJob(
    NAME, begin, max_seconds=60.0, concurrency=8, is_recurring=True, is_wanted=is_wanted, is_enabled=is_enabled
)
