"""Accepts tool calls that workers make, and reads their answers, for the entry points that offer this."""

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from assay.context import Context
from assay.errors import ToolError
from assay.invoke import Reply, admit, build_reply, emit_audit, invoke, parse
from assay.tool_calls.call_answer import CallCancelled, CallFailed, StoredFailure
from assay.tool_calls.call_job import DAY, CallJob
from assay.tool_calls.call_report import find_call, read_answer
from assay.tool_calls.call_start import start_call
from assay.toolkit import tool_registry

if TYPE_CHECKING:
    from assay.toolkit.tool import FollowedJob, Tool

type Find = Callable[[str], "Tool[Any, Any]"]


def can_run_in_background(name: str, ctx: Context, find: Find = tool_registry.find_tool) -> bool:
    """Whether a worker can make a call of the tool. Raises NotFound for an unknown tool."""
    tool = find(name)
    return ctx.services.queue is not None and (tool.background or tool.follows is not None)


async def accept_call(
    name: str, arguments: Any, ctx: Context, *, seconds: float = DAY, find: Find = tool_registry.find_tool
) -> CallJob | Reply:
    """Check the caller and the arguments and store the call, which expires after `seconds`.

    Return the stored call, or the reply to one that is refused.
    """
    began, tool = time.perf_counter(), find(name)
    if tool.follows is not None:
        return await _start_job(tool, tool.follows, arguments, ctx, seconds)
    try:
        await admit(tool, ctx)
        parse(tool, arguments)
        return await start_call(ctx, tool, arguments, seconds=seconds)
    except ToolError as failure:
        reply = Reply(error=failure.detach())
        emit_audit(name, arguments, reply, time.perf_counter() - began, ctx)
        return reply


async def _start_job(
    tool: "Tool[Any, Any]", follows: "FollowedJob", arguments: Any, ctx: Context, seconds: float
) -> CallJob | Reply:
    """Make the call, which starts a job, and store that its caller waits for the job's end."""
    given = arguments if isinstance(arguments, Mapping) else {}
    reply = await invoke(tool.name, {**given, **follows.at_once} if given else arguments, ctx)
    if reply.error is not None:
        return reply
    shaping = {name: value for name, value in given.items() if name in follows.shaping}
    try:
        job = await start_call(ctx, tool, shaping, seconds=seconds, followed=reply.wire[follows.field])
        return await find_call(ctx.services, ctx.caller, job.id)
    except ToolError as failure:
        return Reply(error=failure.detach())


async def read_reply(ctx: Context, job: CallJob) -> Reply:
    """Return the reply to a call that has ended, in the form that the entry point of `ctx` gives a new answer.

    Raises NotFound if the stored answer is gone.
    """
    if job.status == "cancelled":
        return Reply(error=CallCancelled("The call was cancelled."))
    if job.status == "failed":
        return Reply(error=CallFailed(job.error or "The call failed."))
    answer = await read_answer(ctx, job)
    if "error" in answer:
        return Reply(error=StoredFailure(answer))
    return await build_reply(answer, ctx)
