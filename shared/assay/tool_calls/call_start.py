"""Starts a tool call that a worker makes."""

from typing import TYPE_CHECKING, Any

from assay.context import Context
from assay.errors import CallContinues, ConfigError, InvalidInput, RateLimited
from assay.tool_calls.call_job import CALLS, DAY, CallJob, save_arguments
from assay.toolkit import tool_registry
from assay.work_queue import resume
from assay.work_queue.job_record import build_job_id

if TYPE_CHECKING:
    from assay.toolkit.tool import Tool

POLL_SECONDS = 2  # between two polls, as callers are told
SHORTEST = 60.0  # seconds for which a call is stored at least


async def start_call(
    ctx: Context, tool: "Tool[Any, Any]", arguments: Any, *, seconds: float = DAY, followed: str = ""
) -> CallJob:
    """Store a call that waits for a worker, or one that lasts until the job `followed` has ended.

    It expires after `seconds`, at most a day. Raises RateLimited if the tenant has reached its limit of calls.
    """
    services, caller, now = ctx.services, ctx.caller, ctx.services.clock()
    if services.queue is None:
        raise ConfigError("Background calls need a queue: set ASSAY_QUEUE.", field="ASSAY_QUEUE", action="inform_user")
    if not followed:
        await _check_call_limit(ctx)
    job = CallJob(
        id=build_job_id(now),
        tenant=caller.tenant,
        user=caller.user,
        name=caller.name,
        scopes=tuple(sorted(caller.scopes)),
        read_only=caller.read_only,
        tool=tool.name,
        request_id=ctx.request_id,
        created=now,
        updated=now,
        until=now + min(max(seconds, SHORTEST), DAY),
        followed=followed,
        allowed_cost=ctx.allowed_cost,
    )
    await save_arguments(services, job, arguments)
    if followed:
        await CALLS.record(services.table, job)
        return job
    await CALLS.create(services.table, job)
    await services.queue.send(CALLS.build_message(job.id, 0))
    resume.ensure_worker(services)
    return job


async def start_named_call(ctx: Context, name: str, arguments: Any) -> CallJob:
    """Check the caller and the arguments, and start the call. Raises ToolError for what is wrong with them."""
    if not ctx.offers(name):
        raise InvalidInput(
            f"{name} is not among the tools that this connection selected. Connect with its name in ?tools= (of assay "
            "mcp: --tools) and not in ?exclude=, or call one of the tools that are listed.",
            field="tool",
        )
    tool = tool_registry.find_tool(name)
    ctx.caller.check_access(tool)
    tool.parse(arguments)
    return await start_call(ctx, tool, arguments)


async def continue_call(ctx: Context, tool: "Tool[Any, Any]", arguments: Any) -> CallContinues:
    """Start the call that the deadline of its entry point has cut short, and return what its caller is told."""
    job = await start_call(ctx, tool, arguments)
    return CallContinues(
        f"{tool.name} takes longer than this connection allows and goes on in the background. Fetch its answer with "
        f"get_tool_call, id {job.id}; over HTTPS with GET /v1/calls/{job.id}.",
        call=job.id,
        retry_after=POLL_SECONDS,
    )


async def _check_call_limit(ctx: Context) -> None:
    limit = ctx.services.settings.calls_per_tenant
    active = await CALLS.count_active(ctx.services.table, ctx.caller.tenant)
    if active >= limit:
        raise RateLimited(
            f"{active} of your calls are still running, and the limit is {limit}. Wait for one to end, or cancel one.",
            retry_after=10,
        )
