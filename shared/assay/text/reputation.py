"""What is known of a host's reliability: a short list made by hand, with the basis of each entry."""

from assay.models import DomainReputation
from assay.text import hosts


def reputation(url: str) -> DomainReputation | None:
    """The entry of the host of `url`, else of the nearest domain above it; None, which means unknown, not bad."""
    known = hosts.table("reputation")
    for domain in hosts.lineage(hosts.host(url)):
        if entry := known["domains"].get(domain):
            return DomainReputation(tier=entry["tier"], basis=known["basis"], note=entry.get("note"))
    return None
