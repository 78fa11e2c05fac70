"""Which tools a client sees and may call: some by name or toolset, without others, or only those that read."""

import difflib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from assay.errors import InvalidInput
from assay.oauth.server_addresses import MCP_PATH, SEARCH_PATH

TOOLSETS = ("core", "research", "scholar", "records", "json", "crawl", "all")
ALWAYS = frozenset({"read_artifact"})  # any tool may return a link; clients without resources need this tool to read it
# Directories reviewed this list: a change of it, or of the schemas of these tools, needs another review.
SEARCH_TOOLS = frozenset({"academic_search", "fetch", "news_search", "scrape_page", "search", "verify_citation"})
YES, NO = frozenset({"1", "true", "yes", "on"}), frozenset({"0", "false", "no", "off", ""})
type Role = Literal["tools", "toolset", "exclude"]


@dataclass(frozen=True)
class ToolSelection:
    """The tools that are listed. `included` and `excluded` are names of tools and toolsets; exclusion prevails.

    A fixed selection has these tools and no other, and their cards do not depend on settings.
    """

    included: frozenset[str] = frozenset({"all"})
    excluded: frozenset[str] = frozenset()
    is_read_only: bool = False
    is_fixed: bool = False

    @property
    def has_all(self) -> bool:
        return "all" in self.included and not self.excluded and not self.is_read_only

    def includes(self, name: str, toolsets: Sequence[str], *, is_read_only: bool) -> bool:
        tags = {name, *toolsets}
        if tags & self.excluded or (self.is_read_only and not is_read_only):
            return False
        return "all" in self.included or bool(tags & self.included) or (name in ALWAYS and not self.is_fixed)


ALL_TOOLS = ToolSelection()
SEARCH_SELECTION = ToolSelection(SEARCH_TOOLS, is_fixed=True)
SELECTIONS = {MCP_PATH: ALL_TOOLS, SEARCH_PATH: SEARCH_SELECTION}  # by the path of an endpoint


def find_endpoint_path(path: str) -> str:
    """The path of the endpoint that a request for this path means. A Function URL answers at any path as at /mcp."""
    path = path.removesuffix("/")
    return path if path in SELECTIONS else MCP_PATH


@lru_cache(64)  # a client's requests all have the same address
def select_tools(
    tools: str = "", *, exclude: str = "", readonly: str = "", known: tuple[str, ...] = ()
) -> ToolSelection:
    """Parse comma-separated names of tools and toolsets, such as `core,patent_search`. Raises InvalidInput.

    `known` are the names of the tools that there are.
    """
    included = _parse_names(tools, "tools", {*TOOLSETS, *known})
    excluded = _parse_names(exclude, "exclude", {*TOOLSETS, *known} - {"all"})
    return ToolSelection(included or ALL_TOOLS.included, excluded, is_switched_on(readonly, "readonly"))


def is_switched_on(text: str, field: str) -> bool:
    """Parse the value of a switch in an address. Raises InvalidInput."""
    value = text.strip().lower()
    if value not in YES | NO:
        raise InvalidInput(f"{field} is 1 or 0.", field=field, alternatives=("1", "0"))
    return value in YES


def _parse_names(text: str, field: str, known: Collection[str]) -> frozenset[str]:
    names = frozenset(word.strip().lower() for word in text.split(",") if word.strip())
    if unknown := sorted(names.difference(known)):
        sets = [name for name in TOOLSETS if name in known]
        near = difflib.get_close_matches(unknown[0][:60], known, n=3)
        way = f"Did you mean {' or '.join(near)}?" if near else f"The toolsets are {', '.join(sets)}."
        raise InvalidInput(
            f"There is no tool or toolset {unknown[0][:60]!r}. {way}", field=field, alternatives=near or sets
        )
    return names
