"""MCP resources. Each is one read function and one card; `RESOURCES` lists them."""

import base64
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.context import Context
from assay.entrypoints.mcp import app_pages, research_views, status_views
from assay.entrypoints.mcp.app_negotiation import MIME_TYPE, SCHEME
from assay.state import artifacts

type Complete = Callable[[str, Context, int], Awaitable[Sequence[str]]]  # beginning, context, most values


@dataclass(frozen=True)
class Resource:
    """A readable resource. `card` has `uri`, or `uriTemplate` whose `{variable}`s each match one path segment.

    `read` raises NotFound if nothing exists at the URI. `complete` lists values of the template's variable, sorted.
    `calls_tool` says that `read` calls a tool, which counts the call towards the limits itself. `meta` goes with the
    content. What is not listed is known by other means.
    """

    card: Mapping[str, Any]
    read: Callable[[str, Context], Awaitable[str | bytes]]
    complete: Complete | None = None
    calls_tool: bool = False
    meta: Mapping[str, Any] | None = None
    is_listed: bool = True

    @property
    def is_template(self) -> bool:
        return "uriTemplate" in self.card

    def answers(self, uri: str) -> bool:
        """Whether this resource serves the URI."""
        if not self.is_template:
            return bool(uri == self.card["uri"])
        fixed = re.split(r"\{\w+\}", self.card["uriTemplate"])
        return re.fullmatch("[^/]+".join(map(re.escape, fixed)), uri) is not None

    def list_variables(self) -> list[str]:
        """The names of the template's variables."""
        return re.findall(r"\{(\w+)\}", self.card.get("uriTemplate", ""))

    def contents(self, uri: str, found: str | bytes) -> dict[str, Any]:
        """The content as an item of a `resources/read` result."""
        meta = {} if self.meta is None else {"_meta": self.meta}
        if isinstance(found, str):
            return {"uri": uri, "mimeType": self.card.get("mimeType", "text/plain"), "text": found} | meta
        blob = base64.b64encode(found).decode()
        return {"uri": uri, "mimeType": self.card.get("mimeType", "application/octet-stream"), "blob": blob} | meta


def _describe(name: str, title: str, description: str, **place: str) -> dict[str, Any]:
    return {**place, "name": name, "title": title, "description": description, "mimeType": "application/json"}


RESOURCES = (
    Resource(
        _describe(
            "tool-statistics",
            "Calls by tool",
            "Calls of your tenant by tool: successes, errors by kind, cache hits, mean duration and 95th percentile.",
            uri="stats://tools",
        ),
        status_views.read_tool_statistics,
    ),
    Resource(
        _describe(
            "session-statistics",
            "Active research sessions",
            "Number of your tenant's research sessions that have not expired.",
            uri="stats://sessions",
        ),
        status_views.read_session_statistics,
    ),
    Resource(
        _describe(
            "rate-limits",
            "Limits on calls",
            "Limits on calls, what is left of each, and when it resets.",
            uri="stats://rate-limits",
        ),
        status_views.read_limits,
    ),
    Resource(
        _describe(
            "providers",
            "Configured providers",
            "The configured providers and what each can search; pass a name as a tool's provider.",
            uri="stats://providers",
        ),
        status_views.read_providers,
    ),
    Resource(
        _describe(
            "lenses",
            "Lenses",
            "The lenses, which are sets of trusted sites; pass a name as web_search's lens.",
            uri="lenses://catalog",
        ),
        status_views.read_lenses,
    ),
    Resource(
        _describe(
            "recent-errors",
            "Recent errors",
            "The last errors of your tenant's calls within a day. Only your own have their cause.",
            uri="diagnostics://errors/recent",
        ),
        status_views.read_recent_errors,
    ),
    Resource(
        _describe(
            "provider-health",
            "Health of providers",
            "Which configured providers are available now, by the state of their circuit breakers.",
            uri="diagnostics://health",
        ),
        status_views.read_health,
    ),
    Resource(
        _describe(
            "research-artifact",
            "Research artifact",
            "A large answer that a tool kept aside for half an hour; read_artifact pages it.",
            uriTemplate=artifacts.SCHEME + "{id}",
        ),
        research_views.read_artifact_text,
        research_views.complete_artifact,
    ),
    Resource(
        _describe(
            "research-session",
            "Research session",
            "The state of one of your research sessions, as get_research_session returns it.",
            uriTemplate=research_views.SESSION_SCHEME + "{id}",
        ),
        research_views.read_session,
        research_views.complete_session,
        calls_tool=True,
    ),
    Resource(
        _describe(
            "crawl",
            "Crawl",
            "The state of a crawl and its first 100 pages without their text; cinder_get_crawl_status pages them.",
            uriTemplate=research_views.CRAWL_SCHEME + "{id}",
        ),
        research_views.read_crawl,
        research_views.complete_crawl,
        calls_tool=True,
    ),
    *(
        Resource(
            {"uri": SCHEME + view, "name": f"{view}-view", "title": title, "mimeType": MIME_TYPE},
            app_pages.read_page,
            meta={"ui": {"prefersBorder": True}},
            is_listed=False,  # the cards of the tools name it, for clients that draw it
        )
        for view, title in app_pages.TITLES.items()
    ),
)
