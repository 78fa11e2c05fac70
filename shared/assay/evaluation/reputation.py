"""Looks up a host's reliability in a short curated list."""

from assay.evaluation import known_hosts
from assay.models.common import DomainReputation


def find_reputation(url: str) -> DomainReputation | None:
    """Return the entry of the URL's host or its nearest listed parent domain; None means unknown, not unreliable."""
    known = known_hosts.load_table("reputation")
    for domain in known_hosts.iterate_parent_domains(known_hosts.parse_host(url)):
        if entry := known["domains"].get(domain):
            return DomainReputation(tier=entry["tier"], basis=known["basis"], note=entry.get("note"))
    return None
