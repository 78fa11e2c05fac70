"""HTTPS: an API Gateway event in, a response out. The local server stands in front of the same function."""

import asyncio
from collections.abc import Callable
from typing import Any

from assay import doors
from assay.context import Caller, Context, Services
from assay.doors.auth import KeyRing, authenticate, ring
from assay.doors.wire import Event, body_of, headers_of, json_of, refused, request_id_of, respond, seconds_of
from assay.errors import ToolError
from assay.invoke import invoke

type Handler = Callable[[Event, object], dict[str, Any]]


def keys_of(services: Services) -> KeyRing:
    """The keys this deployment accepts, from the settings or, on AWS, from a parameter read every few minutes."""
    configured = services.settings.api_keys
    if configured.startswith("ssm:"):
        from assay.aws import api_keys

        configured = api_keys(configured.removeprefix("ssm:"))
    return ring(configured)


def caller_of(event: Event, services: Services) -> Caller:
    """Who asks. Without keys only a laptop answers, and its server lets in nobody from outside."""
    keys = keys_of(services)
    if not keys and not services.settings.on_lambda:
        return Caller()
    return authenticate(headers_of(event), keys)


async def answer(tool: str, event: Event, lambda_context: object, services: Services) -> dict[str, Any]:
    """Call `tool` with the event's body as arguments. Never raises."""
    headers = headers_of(event)
    request_id = request_id_of(event, headers)
    try:
        caller = caller_of(event, services)
        arguments = json_of(body_of(event))
    except ToolError as failure:
        return refused(failure, request_id)
    seconds = seconds_of(event, lambda_context)
    deadline = None if seconds is None else asyncio.get_running_loop().time() + seconds
    ctx = Context(services, caller, door="https", request_id=request_id, deadline=deadline)
    reply = await invoke(tool, arguments, ctx)
    if reply.error is not None:
        return refused(reply.error, request_id)
    return respond(200, reply.body(), request_id)


def handler_for(tool: str, services: Callable[[], Services] = doors.services) -> Handler:
    """The Lambda handler of one tool."""

    def handler(event: Event, lambda_context: object) -> dict[str, Any]:
        try:
            world = services()
        except ToolError as failure:  # settings that cannot be are told like any other failure
            return refused(failure, request_id_of(event, headers_of(event)))
        return doors.wait_for(answer(tool, event, lambda_context, world))

    return handler
