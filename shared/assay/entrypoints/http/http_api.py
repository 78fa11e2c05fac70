"""`POST /tools/{name}`: turns an API Gateway event into a tool call. Lambda and the local server both use it."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from assay.caller import Caller
from assay.context import Context
from assay.entrypoints import runtime
from assay.entrypoints.auth import KeyRing, bearer, ring
from assay.entrypoints.http.apigateway_event import (
    Event,
    body_of,
    headers_of,
    json_of,
    request_id_of,
    respond,
    seconds_of,
    to_error_response,
)
from assay.entrypoints.http.call_responses import parse_preference, respond_later, respond_with
from assay.entrypoints.http.response_headers import Handler, with_response_headers
from assay.entrypoints.idempotency import REPLAYED, call_once, key_of
from assay.entrypoints.resource_server import challenge_for_scope, identify_caller, requires_authentication
from assay.errors import Forbidden, ToolError, Unauthenticated
from assay.invoke import Reply, invoke
from assay.oauth.server_addresses import CONSENT_PAGE, find_base_url
from assay.services import Services
from assay.state.audit import Call
from assay.state.key_store import is_stored_key
from assay.state.trace_context import continue_trace


def keys_of(services: Services) -> KeyRing:
    """The accepted API keys, from the settings or an SSM parameter that is read again every five minutes."""
    configured = services.settings.api_keys
    if configured.startswith("ssm:"):
        from assay.aws.ssm import parameters

        name = configured.removeprefix("ssm:")
        parameters().declare("ASSAY_API_KEYS", name)
        configured = parameters().read(name)
    return ring(configured)


def accepts_keys(services: Services) -> bool:
    """Whether callers may show a key: one of the ring, or of the table, which every deployment has."""
    return bool(keys_of(services) or services.requires_keys or services.settings.on_lambda)


def has_sign_in(services: Services) -> bool:
    """Whether people can sign in at this server itself: with a key, or through an identity provider."""
    return services.settings.on_lambda or accepts_keys(services) or bool(services.settings.key("ASSAY_OIDC_ISSUER"))


def find_consent_page(headers: Mapping[str, str], services: Services) -> str:
    """The address of the page where people consent; "" where people cannot sign in, or this address is not known."""
    base = find_base_url(services.settings, headers.get("host", ""))
    if base is None or (services.settings.issuer_url and not has_sign_in(services)):  # people sign in elsewhere
        return ""
    return base + CONSENT_PAGE


async def caller_of(event: Event, services: Services) -> Caller:
    """The caller of the event. Raises Unauthenticated."""
    headers = headers_of(event)
    path = str(event.get("rawPath", ""))
    return await authenticate_headers(headers, services, "https", request_id_of(event, headers), path)


async def authenticate_headers(
    headers: Mapping[str, str], services: Services, entrypoint: str, request_id: str | None, path: str = ""
) -> Caller:
    """The caller that the headers authenticate for this path; where nobody can, the local user (never on Lambda).

    Raises Unauthenticated or Forbidden, after an audit event that has nothing of the headers in it but the request id,
    if none is given.
    """
    is_stored = is_stored_key(bearer(headers))
    keys = KeyRing() if is_stored else keys_of(services)  # a key of the table costs no look into a parameter
    if not is_stored and not requires_authentication(services, keys):
        return Caller()
    try:
        return await identify_caller(headers, services, path, keys)
    except (Unauthenticated, Forbidden) as failure:
        record_refusal(failure, services, entrypoint, request_id or request_id_of({}, headers))
        raise


def record_refusal(failure: ToolError, services: Services, entrypoint: str, request_id: str) -> None:
    """Send the audit event of a failed authentication to the observers."""
    refusal = Call(
        at=services.clock(),
        tool="none",
        tenant="none",
        user="none",
        entrypoint=entrypoint,
        request_id=request_id,
        seconds=0.0,
        error=failure.kind,
        cached=False,
        query_length=0,
        kind="auth.failure",
    )
    for observer in services.observers:
        observer(refusal)


def parse_body(event: Event) -> Any:
    """The JSON body of the event. Raises InvalidInput."""
    return json_of(body_of(event))


async def answer(
    tool: str,
    event: Event,
    lambda_context: object,
    services: Services,
    *,
    read: Callable[[Event], Any] = parse_body,
    status: int = 200,
) -> dict[str, Any]:
    """Call `tool` with the arguments that `read` takes from the event. A success has `status`. Never raises."""
    with continue_trace(headers_of(event)):
        return await _answer_in_trace(tool, event, lambda_context, services, read, status)


async def _answer_in_trace(
    tool: str,
    event: Event,
    lambda_context: object,
    services: Services,
    read: Callable[[Event], Any],
    status: int,
) -> dict[str, Any]:
    headers = headers_of(event)
    request_id = request_id_of(event, headers)
    try:
        caller = await caller_of(event, services)
        arguments = read(event)
        key = key_of(headers, tool)
    except ToolError as failure:
        return to_error_response(failure, request_id)
    seconds = seconds_of(event, lambda_context)
    deadline = None if seconds is None else asyncio.get_running_loop().time() + seconds
    page = find_consent_page(headers, services)
    ctx = Context(
        services,
        caller,
        entrypoint="https",
        request_id=request_id,
        deadline=deadline,
        consent_page=page,
        can_fetch_later=True,
    )

    async def call() -> Reply:
        reply = await invoke(tool, arguments, ctx)
        challenge_for_scope(reply.error, caller, services, headers, str(event.get("rawPath", "")))
        return reply

    if key is None:
        wait = parse_preference(headers)
        later = None if wait is None else await respond_later(tool, arguments, ctx, wait)
        return later or respond_with(await call(), status, ctx)
    try:
        reply, stored = await call_once(key, tool, arguments, ctx, call)
    except ToolError as failure:
        return to_error_response(failure, request_id)
    if stored is not None:
        return respond(status, stored, request_id, REPLAYED)
    return respond_with(reply, status, ctx)


def handler_for(tool: str, services: Callable[[], Services] = runtime.services) -> Handler:
    """The Lambda handler of one tool."""

    def handler(event: Event, lambda_context: object) -> dict[str, Any]:
        try:
            world = services()
        except ToolError as failure:  # invalid settings
            return to_error_response(failure, request_id_of(event, headers_of(event)))
        return runtime.wait_for(answer(tool, event, lambda_context, world))

    return with_response_headers(handler, services)
