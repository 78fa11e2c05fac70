"""Scopes of OAuth tokens: `tool:*`, `tool:<name>`, the names of toolsets, and `admin`."""

import re
from collections.abc import Iterable

from assay.oauth.oauth_errors import OAuthError

TOOLSET_SCOPES = ("core", "research", "scholar", "records", "json", "crawl")
SUPPORTED = ("tool:*", *TOOLSET_SCOPES)
DEFAULT = "tool:*"
ADMIN = "admin"  # not in SUPPORTED, because clients ask for all scopes that the metadata list; no other scope covers it
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
    ADMIN: "Administer the data, keys and settings of the whole tenant",
}


def parse_scopes(text: str) -> frozenset[str]:
    """The requested scopes; `tool:*` when none is named. Raises OAuthError for unknown ones."""
    if len(text) > LONGEST:
        raise OAuthError("invalid_scope", "The scope is too long.")
    words = set(text.split()) - IGNORED
    unknown = sorted(word for word in words if word not in (*SUPPORTED, ADMIN) and not TOOL.fullmatch(word))
    if unknown:
        raise OAuthError("invalid_scope", f"Unknown scope. The scopes are tool:<name>, {', '.join(SUPPORTED)}.")
    return frozenset(words or {DEFAULT})


def check_client_scopes(scopes: frozenset[str], client: str, trusted_client: str) -> None:
    """Raises OAuthError for `admin`, unless the client is the one that comes with the server.

    All other clients register themselves, so anybody could ask an administrator for consent under any name.
    """
    if ADMIN in scopes and client != trusted_client:
        raise OAuthError("invalid_scope", f"The scope {ADMIN} is granted to {trusted_client} only.")


def narrow(wanted: frozenset[str], owned: frozenset[str]) -> frozenset[str]:
    """The part of the wanted scopes that the owned ones cover; of `tool:*` that is all that is owned, save `admin`."""
    tools, owned_tools = wanted - {ADMIN}, owned - {ADMIN}
    if not owned & EVERYTHING:
        tools = owned_tools if wanted & EVERYTHING else tools & owned_tools
    return tools | (wanted & owned & {ADMIN})


def is_covered(wanted: frozenset[str], owned: frozenset[str]) -> bool:
    """Whether the owned scopes allow everything that the wanted ones do."""
    return narrow(wanted, owned) == wanted


def format_scopes(scopes: Iterable[str]) -> str:
    return " ".join(sorted(scopes))


def describe_scope(scope: str) -> str:
    """The scope in plain words."""
    return DESCRIPTIONS.get("tool:*" if scope in EVERYTHING else scope) or f"Use the tool {scope.removeprefix('tool:')}"
