"""Describes what a session's sources cover, and proposes queries that would widen them."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from assay.evaluation.known_hosts import parse_host
from assay.evaluation.source_type import classify
from assay.sessions.research import truncate_line
from assay.text.tokenize import extract_terms

DOMINANT = 0.6  # share of the sources from which on one domain is dominant
FEW_SOURCES, FEW_DOMAINS = 3, 3
MAX_QUERIES, GOAL_WORDS, GAP_WORDS, MAX_QUERY_CHARS = 6, 6, 6, 300
RECENT = re.compile(
    r"\b(?:recent\w*|latest|current\w*|newest|today|this year|up[- ]to[- ]date|(20[012]\d))\b", re.IGNORECASE
)
AFTER = re.compile(r" after:(\d{4})$")
WIDER: Mapping[str, str] = {"peer_reviewed": "review OR commentary", "news_publication": "study OR report"}
ELSEWHERE = "research OR statistics"


def measure_coverage(sources: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return counts of sources, domains and source types; `gaps` describes where they are few."""
    domains = Counter(parse_host(source["url"]) for source in sources)
    kinds = Counter(_classify_source(source) for source in sources)
    count = len(sources)
    name, most = domains.most_common(1)[0] if domains else ("", 0)
    dominant = name if count >= FEW_SOURCES and most / count > DOMINANT else None
    return {
        "sourceCount": count,
        "uniqueDomains": len(domains),
        "domainSpread": round(len(domains) / count, 2) if count else 0.0,
        "dominantDomain": dominant,
        "sourceTypes": dict(sorted(kinds.items())),
        "gaps": _list_gaps(count, len(domains), dominant, most, kinds),
    }


def _classify_source(source: Mapping[str, Any]) -> str:
    if source.get("doi") or source.get("relevance") == "academic":
        return "peer_reviewed"
    return classify(source["url"]).source_type


def _list_gaps(count: int, domains: int, dominant: str | None, most: int, kinds: Mapping[str, int]) -> list[str]:
    if not count:
        return ["No source has been recorded yet; pass the sessionId to the search and scrape tools."]
    gaps = [f"Only {count} source{'s' if count > 1 else ''} so far."] if count < FEW_SOURCES else []
    if domains < FEW_DOMAINS <= count:
        gaps.append(f"The sources come from only {domains} domain{'s' if domains > 1 else ''}.")
    if dominant:
        gaps.append(f"{most} of {count} sources come from {dominant}.")
    if len(kinds) == 1 and count >= FEW_SOURCES:
        gaps.append(f"All sources are of one kind ({next(iter(kinds))}).")
    return gaps


def suggest_queries(goal: str, gaps: Sequence[str], covered: Mapping[str, Any], year: int) -> list[str]:
    """Return at most six queries: one per gap (newest first), one for other domains, one for other source types."""
    subject = _build_subject(goal)
    queries = [_build_gap_query(subject, gap, year) for gap in reversed(gaps)][: MAX_QUERIES - 2]
    if covered["dominantDomain"]:
        queries.append(f"{subject} -site:{covered['dominantDomain']}")
    kinds = list(covered["sourceTypes"])
    if len(kinds) == 1:
        queries.append(f"{subject} {WIDER.get(kinds[0], ELSEWHERE)}")
    if not covered["sourceCount"]:
        queries.append(subject)
    return list(dict.fromkeys(queries))[:MAX_QUERIES]


def _build_subject(goal: str) -> str:
    """Return a short goal as a phrase; of a long goal only its significant words, since no page quotes it."""
    words = goal.replace('"', " ").split()
    if len(words) <= GOAL_WORDS:
        return f'"{" ".join(words)}"' if len(words) > 1 else " ".join(words)
    return truncate_line(
        " ".join(list(dict.fromkeys(extract_terms(goal)))[: GOAL_WORDS + 2]), MAX_QUERY_CHARS
    ) or truncate_line(goal, MAX_QUERY_CHARS)


def _build_gap_query(subject: str, gap: str, year: int) -> str:
    known = set(extract_terms(subject))
    new = list(dict.fromkeys(term for term in extract_terms(gap) if term not in known))[:GAP_WORDS]
    query = truncate_line(" ".join([subject, *new]), MAX_QUERY_CHARS)
    match = RECENT.search(gap)
    return f"{query} after:{int(match[1]) - 1 if match[1] else year - 1}" if match else query
