"""Ranking of pages as sources for a query: quality scores, evidence for a claim, and deduplicated text."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field

from assay.evaluation import claim_evidence, claim_sentences, source_quality, source_type
from assay.evaluation.reputation import find_reputation
from assay.evaluation.source_quality import QualityScore
from assay.models.common import (
    TRUST,
    AccessNote,
    AuthorityLevel,
    ContentFormat,
    DetectedDoi,
    HostReputation,
    Output,
    RecordedRetraction,
    Source,
    SourceKind,
    SourceSubject,
    Trust,
)
from assay.scraping.page import Page
from assay.text.combined_text import SeenParagraphs, TextPart, fit_text
from assay.text.word_count import count_words

EVIDENCE = 300_000  # characters of a page that are searched for evidence


class SourceResult(Output):
    """A page as a source. `scores` are those of the content shown here."""

    url: str
    title: str | None = None
    content: str
    content_type: ContentFormat
    trust: Trust = TRUST
    scores: Annotated[QualityScore, Field(description="Quality of the source by its content shown here.")]
    source_type: SourceKind
    authority_tier: AuthorityLevel
    domain_category: SourceSubject
    source_reputation: HostReputation = None
    published_at: Annotated[str | None, Field(description="When it was published.")] = None
    extraction_quality: Annotated[
        Literal["complete", "partial"], Field(description="partial: less than the whole text could be read.")
    ]
    access_note: AccessNote = None
    word_count: int
    truncated: Annotated[bool | None, Field(description="Whether the text was cut.")] = None
    total_length: Annotated[int | None, Field(description="Bytes of the whole page, if truncated.")] = None
    detected_doi: DetectedDoi = None
    retraction_status: RecordedRetraction = None
    claim_signal: Annotated[
        str | None, Field(description="The sentence that bears most on the claim; empty if none does.")
    ] = None
    key_sentences: Annotated[
        list[str] | None, Field(description="Sentences that bear on the claim; evidence, not a verdict.")
    ] = None


@dataclass(frozen=True)
class SourceQuery:
    """The query and options. `max_bytes` limits the text per source; `today` is the reference date for recency."""

    query: str
    claim: str | None
    max_bytes: int
    once: bool  # omit repeated paragraphs
    today: date


class Visited(NamedTuple):
    """A page with the title and date from the search result."""

    page: Page
    title: str
    published: str


class RankedSource(NamedTuple):
    """A page, its result fields, and its text without paragraphs of earlier sources."""

    page: Page
    result: SourceResult
    part: TextPart


def rank_sources(question: SourceQuery, visited: Sequence[Visited]) -> list[RankedSource]:
    """Sort by score, best first; with `once`, a paragraph appears only in the first source that has it."""
    every = [_read(question, each) for each in visited]
    every.sort(key=lambda each: -each.result.scores.overall)
    seen = SeenParagraphs()
    return [each._replace(part=_drop_repeats(each.part, seen)) for each in every] if question.once else every


def build_source(page: Page) -> Source:
    """The source record of a page for a research session."""
    return Source(
        url=page.url,
        title=page.title or None,
        author="; ".join(page.authors) or None,
        date=page.published or None,
        relevance="scraped",
        doi=page.detected_doi,
    )


def _read(question: SourceQuery, visited: Visited) -> RankedSource:
    page = visited.page
    content, truncated = fit_text(
        SeenParagraphs().fresh(page.content) if question.once else page.content, question.max_bytes
    )
    title, published = page.title or visited.title, page.published or visited.published
    classes = source_type.classify(page.url, types=page.types, structured=page.structured)
    result = SourceResult(
        url=page.url,
        title=title or None,
        content=content,
        content_type=page.content_type,
        scores=source_quality.score_source(
            question.query, url=page.url, title=title, content=content, published=published, today=question.today
        ),
        source_type=classes.source_type,
        authority_tier=classes.authority_tier,
        domain_category=classes.domain_category,
        source_reputation=find_reputation(page.url),
        published_at=published or None,
        extraction_quality=page.quality,
        access_note=page.access_note,
        word_count=count_words(content),
        truncated=truncated or None,
        total_length=len(page.content.encode()) if truncated else None,
        detected_doi=page.detected_doi,
        retraction_status=page.retraction,
        **(_find_evidence(question.claim, page.content[:EVIDENCE]) if question.claim else {}),
    )
    return RankedSource(page, result, TextPart(page.url, content))


def _find_evidence(claim: str, text: str) -> dict[str, Any]:
    return {
        "claim_signal": claim_sentences.find_relevant_sentence(claim, [text]) or None,
        "key_sentences": claim_evidence.find_key_sentences(claim, text) or None,
    }


def _drop_repeats(part: TextPart, seen: SeenParagraphs) -> TextPart:
    return TextPart(part.url, seen.fresh(part.text))
