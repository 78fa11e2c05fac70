"""Looks up hosts and their parent domains in curated lists."""

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from assay.text.short_text_cache import cache_short
from assay.text.url_parts import split_url

# Countries that reserve the second-level label for governments or universities.
GOVERNMENT = {"gov", "gob", "gouv", "gub", "govt", "mil", "guv"}
GO = {"jp", "kr", "id", "th", "tz", "ke", "ug", "cr"}
AC = {"uk", "jp", "kr", "in", "nz", "za", "il", "at", "th", "id", "ir", "cn", "be", "ke", "rs", "cy", "lk", "bd", "ma"}


@cache_short(1024)
def parse_host(url: str) -> str:
    """Return the host of a URL in lower case, without `www.` and the trailing dot; "" if it has none."""
    try:
        name = split_url(url if "//" in url else f"//{url}").hostname or ""
    except ValueError:
        return ""
    return name.rstrip(".").removeprefix("www.")


def iterate_parent_domains(name: str) -> Iterator[str]:
    """Yield the host and its parent domains: `a.b.org`, `b.org`, `org`."""
    while name:
        yield name
        name = name.partition(".")[2]


def is_in_domains(name: str, domains: Iterable[str]) -> bool:
    """Return whether the host is one of these domains or a subdomain of one."""
    return any(parent in domains for parent in iterate_parent_domains(name))


def is_government(name: str) -> bool:
    labels = name.split(".")
    if labels[-1] in ("gov", "mil"):
        return True
    if len(labels) < 2 or len(labels[-1]) != 2:
        return False
    return labels[-2] in GOVERNMENT or (labels[-2] == "go" and labels[-1] in GO)


def is_academic(name: str) -> bool:
    labels = name.split(".")
    if labels[-1] == "edu":
        return True
    if len(labels) < 3 or len(labels[-1]) != 2:
        return False
    return labels[-2] == "edu" or (labels[-2] == "ac" and labels[-1] in AC)


@cache
def load_table(name: str) -> Mapping[str, Any]:
    """Load `hosts.json` or `reputation.json`."""
    read: Mapping[str, Any] = json.loads((Path(__file__).parent / f"{name}.json").read_text("utf-8"))
    return read


@cache
def load_domains_by_kind(list_name: str) -> Mapping[str, frozenset[str]]:
    """Return a list of `hosts.json` as domains by kind."""
    return {kind: frozenset(domains) for kind, domains in load_table("hosts")[list_name].items()}
