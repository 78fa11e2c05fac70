"""Tool calls as a kind of job for the common worker, which makes them through `invoke`."""

import asyncio
import logging
from typing import Any

from assay.caller import Caller
from assay.context import Context
from assay.errors import ToolError
from assay.invoke import Reply, invoke
from assay.services import Services
from assay.state.ports import Conflict
from assay.tool_calls.call_answer import build_failure, read_short
from assay.tool_calls.call_job import (
    CALLS,
    MESSAGE_CHARS,
    CallJob,
    delete_answer,
    list_object_names,
    load_arguments,
    save_answer,
)
from assay.work_queue.job_kinds import JobKind, TimeShare
from assay.work_queue.job_record import JobEnded

log = logging.getLogger("assay")
OVERRUN = 75.0  # seconds after a time slice that Lambda leaves for the call; the longest limit of a tool is 120
CHECK_SECONDS = 1.0  # between two looks whether the call was cancelled, and two writes of its progress
LOST = "The stored arguments no longer exist. Call the tool again."
CRASHED = "Every worker that made the call crashed. Ask for less, or call again."


class LatestProgress:
    """The latest progress of a call. However often a tool reports, it is stored once a second at most."""

    def __init__(self) -> None:
        self._latest: dict[str, Any] = {}

    async def report(self, done: float, total: float | None, text: str | None) -> None:
        self._latest = {"done": done, "total": total, "message": (text or "")[:MESSAGE_CHARS] or None}

    def take(self) -> dict[str, Any]:
        """Return what is new since the last time."""
        latest, self._latest = self._latest, {}
        return latest


async def run_slice(services: Services, job: CallJob, share: TimeShare) -> float | None:
    """Make the call and store its answer. Raises JobEnded if it was cancelled meanwhile."""
    arguments = await load_arguments(services, job)
    if arguments is None:
        await _fail(services, job, LOST)
        return None
    if share.is_careful:
        attempts = await services.table.add(CALLS.key_of(job.id), "attempt/call", until=job.until)
        if attempts > share.timing.max_crashes:
            await _fail(services, job, CRASHED)
            return None
    reply = await _call_tool(services, job, arguments, share)
    answer = reply.answer and reply.answer | {"short": read_short(reply.answer)}
    await save_answer(services, job, answer if reply.error is None else build_failure(reply.error))
    now, is_error = services.clock(), reply.error is not None
    job = await CALLS.end(services.table, job, "completed", now, units=1, updated=now, is_error=is_error)
    if job.status != "completed":
        await delete_answer(services, job)
    return None


async def _fail(services: Services, job: CallJob, reason: str) -> None:
    await CALLS.end(services.table, job, "failed", services.clock(), units=0, error=reason)


async def _call_tool(services: Services, job: CallJob, arguments: Any, share: TimeShare) -> Reply:
    progress = LatestProgress()
    ctx = Context(
        services,
        Caller(job.tenant, job.user, frozenset(job.scopes), job.name, read_only=job.read_only),
        entrypoint="queue",
        request_id=job.request_id,
        deadline=share.until + OVERRUN,
        is_charged=True,
        allow_large=True,
        allowed_cost=job.allowed_cost,
        report=progress.report,
    )
    work = asyncio.ensure_future(invoke(job.tool, arguments, ctx))
    try:
        while not work.done():
            await asyncio.wait({work}, timeout=CHECK_SECONDS)
            if not work.done():
                await _save_progress(services, job, progress.take())
        return work.result()
    finally:
        work.cancel()
        await asyncio.wait({work})


async def _save_progress(services: Services, job: CallJob, latest: dict[str, Any]) -> None:
    """Store what is new. Raises JobEnded if the call was cancelled, or another worker makes it."""
    try:
        if latest:
            current: CallJob | None = await CALLS.change(services.table, job, updated=services.clock(), **latest)
        else:
            current = await CALLS.load(services.table, job.id)
    except (ToolError, Conflict) as failure:  # the next attempt may succeed, and the call itself goes on
        log.warning("the progress of a call was not stored: %s", failure)
        return
    if current is None or current.is_ended or current.turn > job.turn:
        raise JobEnded


async def count_units(services: Services, job: CallJob) -> int:  # noqa: ARG001  # a call is done as a whole
    return 0


KIND = JobKind(CALLS, run_slice, count_units, "call", list_objects=list_object_names)
