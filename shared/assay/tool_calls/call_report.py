"""Reports on a tool call that a worker makes: its state, its answer, and its cancellation."""

import asyncio
import re
from typing import Any

from assay.caller import Caller
from assay.context import Context
from assay.errors import NotFound
from assay.services import Services
from assay.state.json_documents import Document
from assay.state.owned_data import build_owned_key
from assay.text.timestamps import format_utc
from assay.tool_calls.call_job import CALLS, CallJob, load_answer, load_arguments
from assay.toolkit import tool_registry
from assay.work_queue import resume, sweeper
from assay.work_queue.job_kinds import JobKind, find_kind
from assay.work_queue.job_record import Job, Status
from assay.work_queue.work_timing import DEFAULT_TIMING

ID = re.compile(r"[0-9a-f]{32}")
POLL_SECONDS = 0.1, 1.0  # first and longest interval
LOST = "The stored answer no longer exists. Call the tool again."
UNKNOWN = "No such call, or it has expired: calls are stored for a day. Call the tool again."


async def find_call(services: Services, caller: Caller, call: str) -> CallJob:
    """Load the caller's call and recover it if it is stuck. Raises NotFound, also for the call of anybody else."""
    job = await CALLS.load(services.table, call) if ID.fullmatch(call) else None
    if job is None or (job.tenant, job.user) != (caller.tenant, caller.user):
        raise NotFound(UNKNOWN, field="id")
    if job.is_ended:
        return job
    if job.followed:
        return await _follow_job(services, job)
    found: CallJob = await sweeper.recover_job(services, find_kind(CALLS.kind), DEFAULT_TIMING, job)
    if not found.is_ended:
        resume.ensure_worker(services)
    return found


async def _follow_job(services: Services, job: CallJob) -> CallJob:
    """Return the call in the state of the job that it has started; its end is recorded."""
    kind, followed = await _load_followed(services, job)
    now = services.clock()
    if followed is None:
        return await CALLS.end(services.table, job, "failed", now, units=0, error=LOST)
    if followed.is_ended:
        return await CALLS.end(services.table, job, "completed", now, units=1, updated=now)
    followed = await sweeper.recover_job(services, kind, DEFAULT_TIMING, followed)
    resume.ensure_worker(services)
    done = await kind.count_units(services, followed)
    status: Status = "running" if followed.status == "running" else job.status
    return job.model_copy(update={"status": status, "done": done, "message": f"{done} {kind.unit}s done"})


async def _load_followed(services: Services, job: CallJob) -> tuple[JobKind, Job | None]:
    follows = tool_registry.find_tool(job.tool).follows
    assert follows is not None
    kind = find_kind(follows.kind)
    return kind, await kind.jobs.load(services.table, job.followed)


async def wait_for_call(ctx: Context, job: CallJob, seconds: float) -> CallJob:
    """Wait up to `seconds` until the call has ended, and report its progress."""
    loop, pause, reported = asyncio.get_running_loop(), POLL_SECONDS[0], None
    until = loop.time() + seconds
    while not job.is_ended:
        if ctx.report is not None and job.done is not None and job.done != reported:
            reported = job.done
            await ctx.report(job.done, job.total, job.message)
        if loop.time() >= until:
            break
        await asyncio.sleep(min(pause, max(0.0, until - loop.time())))
        pause = min(pause * 1.5, POLL_SECONDS[1])
        job = await find_call(ctx.services, ctx.caller, job.id)
    return job


async def cancel_call(services: Services, job: CallJob) -> CallJob:
    """End the call, and the job that it has started. A call that has ended stays as it is."""
    if job.is_ended:
        return job
    now = services.clock()
    if job.followed:
        kind, followed = await _load_followed(services, job)
        if followed is not None and not followed.is_ended:
            done = await kind.count_units(services, followed)
            await kind.jobs.end(services.table, followed, "cancelled", now, units=done)
    return await CALLS.end(services.table, job, "cancelled", now, units=0, updated=now)


async def read_answer(ctx: Context, job: CallJob) -> Document:
    """Return the answer of a completed call, as `save_answer` stored it. Raises NotFound if it is gone."""
    if job.followed:
        follows = tool_registry.find_tool(job.tool).follows
        assert follows is not None
        answer: Document | None = await follows.refresh(
            ctx, job.followed, await load_arguments(ctx.services, job) or {}
        )
    else:
        answer = await load_answer(ctx.services, job)
    if answer is None:
        raise NotFound(LOST, field="id")
    return answer


async def list_calls(
    services: Services, caller: Caller, *, after: str | None, limit: int
) -> tuple[list[CallJob], str | None]:
    """Return a page of the caller's calls, and where the next page begins; None at the end."""
    key, prefix = build_owned_key(caller.tenant, caller.user), f"{CALLS.kind}/"
    page = await services.table.query(key, prefix, after=f"{prefix}{after}" if after else None, limit=limit)
    jobs = [await CALLS.load(services.table, item.sort.removeprefix(prefix)) for item in page.items]
    known = [await find_call(services, caller, job.id) for job in jobs if job is not None]
    return known, page.items[-1].sort.removeprefix(prefix) if page.after is not None else None


def describe_call(job: CallJob) -> dict[str, Any]:
    """Describe the state of a call for its caller."""
    status = {"queued": "working", "running": "working"}.get(job.status, job.status)
    told = {
        "callId": job.id,
        "tool": job.tool,
        "status": status,
        "message": job.error or job.message,
        "done": job.done,
        "total": job.total,
        "createdAt": format_utc(job.created),
        "updatedAt": format_utc(max(job.updated, job.completed or 0.0)),
        "expiresAt": format_utc(job.until),
    }
    return {name: value for name, value in told.items() if value is not None}
