"""Responses to tool calls over HTTPS: the answer, the error, or where to fetch the answer later (RFC 7240)."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from assay.context import Context
from assay.entrypoints.http.apigateway_event import respond, to_error_response
from assay.entrypoints.http.rate_limit_headers import format_quotas
from assay.errors import CallContinues, NotFound, ToolError
from assay.invoke import Reply

if TYPE_CHECKING:
    from assay.tool_calls.call_job import CallJob

CALL_PATH = "/v1/calls/"
RETRY_SECONDS = 2  # between two polls, as callers are told
MAX_WAIT = 25.0  # seconds; the HTTP API ends a request after 29
WAIT = re.compile(r"wait=(\d{1,6})")


def parse_preference(headers: Mapping[str, str]) -> float | None:
    """Read from `Prefer: respond-async, wait=5` how many seconds to wait; None without respond-async."""
    preferences = [each.split(";")[0].strip().lower() for each in headers.get("prefer", "").split(",")]
    if "respond-async" not in preferences:
        return None
    waits = [int(match[1]) for each in preferences if (match := WAIT.fullmatch(each))]
    return min(float(waits[0]), MAX_WAIT) if waits else 0.0


def respond_with(reply: Reply, status: int, ctx: Context) -> dict[str, Any]:
    """The reply as a response in payload 2.0, with the limits that counted the call."""
    if isinstance(reply.error, CallContinues):
        body = {"callId": reply.error.call, "status": "working", "message": reply.error.sentence()}
        response = respond(202, body, ctx.request_id, _list_location(reply.error.call))
    elif reply.error is not None:
        response = to_error_response(reply.error, ctx.request_id)
    else:
        response = respond(status, reply.body(), ctx.request_id)
    return response | {"headers": response["headers"] | format_quotas(ctx.quotas, ctx.services.clock())}


def _list_location(call: str) -> dict[str, str]:
    return {"location": CALL_PATH + call, "retry-after": str(RETRY_SECONDS)}


async def respond_later(tool: str, arguments: Any, ctx: Context, wait: float) -> dict[str, Any] | None:
    """Accept the call for a worker and wait a little for its answer. None for a tool that no worker runs."""
    from assay.entrypoints.background_calls import accept_call, can_run_in_background
    from assay.tool_calls.call_report import wait_for_call

    try:
        if not can_run_in_background(tool, ctx):
            return None
    except NotFound:  # the call reports it
        return None
    accepted = await accept_call(tool, arguments, ctx)
    if isinstance(accepted, Reply):
        return respond_with(accepted, 200, ctx)
    response = await respond_to_poll(await wait_for_call(ctx, accepted, wait), ctx)
    return response | {"headers": response["headers"] | {"preference-applied": "respond-async"}}


async def respond_to_poll(job: "CallJob", ctx: Context) -> dict[str, Any]:
    """The response that a call without the preference would have had; before its end, 202 with its state."""
    from assay.entrypoints.background_calls import read_reply
    from assay.tool_calls.call_report import describe_call

    if not job.is_ended:
        response = respond(202, describe_call(job), ctx.request_id, _list_location(job.id))
        return response | {"headers": response["headers"] | format_quotas(ctx.quotas, ctx.services.clock())}
    try:
        return respond_with(await read_reply(ctx, job), 200, ctx)
    except ToolError as failure:
        return to_error_response(failure, ctx.request_id)
