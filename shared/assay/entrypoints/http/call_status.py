"""`/v1/calls/{id}`: GET fetches the answer of a call that a worker makes, DELETE cancels it."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs, unquote

from assay.context import Context
from assay.entrypoints.http.apigateway_event import Event, headers_of, request_id_of, respond, to_error_response
from assay.entrypoints.http.call_responses import CALL_PATH, MAX_WAIT, respond_to_poll
from assay.entrypoints.http.http_api import caller_of
from assay.entrypoints.http.http_errors import HttpMethodNotAllowed
from assay.errors import InvalidInput, ToolError
from assay.services import Services
from assay.tool_calls.call_report import cancel_call, describe_call, find_call, wait_for_call


async def answer(event: Event, services: Services) -> dict[str, Any]:
    """The response to one request. Never raises."""
    request_id = request_id_of(event, headers_of(event))
    try:
        return await _respond(event, services, request_id)
    except ToolError as failure:
        return to_error_response(failure, request_id)


async def _respond(event: Event, services: Services, request_id: str) -> dict[str, Any]:
    caller = await caller_of(event, services)
    ctx = Context(services, caller, entrypoint="https", request_id=request_id)
    await ctx.count_poll()
    method = str(((event.get("requestContext") or {}).get("http") or {}).get("method") or "GET").upper()
    job = await find_call(services, caller, unquote(str(event.get("rawPath") or "")[len(CALL_PATH) :]))
    if method in ("GET", "HEAD"):
        seconds = _parse_wait(parse_qs(str(event.get("rawQueryString") or "")))
        return await respond_to_poll(await wait_for_call(ctx, job, seconds), ctx)
    if method == "DELETE":
        return respond(200, describe_call(await cancel_call(services, job)), request_id)
    raise HttpMethodNotAllowed("A call", method, ("GET", "DELETE"))


MAX_DIGITS = 6  # of a number in the query


def _parse_wait(query: Mapping[str, list[str]]) -> float:
    """Read `?waitSeconds=`. Raises InvalidInput."""
    text = query.get("waitSeconds", ["0"])[-1]
    if not (text.isascii() and text.isdecimal() and len(text) <= MAX_DIGITS and int(text) <= MAX_WAIT):
        raise InvalidInput(f"waitSeconds is a whole number from 0 to {MAX_WAIT:.0f}.", field="waitSeconds")
    return float(text)
