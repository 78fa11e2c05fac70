"""Lambda handler of EventBridge schedules: runs a job, or a tool with arguments."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from assay.caller import Caller
from assay.context import Context
from assay.entrypoints import runtime
from assay.entrypoints.http.apigateway_event import seconds_of
from assay.errors import InvalidInput, ToolError
from assay.invoke import Reply, invoke
from assay.services import Services
from assay.state.lambda_invocation import note_invocation

SYSTEM = Caller(tenant="system", user="schedule")


class RetryableFailure(Exception):
    """A retryable error: raised so that Lambda retries the event and finally sends it to the dead-letter queue."""


def _parse_event(event: Mapping[str, Any]) -> tuple[str, Any, Caller]:
    name = event.get("tool")
    if not isinstance(name, str):
        message = 'A scheduled event names a job, {"job": "…"}, or a tool, {"tool": "…", "arguments": {…}}.'
        raise InvalidInput(message, field="tool")
    tenant, user = event.get("tenant", SYSTEM.tenant), event.get("user", SYSTEM.user)
    return name, event.get("arguments", {}), Caller(tenant=str(tenant), user=str(user))


async def answer(event: Mapping[str, Any], lambda_context: object, services: Services) -> Reply:
    """The reply to one scheduled event. Never raises."""
    try:
        name, arguments, caller = _parse_event(event)
    except ToolError as failure:
        return Reply(error=failure)
    seconds = seconds_of({}, lambda_context)
    deadline = None if seconds is None else asyncio.get_running_loop().time() + seconds
    return await invoke(name, arguments, Context(services, caller, "schedule", str(event.get("id", "")), deadline))


async def run_job(event: Mapping[str, Any], lambda_context: object, services: Services) -> Reply:
    """Run one pass of the job that the event names, within the remaining time of Lambda."""
    from assay.jobs.runner import run

    try:
        done = await run(str(event["job"]), services, seconds=seconds_of({}, lambda_context))
    except ToolError as failure:
        return Reply(error=failure)
    return Reply(done.wire())


def handler_for(services: Callable[[], Services] = runtime.services) -> Callable[[Mapping[str, Any], object], Any]:
    """The Lambda handler of schedules."""

    def handler(event: Mapping[str, Any], lambda_context: object) -> dict[str, Any]:
        note_invocation(lambda_context)
        run = run_job if "job" in event else answer
        reply = runtime.wait_for(run(event, lambda_context, services()))
        if reply.error is not None and reply.error.retryable:
            raise RetryableFailure(reply.error.text())
        return reply.body()

    return handler
