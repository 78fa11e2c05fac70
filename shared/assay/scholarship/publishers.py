"""Where a work stands: at arXiv, PubMed, IEEE, Nature or Springer, by its names and its address."""

from typing import NamedTuple

from assay.models.papers import Paper
from assay.text.url_text import belongs

POOL = (  # where works are looked for when no index of works has an answer
    "arxiv.org", "pubmed.ncbi.nlm.nih.gov", "scholar.google.com", "ieeexplore.ieee.org", "dl.acm.org", "nature.com",
    "sciencedirect.com", "link.springer.com", "researchgate.net", "plos.org", "frontiersin.org", "mdpi.com",
    "wiley.com", "jstor.org", "semanticscholar.org", "biorxiv.org", "medrxiv.org",
)  # fmt: skip


class Origin(NamedTuple):
    hosts: tuple[str, ...]
    prefixes: tuple[str, ...] = ()  # of DOIs
    field: str = ""  # of Paper, which only its works have


ORIGINS = {
    "arxiv": Origin(("arxiv.org",), ("10.48550/arxiv.",), "arxiv_id"),
    "pubmed": Origin(("pubmed.ncbi.nlm.nih.gov", "pmc.ncbi.nlm.nih.gov"), (), "pmid"),
    "ieee": Origin(("ieeexplore.ieee.org",), ("10.1109/",)),
    "nature": Origin(("nature.com",), ("10.1038/",)),
    "springer": Origin(("link.springer.com", "springeropen.com", "biomedcentral.com"), ("10.1007/", "10.1186/")),
}


def stands_at(paper: Paper, source: str) -> bool:
    origin = ORIGINS[source]
    by_name = bool(paper.doi and paper.doi.startswith(origin.prefixes)) if origin.prefixes else False
    by_field = bool(origin.field and getattr(paper, origin.field))
    return by_name or by_field or belongs(paper.url, origin.hosts)


def hosts(source: str) -> tuple[str, ...]:
    """The hosts to look at for works of a source; `all` has a pool of them."""
    return ORIGINS[source].hosts if source in ORIGINS else POOL
