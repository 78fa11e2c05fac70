"""Scores a source for a query: relevance, freshness, authority, content quality, each from 0 to 1."""

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Annotated

from pydantic import Field

from assay.evaluation import authority, claim_sentences
from assay.models.common import Output

WEIGHTS = {"relevance": 0.35, "freshness": 0.2, "authority": 0.25, "content_quality": 0.2}
AGES = ((1, 1.0), (7, 0.9), (30, 0.7), (365, 0.5))  # (age in days below which it applies, freshness)
OLD, UNDATED, UNASKED = 0.3, 0.5, 0.5
RECOMMENDED, BEST = 0.6, 3
DOMINANT, WEAK = 0.5, 0.4
REASONS = {
    "authority": "high-authority source",
    "relevance": "closely matches the query",
    "freshness": "recently published",
    "content_quality": "substantial content",
}
WORD = re.compile(r"\w+")
MARK = re.compile(r"[.!?。！？]")


class QualityScore(Output):
    overall: Annotated[float, Field(description="Weighted score, 0 to 1.")]
    relevance: Annotated[float, Field(description="Match with the query, 0 to 1.")]
    freshness: Annotated[float, Field(description="Recency, 0 to 1.")]
    authority: Annotated[float, Field(description="Authority of the source, 0 to 1.")]
    content_quality: Annotated[float, Field(description="Quality of the text, 0 to 1.")]


class Recommendation(Output):
    """A pointer to a good source among those already found; never a new order of them."""

    url: str
    title: str | None = None
    score: Annotated[float, Field(description="Overall quality score, 0 to 1.")]
    reason: Annotated[str, Field(description="Why the source is recommended.")]


def score_source(query: str, *, url: str, title: str, content: str, published: str, today: date) -> QualityScore:
    """Score one source. `published` is an ISO 8601 date or ""; freshness is relative to `today`."""
    parts = {
        "relevance": score_relevance(query, title, content),
        "freshness": score_freshness(published, today),
        "authority": authority.score_authority(url),
        "content_quality": score_content(content),
    }
    overall = sum(WEIGHTS[name] * value for name, value in parts.items())
    return QualityScore(overall=round(overall, 2), **{name: round(value, 2) for name, value in parts.items()})


def score_relevance(query: str, title: str, content: str) -> float:
    """Weigh the share of query words in the title (0.4) and in the content (0.6); words count by their length."""
    query_terms = claim_sentences.extract_terms(query)
    if not query_terms:
        return UNASKED
    total = sum(map(len, query_terms))

    def share(text: str) -> float:
        return sum(map(len, query_terms & claim_sentences.extract_terms(text))) / total

    return min(1.0, 0.4 * share(title) + 0.6 * share(content))


def score_freshness(published: str, today: date) -> float:
    """Score by age in days; an invalid date, or one after tomorrow, counts as undated."""
    try:
        day = _day(published)
    except ValueError:
        return UNDATED
    age = (today - day).days
    if age < -1:
        return UNDATED
    return next((value for days, value in AGES if age < days), OLD)


def _day(published: str) -> date:
    if len(published) == 4:
        published += "-07-01"  # the middle of the year (or month) has the smallest expected error
    elif len(published) == 7:
        published += "-15"
    moment = datetime.fromisoformat(published)
    return (moment.astimezone(UTC) if moment.tzinfo else moment).date()


def score_content(content: str) -> float:
    """Score length, paragraphs, mean word length, links and sentences."""
    words = WORD.findall(content)
    count = count_words(content, words)
    mean = sum(map(len, words)) / len(words) if words else 0.0
    total = 0.3 if count > 500 else 0.2 if count > 200 else 0.1 if count > 50 else 0.0
    total += 0.2 * (sum(1 for part in content.split("\n\n") if part.strip()) > 3)
    total += 0.2 * (3 <= mean <= 10 or count > len(words))
    total += 0.1 * ("http" in content)
    total += 0.2 * (len(MARK.findall(content)) > 5)
    return min(1.0, total)


def count_words(content: str, words: Sequence[str]) -> int:
    """Count words; in scripts without spaces two characters count as one word."""
    characters = sum(len(run) for run in claim_sentences.WIDE.findall(content))
    return len(words) + characters // 2


def recommend_sources(sources: Sequence[tuple[str, str, QualityScore]]) -> list[Recommendation]:
    """Recommend the three best sources above the threshold, each with its strongest reason."""
    good = sorted(
        (source for source in sources if source[2].overall >= RECOMMENDED), key=lambda source: -source[2].overall
    )
    return [
        Recommendation(url=url, title=title or None, score=quality.overall, reason=f"{_reason(quality)} {ADVISORY}")
        for url, title, quality in good[:BEST]
    ]


ADVISORY = "(content-based; advisory only)"


def _reason(quality: QualityScore) -> str:
    return REASONS[max(REASONS, key=lambda name: WEIGHTS[name] * getattr(quality, name))]


def warn_of_dominance(sources: Sequence[tuple[str, int, float]]) -> str | None:
    """Return a warning if a weak source makes up most of the text; `sources` are (url, bytes, overall score)."""
    total = sum(size for _, size, _ in sources)
    for url, size, overall in sources:
        if len(sources) > 1 and overall < WEAK and size > DOMINANT * total:
            return f"Most of the combined text comes from {url}, whose quality score is low ({overall:.2f})."
    return None
