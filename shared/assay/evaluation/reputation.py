"""Looks up a host's reliability in a short curated list."""

from collections.abc import Mapping
from typing import Any

from assay.evaluation import known_hosts
from assay.models.common import DomainReputation
from assay.text.short_text_cache import cache_short


def find_reputation(url: str) -> DomainReputation | None:
    """Return the entry of the URL's host or its nearest listed parent domain; None means unknown, not unreliable."""
    entry = find_entry(known_hosts.parse_host(url))
    if entry is None:
        return None
    basis = known_hosts.load_table("reputation")["basis"]
    return DomainReputation(tier=entry["tier"], basis=basis, note=entry.get("note"))


@cache_short(1024)
def find_entry(name: str) -> Mapping[str, Any] | None:
    """Return the entry of the host or its nearest listed parent domain as in `reputation.json`."""
    listed = known_hosts.load_table("reputation")["domains"]
    return next((listed[parent] for parent in known_hosts.iterate_parent_domains(name) if parent in listed), None)
