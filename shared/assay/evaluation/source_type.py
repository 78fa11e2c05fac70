"""Classifies a page's source type, authority tier and subject; the classes are heuristic."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from assay.evaluation import authority, known_hosts
from assay.text.short_text_cache import cache_short

type SourceType = Literal[
    "peer_reviewed",
    "official_docs",
    "government",
    "news_publication",
    "blog",
    "forum",
    "wiki",
    "social_media",
    "unknown",
]
type DomainCategory = Literal["academic", "legal", "medical", "financial", "technical", "general"]

BY_TYPE: dict[str, SourceType] = {
    "scholarlyarticle": "peer_reviewed",
    "medicalscholarlyarticle": "peer_reviewed",
    "newsarticle": "news_publication",
    "reportagenewsarticle": "news_publication",
    "analysisnewsarticle": "news_publication",
    "opinionnewsarticle": "news_publication",
    "backgroundnewsarticle": "news_publication",
    "reviewnewsarticle": "news_publication",
    "liveblogposting": "news_publication",
    "governmentservice": "government",
    "governmentorganization": "government",
    "legislation": "government",
    "blogposting": "blog",
    "blog": "blog",
    "techarticle": "official_docs",
    "apireference": "official_docs",
    "discussionforumposting": "forum",
    "qapage": "forum",
    "socialmediaposting": "social_media",
}
PAPER_FIELDS = {"citation_doi", "citation_journal_title", "citation_author", "citation_title"}
BY_LENS: dict[str, DomainCategory] = {
    "academic": "academic",
    "academic-extended": "academic",
    "science": "academic",
    "legal": "legal",
    "medical": "medical",
    "clinical": "medical",
    "finance": "financial",
    "programming": "technical",
    "tech": "technical",
    "security": "technical",
    "devops": "technical",
}
HOST_ORDER: tuple[SourceType, ...] = (
    "wiki",
    "official_docs",
    "peer_reviewed",
    "government",
    "news_publication",
    "forum",
    "social_media",
    "blog",
)
CATEGORIES: tuple[DomainCategory, ...] = ("legal", "medical", "financial", "technical", "academic")


class Classes(NamedTuple):
    source_type: SourceType
    authority_tier: authority.Tier
    domain_category: DomainCategory


def classify(
    url: str, *, types: Sequence[str] = (), structured: Mapping[str, Any] | None = None, lens: str | None = None
) -> Classes:
    """Classify the page at `url` by source type, authority tier and subject.

    `types` are its JSON-LD types in lower case, `structured` its structured data as in tool results.
    """
    name = known_hosts.parse_host(url)
    return Classes(
        source_type=_declared_type(types, structured or {}) or classify_host(name),
        authority_tier=authority.to_tier(authority.score_host(name)),
        domain_category=BY_LENS.get(lens or "") or categorize_host(name),
    )


def _declared_type(types: Sequence[str], structured: Mapping[str, Any]) -> SourceType | None:
    """Return the declared type. `citation_*` meta tags take precedence over JSON-LD types: only papers have them."""
    citation = structured.get("citation") or {}
    if not PAPER_FIELDS.isdisjoint(citation):
        return "peer_reviewed"
    return next((BY_TYPE[kind] for kind in types if kind in BY_TYPE), None)


@cache_short(1024)
def classify_host(name: str) -> SourceType:
    """Return the usual source type of a host."""
    known = known_hosts.load_domains_by_kind("source_types")
    for parent in known_hosts.iterate_parent_domains(
        name
    ):  # a host's own entry takes precedence over its parent domain's
        for kind in HOST_ORDER:
            if parent in known[kind]:
                return kind
    if known_hosts.is_government(name):
        return "government"
    if known_hosts.is_academic(name):
        return "peer_reviewed"
    first = name.partition(".")[0]
    if first in ("docs", "developer", "developers"):
        return "official_docs"
    if first == "blog":
        return "blog"
    return "forum" if first in ("forum", "forums", "community", "discuss") else "unknown"


@cache_short(1024)
def categorize_host(name: str) -> DomainCategory:
    """Return the subject of a host; `general` if unknown."""
    known = known_hosts.load_domains_by_kind("categories")
    for parent in known_hosts.iterate_parent_domains(name):
        for kind in CATEGORIES:
            if parent in known[kind]:
                return kind
    return "academic" if known_hosts.is_academic(name) else "general"


def is_journal(url: str) -> bool:
    """Return whether the host publishes scholarly papers."""
    return _is_journal_host(known_hosts.parse_host(url))


@cache_short(1024)
def _is_journal_host(name: str) -> bool:
    return known_hosts.is_in_domains(name, known_hosts.load_domains_by_kind("source_types")["peer_reviewed"])
