"""The MCP methods, independent of the transport: params in, a result as a plain dictionary out."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Literal

from assay.entrypoints.mcp import app_negotiation, param_validation, prompt_methods
from assay.entrypoints.mcp.elicitation_modes import find_modes
from assay.entrypoints.mcp.exchange import Exchange, Params, Result, run_tool, to_tool_result
from assay.entrypoints.mcp.jsonrpc import INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND, RESOURCE_NOT_FOUND, RpcError
from assay.entrypoints.mcp.protocol_versions import LEGACY, MODERN, SERVER_KEY, is_modern
from assay.entrypoints.mcp.resources import Resource
from assay.entrypoints.mcp.task_negotiation import build_capabilities, has_tasks, wants_task
from assay.errors import InsufficientScope, NotFound, ToolError
from assay.oauth.server_addresses import MCP_PATH

log = logging.getLogger("assay")

# How long a client may keep a result, and whether it may be shared among callers.
FIVE_MINUTES, FIVE_SECONDS = 300_000, 5_000
HINTS: Mapping[str, tuple[int, Literal["public", "private"]]] = {
    "server/discover": (FIVE_MINUTES, "public"),
    "tools/list": (FIVE_MINUTES, "public"),
    "prompts/list": (FIVE_MINUTES, "public"),
    "resources/list": (FIVE_MINUTES, "public"),
    "resources/templates/list": (FIVE_MINUTES, "public"),
    "resources/read": (FIVE_SECONDS, "private"),
}
DECLARED = frozenset({"server/discover", "tools/list"})  # whose answers depend on what the client declares


async def answer(method: str, params: Params, exchange: Exchange) -> Result:
    """The result of one method.

    Raises RpcError: -32601 for a method that the protocol revision lacks, -32602 for invalid params.
    """
    handle = METHODS.get(method)
    missing = ONLY_LEGACY if is_modern(exchange.version) else ONLY_MODERN
    if handle is None or method in missing or (method.startswith("tasks/") and not has_tasks(exchange)):
        raise RpcError(METHOD_NOT_FOUND, f"Method not found: {method[:60]}.", method=method[:60])
    param_validation.check(method, params)
    return await handle(params, exchange)


def find_cache_hint(method: str, params: Params, exchange: Exchange) -> tuple[int, Literal["public", "private"]] | None:
    """How long a client may keep the result of the request, and whether for others; None if not at all."""
    if method in DECLARED and exchange.draws_apps(params):
        return FIVE_MINUTES, "private"
    if method == "resources/read" and params["uri"].startswith(app_negotiation.SCHEME):
        return FIVE_MINUTES, "public"
    return HINTS.get(method)


async def initialize(params: Params, exchange: Exchange) -> Result:
    version = negotiated_version(params)
    has_apps = exchange.has_apps or app_negotiation.declares_apps(params["capabilities"])
    return {
        "protocolVersion": version,
        "capabilities": list_capabilities(params, replace(exchange, has_apps=has_apps), version),
        "serverInfo": exchange.catalogue.describe_server(),
        "instructions": exchange.catalogue.instruct(exchange.selection),
    }


def negotiated_version(params: Params) -> str:
    """The protocol revision that `initialize` selects: the requested one if supported, else the latest legacy one."""
    requested: str = params["protocolVersion"]
    return requested if requested in LEGACY else LEGACY[-1]


def list_capabilities(params: Params, exchange: Exchange, version: str) -> dict[str, Any]:
    """The server's capabilities in this revision. Tasks are among them if one of the tools can run as a task."""
    capabilities = exchange.catalogue.capabilities()
    cards = exchange.catalogue.cards(exchange.selection)
    more: list[Mapping[str, Any]] = []
    if any("execution" in card for card in cards):
        more.append(build_capabilities(exchange, version))
    if exchange.draws_apps(params) and any(card["name"] in app_negotiation.VIEWS for card in cards):
        more.append(app_negotiation.CAPABILITIES)
    if extensions := {name: value for each in more for name, value in each.get("extensions", {}).items()}:
        capabilities["extensions"] = extensions
    return capabilities | {name: value for each in more for name, value in each.items() if name != "extensions"}


async def discover(params: Params, exchange: Exchange) -> Result:
    return {
        "supportedVersions": list(MODERN),
        "capabilities": list_capabilities(params, exchange, exchange.version),
        "instructions": exchange.catalogue.instruct(exchange.selection),
        "_meta": {SERVER_KEY: exchange.catalogue.describe_server()},
    }


async def ping(_: Params, __: Exchange) -> Result:
    return {}


async def list_tools(params: Params, exchange: Exchange) -> Result:
    _refuse_cursor(params)
    cards = exchange.catalogue.list_tools(exchange.selection, exchange.services.settings)
    if exchange.version != LEGACY[-1]:  # the only revision with this field
        cards = [{name: value for name, value in card.items() if name != "execution"} for card in cards]
    if exchange.draws_apps(params):
        cards = app_negotiation.link_views(cards)
    if exchange.services.settings.lenses_path is None or exchange.selection.is_fixed:
        return {"tools": cards}
    from assay.search.lenses import list_custom_lenses

    return {"tools": list_custom_lenses(cards, exchange.services.search.lenses.names())}


