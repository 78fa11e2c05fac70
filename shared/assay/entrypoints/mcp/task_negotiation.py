"""Whether a request may use tasks. A module of its own, because the modules of tasks slow down cold starts."""

from collections.abc import Mapping
from typing import Any

from assay.entrypoints.mcp.exchange import Exchange, Params
from assay.entrypoints.mcp.protocol_versions import CAPABILITIES_KEY, LEGACY, PREFIX, envelope_of, is_modern

TASKS = PREFIX + "tasks"


def has_tasks(exchange: Exchange) -> bool:
    """Whether the server offers tasks in the request's revision."""
    is_known = is_modern(exchange.version) or exchange.version == LEGACY[-1]
    return is_known and exchange.services.queue is not None


def build_capabilities(exchange: Exchange, version: str) -> dict[str, Any]:
    """Build what the capabilities of the server say of tasks in this revision."""
    if exchange.services.queue is None:
        return {}
    if is_modern(version):
        return {"extensions": {TASKS: {}}}
    if version == LEGACY[-1]:
        return {"tasks": {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}}
    return {}


def declares_tasks(params: Params) -> bool:
    """Whether the client declares the extension on this request, as 2026-07-28 requires."""
    extensions = envelope_of(params).get(CAPABILITIES_KEY, {}).get("extensions")
    return isinstance(extensions, Mapping) and TASKS in extensions


def wants_task(params: Params, exchange: Exchange) -> bool:
    """Whether a `tools/call` may become a task: in 2026-07-28 the server chooses, in 2025-11-25 the client."""
    if not has_tasks(exchange):
        return False
    return declares_tasks(params) if is_modern(exchange.version) else params.get("task") is not None
