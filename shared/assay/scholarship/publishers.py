"""Publishers and archives of works, recognised by DOI prefix, identifier or host."""

from typing import NamedTuple

from assay.models.papers import Paper
from assay.text.url_text import is_in_domains

SCHOLARLY_HOSTS = (  # searched on the web when no scholarly index has a result
    "arxiv.org", "pubmed.ncbi.nlm.nih.gov", "scholar.google.com", "ieeexplore.ieee.org", "dl.acm.org", "nature.com",
    "sciencedirect.com", "link.springer.com", "researchgate.net", "plos.org", "frontiersin.org", "mdpi.com",
    "wiley.com", "jstor.org", "semanticscholar.org", "biorxiv.org", "medrxiv.org",
)  # fmt: skip


class Origin(NamedTuple):
    """How works of one publisher or archive are recognised."""

    hosts: tuple[str, ...]
    prefixes: tuple[str, ...] = ()  # of DOIs
    field: str = ""  # of Paper, set only for works of this archive


ORIGINS = {
    "arxiv": Origin(("arxiv.org",), ("10.48550/arxiv.",), "arxiv_id"),
    "pubmed": Origin(("pubmed.ncbi.nlm.nih.gov", "pmc.ncbi.nlm.nih.gov"), (), "pmid"),
    "ieee": Origin(("ieeexplore.ieee.org",), ("10.1109/",)),
    "nature": Origin(("nature.com",), ("10.1038/",)),
    "springer": Origin(("link.springer.com", "springeropen.com", "biomedcentral.com"), ("10.1007/", "10.1186/")),
}


def is_from(paper: Paper, source: str) -> bool:
    """Whether the work is from the publisher or archive `source`, a key of ORIGINS."""
    origin = ORIGINS[source]
    by_name = bool(paper.doi and paper.doi.startswith(origin.prefixes)) if origin.prefixes else False
    by_field = bool(origin.field and getattr(paper, origin.field))
    return by_name or by_field or is_in_domains(paper.url, origin.hosts)


def list_hosts(source: str) -> tuple[str, ...]:
    """The hosts to search for works of a source; for `all`, the scholarly hosts."""
    return ORIGINS[source].hosts if source in ORIGINS else SCHOLARLY_HOSTS
