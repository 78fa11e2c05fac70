"""How a discussion was received: votes, answers, author and date, out of what a page says for machines."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from assay.net.urls import host_of

LITTLE = 20  # votes
SWAYED = (
    "Fewer than 20 votes: a handful of accounts could have made this score, so it says little of how readers took it."
)
POSTINGS = frozenset(("discussionforumposting", "socialmediaposting"))
UPVOTES = ("likeaction", "voteaction", "agreeaction", "upvoteaction")
COMMENTS = ("commentaction", "replyaction")
SHORT = re.compile(r"([\d.]+)\s*([km])\+?", re.IGNORECASE)
DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ][\d:.]+(?:Z|[+-]\d{2}:?\d{2})?)?")
DEPTH = 6


def is_reddit(url: str) -> bool:
    host = host_of(url)
    return host == "reddit.com" or host.endswith(".reddit.com")


def signals_of(structured: Mapping[str, Any] | None, url: str) -> dict[str, Any] | None:
    """The forumSignals of a page of Reddit from its `jsonLd`, None where it has none.

    `{platform, upvotes, comments, datePublished?, authorName?, credibilityNote?}`.
    """
    if not structured or not is_reddit(url):
        return None
    posting = next((node for node in _nodes(structured.get("jsonLd")) if POSTINGS & set(_types(node))), None)
    if posting is None:
        return None
    counts = _counts(posting)
    upvotes = next((counts[kind] for kind in UPVOTES if kind in counts), _count(posting.get("upvoteCount")))
    comments = next((counts[kind] for kind in COMMENTS if kind in counts), _count(posting.get("commentCount")))
    return signals(upvotes or 0, comments or 0, _date(posting.get("datePublished")), _name(posting.get("author")))


def signals(upvotes: int, comments: int, published: str, author: str) -> dict[str, Any]:
    """The shape that callers see; what is empty is left out, and a small score is told as such."""
    told: dict[str, Any] = {"platform": "reddit", "upvotes": upvotes, "comments": comments}
    if published:
        told["datePublished"] = published
    if author:
        told["authorName"] = author
    if upvotes < LITTLE:
        told["credibilityNote"] = SWAYED
    return told


def _nodes(value: Any, depth: int = 0) -> Iterator[dict[str, Any]]:
    if depth > DEPTH:
        return
    if isinstance(value, list):
        for inner in value[:50]:
            yield from _nodes(inner, depth + 1)
    elif isinstance(value, dict):
        yield value
        for name in ("@graph", "mainEntity", "mainEntityOfPage"):
            yield from _nodes(value.get(name), depth + 1)


def _types(node: Any) -> list[str]:
    """Names of types in lower case, without vocabulary, of a node or of a type's own address."""
    said = node.get("@type") or node.get("@id") if isinstance(node, dict) else node
    listed = said if isinstance(said, list) else [said]
    return [re.split(r"[/#:]", one)[-1].strip().lower() for one in listed if isinstance(one, str)]


def _counts(posting: dict[str, Any]) -> dict[str, int]:
    """How often each kind of interaction happened; a counter may stand alone or in a list, in any of its shapes."""
    said = posting.get("interactionStatistic")
    found: dict[str, int] = {}
    for counter in said[:50] if isinstance(said, list) else [said]:
        if not isinstance(counter, dict):
            continue
        count = _count(counter.get("userInteractionCount"))
        kinds = _types(counter.get("interactionType")) or _types(counter.get("name"))
        if count is not None:
            found |= {kind: count for kind in kinds if kind not in found}
    return found


def _count(value: Any) -> int | None:
    """A count as a number or as text: `1234`, `"1,234"`, `"1.2k"`, a node that holds one. Never below zero."""
    if isinstance(value, dict):
        value = value.get("@value", value.get("value"))
    if isinstance(value, str):
        value = _number(value.strip().replace(",", ""))
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 2**53:
        return 0 if isinstance(value, int | float) and not isinstance(value, bool) and value < 0 else None
    return int(value)


def _number(text: str) -> float | None:
    short = SHORT.fullmatch(text)
    try:
        if short:
            return float(short[1]) * (1_000 if short[2].lower() == "k" else 1_000_000)
        return float(text)
    except ValueError:
        return None


def _name(author: Any) -> str:
    from assay.scraping.outside import line

    if isinstance(author, list):
        return next((name for one in author[:10] if (name := _name(one))), "") if len(author) else ""
    if isinstance(author, dict):
        author = author.get("name") or author.get("alternateName")
    return line(author, 100)


def _date(value: Any) -> str:
    text = value.strip()[:40] if isinstance(value, str) else ""
    return text if DATE.fullmatch(text) else ""
