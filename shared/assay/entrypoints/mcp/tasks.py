"""Tool calls as tasks: the extension `io.modelcontextprotocol/tasks` of 2026-07-28, and the tasks of 2025-11-25.

A task is a tool call that a worker makes. It is stored before its creation is answered, and belongs to its caller.
"""

from collections.abc import Mapping
from typing import Any

from assay.entrypoints.background_calls import accept_call, can_run_in_background, read_reply
from assay.entrypoints.mcp.exchange import Exchange, Params, Result, to_tool_result
from assay.entrypoints.mcp.jsonrpc import INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND, REQUEST_CANCELLED, RpcError
from assay.entrypoints.mcp.protocol_versions import PREFIX, is_modern
from assay.entrypoints.mcp.task_negotiation import TASKS, declares_tasks
from assay.errors import InvalidInput, QuotaExceeded
from assay.invoke import Reply
from assay.text.timestamps import format_utc
from assay.tool_calls.call_job import DAY, CallJob
from assay.tool_calls.call_report import ID, cancel_call, find_call, list_calls, wait_for_call

RELATED = PREFIX + "related-task"
MISSING_CAPABILITY = -32021
POLL_MS = 1_000
PAGE_TASKS = 50
RESERVED_SECONDS = 2.0  # of the deadline, to send the answer of tasks/result
STATUSES = {"queued": "working", "running": "working"}


async def create_task(params: Params, exchange: Exchange) -> Result | None:
    """Create a task for a `tools/call`: its handle, or the result of a call that ends at once.

    None if the tool cannot run as a task, and the client of 2026-07-28 did not insist on one.
    """
    modern = is_modern(exchange.version)
    seconds = DAY if modern else _read_ttl(params["task"])
    name, ctx, find = params["name"], exchange.context(), exchange.catalogue.find
    if not can_run_in_background(name, ctx, find):
        if modern:
            return None
        raise RpcError(METHOD_NOT_FOUND, f"{name} does not run as a task; call it without `task`.")
    accepted = await accept_call(name, params.get("arguments") or {}, ctx, seconds=seconds, find=find)
    if isinstance(accepted, Reply):
        if modern and accepted.error is not None:
            return to_tool_result(accepted, exchange)
        raise RpcError(INVALID_PARAMS, accepted.error or InvalidInput("The call cannot run as a task."))
    if modern:
        return {"resultType": "task", **_describe_task(accepted, exchange)}
    return {"task": _describe_task(accepted, exchange)}


def _read_ttl(task: object) -> float:
    """Read for how many seconds the client wants the task of 2025-11-25 to be stored. Raises RpcError."""
    ttl = task.get("ttl", DAY * 1000) if isinstance(task, Mapping) else None
    if isinstance(ttl, bool) or not isinstance(ttl, int | float) or ttl < 0:
        raise RpcError(INVALID_PARAMS, "tools/call: params.task is an object, and its ttl a number of milliseconds.")
    return min(ttl / 1000, DAY)


def _describe_task(job: CallJob, exchange: Exchange) -> dict[str, Any]:
    """Describe the task with the field names of the request's revision."""
    modern = is_modern(exchange.version)
    status = STATUSES.get(job.status, job.status)
    if not modern and job.status == "completed" and job.is_error:
        status = "failed"  # 2025-11-25 counts an error of the tool as a failure of the task
    message = job.error or job.message
    return {
        "taskId": job.id,
        "status": status,
        **({"statusMessage": message} if message else {}),
        "createdAt": format_utc(job.created),
        "lastUpdatedAt": format_utc(max(job.updated, job.completed or 0.0)),
        "ttlMs" if modern else "ttl": round((job.until - job.created) * 1000),
        "pollIntervalMs" if modern else "pollInterval": POLL_MS,
    }


def _require_declaration(params: Params, exchange: Exchange) -> None:
    if is_modern(exchange.version) and not declares_tasks(params):
        needed: dict[str, Any] = {"extensions": {TASKS: {}}}
        raise RpcError(
            MISSING_CAPABILITY,
            f"Missing required client capability: declare the extension {TASKS} on the request.",
            requiredCapabilities=needed,
        )


async def _find_task(params: Params, exchange: Exchange) -> CallJob:
    """The caller's task. Raises RpcError, NotFound for an unknown task and for that of anybody else alike."""
    _require_declaration(params, exchange)
    await _count_poll(exchange)
    return await find_call(exchange.services, exchange.caller, params["taskId"])


async def _count_poll(exchange: Exchange) -> None:
    """Count the request towards the limit of polls. Raises RpcError with the interval to poll at from now on."""
    try:
        await exchange.context().count_poll()
    except QuotaExceeded as failure:
        wait = {} if failure.retry_after is None else {"pollIntervalMs": failure.retry_after * 1000}
        raise RpcError(INVALID_PARAMS, failure, **wait) from None


async def get_task(params: Params, exchange: Exchange) -> Result:
    job = await _find_task(params, exchange)
    task = _describe_task(job, exchange)
    if not is_modern(exchange.version):
        return task
    if job.status == "completed":
        result = to_tool_result(await read_reply(exchange.context(), job), exchange)
        task["result"] = {"resultType": "complete", **result}
    elif job.status == "failed":
        task["error"] = {"code": INTERNAL_ERROR, "message": job.error or "The call failed."}
    return task


async def get_result(params: Params, exchange: Exchange) -> Result:
    """The result of a task of 2025-11-25; waits for it. Raises RpcError if the task was cancelled or has failed."""
    ctx = exchange.context()
    job = await wait_for_call(ctx, await _find_task(params, exchange), ctx.time_left() - RESERVED_SECONDS)
    if not job.is_ended:
        raise RpcError(INTERNAL_ERROR, "The task is still working. Ask again, or poll tasks/get.")
    reply = await read_reply(ctx, job)
    if job.status != "completed":
        code = REQUEST_CANCELLED if job.status == "cancelled" else INTERNAL_ERROR
        raise RpcError(code, reply.error or "The call failed.")
    result = to_tool_result(reply, exchange)
    return result | {"_meta": result.get("_meta", {}) | {RELATED: {"taskId": job.id}}}


async def list_tasks(params: Params, exchange: Exchange) -> Result:
    """The caller's tasks, in no particular order."""
    cursor = params.get("cursor")
    if cursor is not None and not ID.fullmatch(cursor):
        raise RpcError(INVALID_PARAMS, "tasks/list: send the nextCursor of the last answer, or none.")
    await _count_poll(exchange)
    jobs, more = await list_calls(exchange.services, exchange.caller, after=cursor, limit=PAGE_TASKS)
    tasks = [_describe_task(job, exchange) for job in jobs]
    return {"tasks": tasks} | ({"nextCursor": more} if more else {})


async def update_task(params: Params, exchange: Exchange) -> Result:
    """Accept responses. No task asks for input, so that none of them is outstanding and all are ignored."""
    await _find_task(params, exchange)
    return {}


async def cancel_task(params: Params, exchange: Exchange) -> Result:
    """Cancel the task. 2026-07-28 acknowledges it for every known task, 2025-11-25 refuses one that has ended."""
    job = await _find_task(params, exchange)
    if is_modern(exchange.version):
        await cancel_call(exchange.services, job)
        return {}
    if job.is_ended:
        raise RpcError(INVALID_PARAMS, f"The task is {job.status}, and a task that has ended cannot be cancelled.")
    return _describe_task(await cancel_call(exchange.services, job), exchange)
