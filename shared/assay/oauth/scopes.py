"""Scopes of OAuth tokens: `tool:*`, `tool:<name>`, and the names of toolsets."""

import re
from collections.abc import Iterable

from assay.oauth.oauth_errors import OAuthError

TOOLSET_SCOPES = ("core", "research", "scholar", "records", "json", "crawl")
SUPPORTED = ("tool:*", *TOOLSET_SCOPES)
DEFAULT = "tool:*"
TOOL = re.compile(r"tool:[a-z0-9_]{1,64}")
IGNORED = frozenset({"offline_access", "openid", "profile", "email"})  # clients send them from habit
LONGEST = 2_000
EVERYTHING = frozenset({"*", "tool:*"})

DESCRIPTIONS = {
    "tool:*": "Use every tool",
    "core": "Search the web and read pages",
    "research": "Use the tools for research",
    "scholar": "Use the tools for scholarly sources",
    "records": "Use the tools for public records",
    "json": "Use the tools that answer JSON",
    "crawl": "Crawl web sites",
}


def parse_scopes(text: str) -> frozenset[str]:
    """The requested scopes; `tool:*` when none is named. Raises OAuthError for unknown ones."""
    if len(text) > LONGEST:
        raise OAuthError("invalid_scope", "The scope is too long.")
    words = set(text.split()) - IGNORED
    unknown = sorted(word for word in words if word not in SUPPORTED and not TOOL.fullmatch(word))
    if unknown:
        raise OAuthError("invalid_scope", f"Unknown scope. The scopes are tool:<name>, {', '.join(SUPPORTED)}.")
    return frozenset(words or {DEFAULT})


def narrow(wanted: frozenset[str], owned: frozenset[str]) -> frozenset[str]:
    """The part of the wanted scopes that the owned ones cover; of `tool:*` that is all that is owned."""
    if owned & EVERYTHING:
        return wanted
    return owned if wanted & EVERYTHING else wanted & owned


def format_scopes(scopes: Iterable[str]) -> str:
    return " ".join(sorted(scopes))


def describe_scope(scope: str) -> str:
    """The scope in plain words."""
    return DESCRIPTIONS.get(scope) or f"Use the tool {scope.removeprefix('tool:')}"
