"""Whether a client shows app views (MCP Apps), and what a list of tools contains for such a client.

The views are in a module of their own, which is imported when a client asks for one.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from assay.entrypoints.mcp.protocol_versions import PREFIX

APPS = PREFIX + "ui"
MIME_TYPE = "text/html;profile=mcp-app"
SCHEME = "ui://assay/"
VIEWS = {  # of the answers of a tool
    "audit_bibliography": "audit",
    "audit_document": "audit",
    "get_research_session": "session",
    "cinder_crawl": "crawl",
    "cinder_get_crawl_status": "crawl",
}
CAPABILITIES: Mapping[str, Any] = {"extensions": {APPS: {}}}


def declares_apps(capabilities: object) -> bool:
    """Whether the capabilities of a client have the extension, with the type of our views."""
    extensions = capabilities.get("extensions") if isinstance(capabilities, Mapping) else None
    declared = extensions.get(APPS) if isinstance(extensions, Mapping) else None
    types = declared.get("mimeTypes") if isinstance(declared, Mapping) else None
    return isinstance(types, list) and MIME_TYPE in types


def link_views(cards: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The cards, those of tools with a view with its address."""
    return [_link_view(card, VIEWS[card["name"]]) if card["name"] in VIEWS else card for card in cards]


def _link_view(card: Mapping[str, Any], view: str) -> dict[str, Any]:
    meta: Mapping[str, Any] = card.get("_meta", {})
    return {**card, "_meta": {**meta, "ui": {"resourceUri": SCHEME + view}}}