async def list_prompts(params: Params, exchange: Exchange) -> Result:
    _refuse_cursor(params)
    return prompt_methods.list_prompts(exchange)


async def get_prompt(params: Params, exchange: Exchange) -> Result:
    _refuse_state(params)
    return await prompt_methods.get_prompt(params, exchange)


async def list_resources(params: Params, exchange: Exchange) -> Result:
    _refuse_cursor(params)
    return {"resources": [one.card for one in exchange.catalogue.resources if one.is_listed and not one.is_template]}


async def list_templates(params: Params, exchange: Exchange) -> Result:
    _refuse_cursor(params)
    return {"resourceTemplates": [one.card for one in exchange.catalogue.resources if one.is_template]}


def _refuse_cursor(params: Params) -> None:
    if params.get("cursor") is not None:
        raise RpcError(INVALID_PARAMS, "Lists are not paginated; send no cursor.")


def _refuse_state(params: Params) -> None:
    """Refuse a `requestState`: the server issues them for `tools/call` of 2026-07-28 only."""
    if params.get("requestState") is not None:
        raise RpcError(INVALID_PARAMS, "This server issues no requestState for this method; send none.")


async def read_resource(params: Params, exchange: Exchange) -> Result:
    _refuse_state(params)
    uri = params["uri"]
    code = INVALID_PARAMS if is_modern(exchange.version) else RESOURCE_NOT_FOUND
    try:
        resource = _find_resource(uri, exchange)
        return {"contents": [resource.contents(uri, await _read(resource, uri, exchange))]}
    except NotFound as missing:
        raise RpcError(code, missing, uri=uri[:200]) from None


def _find_resource(uri: str, exchange: Exchange) -> Resource:
    for resource in exchange.catalogue.resources:
        if resource.answers(uri):
            return resource
    raise NotFound(
        f"There is no resource {uri[:100]!r}. resources/list and resources/templates/list show what exists.",
        field="uri",
    )


async def _read(resource: Resource, uri: str, exchange: Exchange) -> str | bytes:
    """The content of the resource. Raises NotFound, and RpcError for any other failure."""
    ctx = exchange.context()
    try:
        if not resource.calls_tool:
            await ctx.charge()
        return await resource.read(uri, ctx)
    except NotFound:
        raise
    except ToolError as failure:
        if isinstance(failure, InsufficientScope) and exchange.caller.has_token:
            raise  # an HTTP error, after which the client asks for the scope
        raise RpcError(INVALID_PARAMS, failure) from None
    except Exception:  # not all reads go through invoke, so unexpected errors are caught here
        log.exception("Reading the resource %s failed", uri[:100])
        error = ToolError("Reading the resource failed unexpectedly; see the server log.")
        raise RpcError(INTERNAL_ERROR, error) from None


async def call_tool(params: Params, exchange: Exchange) -> Result:
    name, arguments = params["name"], params.get("arguments")
    if not is_modern(exchange.version):
        _refuse_state(params)
    if not exchange.offers(name):
        raise await _unknown(name, arguments, exchange)
    if params.get("requestState") is None and wants_task(params, exchange):
        task: Result | None = await _run_task_method("create_task", params, exchange)
        if task is not None:
            return task
    if params.get("requestState") is not None or find_modes(params, exchange):
        from assay.entrypoints.mcp.elicitation import call_with_questions

        return await call_with_questions(params, exchange)
    return to_tool_result(await run_tool(params, exchange, exchange.context()), exchange)


async def _unknown(name: str, arguments: Any, exchange: Exchange) -> RpcError:
    """The protocol error for an unknown tool. `invoke` still handles the call, so that it is counted and audited."""
    if name in exchange.catalogue.names():
        way = f"Connect to {MCP_PATH}" if exchange.selection.is_fixed else "Connect with ?toolset=all, or with its name"
        return RpcError(INVALID_PARAMS, f"{name} is not in the toolset of this connection. {way}.")
    reply = await exchange.catalogue.run(name, arguments, exchange.context())
    return RpcError(INVALID_PARAMS, reply.error or NotFound(f"There is no tool called {name[:60]!r}."))


async def _run_task_method(name: str, params: Params, exchange: Exchange) -> Any:
    from assay.entrypoints.mcp import tasks  # imported here, since it imports pydantic

    return await getattr(tasks, name)(params, exchange)


METHODS: Mapping[str, Callable[[Params, Exchange], Awaitable[Result]]] = {
    "initialize": initialize,
    "server/discover": discover,
    "ping": ping,
    "tools/list": list_tools,
    "tools/call": call_tool,
    "prompts/list": list_prompts,
    "prompts/get": get_prompt,
    "completion/complete": prompt_methods.complete,
    "resources/list": list_resources,
    "resources/templates/list": list_templates,
    "resources/read": read_resource,
    "tasks/get": partial(_run_task_method, "get_task"),
    "tasks/result": partial(_run_task_method, "get_result"),
    "tasks/list": partial(_run_task_method, "list_tasks"),
    "tasks/update": partial(_run_task_method, "update_task"),
    "tasks/cancel": partial(_run_task_method, "cancel_task"),
}
ONLY_LEGACY = frozenset({"initialize", "ping", "tasks/result", "tasks/list"})
ONLY_MODERN = frozenset({"server/discover", "tasks/update"})
