"""The part of `assay watch` that is about queries: it calls the tools of watches."""

import argparse
import math
from typing import Any

from assay.caller import Caller
from assay.context import Context
from assay.errors import InvalidInput
from assay.invoke import invoke
from assay.services import Services

PAGE = 100
HOUR = 3_600


def is_about_queries(options: argparse.Namespace) -> bool:
    return bool(options.query or options.check or options.delete)


async def manage_query(services: Services, options: argparse.Namespace) -> dict[str, Any]:
    """Save, check or delete watches of queries; return the answer of the tool. Raises ToolError."""
    if sum(map(bool, (options.query, options.check, options.delete, options.urls, options.report))) > 1:
        raise InvalidInput("Give one of --query, --check, --delete, --report and URLs.", field="query")
    if options.check:
        return await call(services, options, "monitor_query_check", {"id": options.check})
    if options.delete:
        return await call(services, options, "monitor_delete", {"ids": options.delete})
    return await call(services, options, "monitor_query_save", build_arguments(options))


def build_arguments(options: argparse.Namespace) -> dict[str, Any]:
    arguments = {
        "query": options.query,
        "kind": options.kind,
        "provider": options.provider,
        "filters": dict(map(split_filter, options.filter or ())) or None,
        "everyHours": None if options.every is None else math.ceil(options.every / HOUR),
        "ttlDays": options.days,
        "feed": options.feed,
        "webhook": options.webhook,
        "sessionId": options.session,
    }
    return {name: value for name, value in arguments.items() if value is not None}


def split_filter(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise InvalidInput(f"{text!r} is not a filter; write NAME=VALUE, such as language=de.", field="filter")
    return name, value


async def list_queries(services: Services, options: argparse.Namespace) -> dict[str, Any]:
    """Return `{"queries": […]}` with all watches; {} where they are off or the person did not consent."""
    if not services.settings.monitoring_enabled:
        return {}
    watches: list[Any] = []
    offset: int | None = 0
    while offset is not None:
        page = await call(services, options, "monitor_list", {"limit": PAGE, "offset": offset})
        if page["status"] != "ok":
            return {}
        watches += page["watches"]
        offset = page.get("nextOffset")
    return {"queries": watches}


async def call(services: Services, options: argparse.Namespace, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    reply = await invoke(tool, arguments, Context(services, Caller(options.tenant, options.user), "cli"))
    if reply.error is not None:
        raise reply.error
    return reply.wire
