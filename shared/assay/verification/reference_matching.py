"""Finds the work that a printed reference names, in Crossref, OpenAlex and CourtListener.

A match needs agreement of the title and, where the reference gives authors, of an author.
"""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from assay.bibliography.person_names import name
from assay.context import Context
from assay.errors import ToolError
from assay.models.papers import Paper
from assay.provider_base.results import Hits
from assay.providers.crossref import Crossref
from assay.verification import title_matching
from assay.verification.bounded_gather import with_deadline
from assay.verification.title_matching import Confidence, contains_title, fold, measure_overlap, title_words

CANDIDATES = 5
RANKS: Sequence[Confidence] = ("none", "low", "medium", "high")
YEARS = re.compile(r"\b(1[5-9]\d\d|20\d\d)\b")
BY = re.compile(r"\W{0,3}(?:by|von|par|por|de|di)\s+[^\W\d_]{2,}")
AUTHOR_CHARS = 60  # characters at the start that name authors, if the title cannot be separated
MIN_EXTRA_WORDS = 2  # words besides the title from which on a text is more than a title


@dataclass(frozen=True)
class Reference:
    """A reference as free text, or in parts from which the text is built."""

    text: str
    title: str | None = None
    authors: tuple[str, ...] = ()
    year: str = ""
    container: str = ""

    @classmethod
    def of_text(cls, text: str) -> "Reference":
        text = " ".join(text.split())
        return cls(text, title_matching.extract_title(text))

    @classmethod
    def of_parts(cls, title: str, authors: Sequence[str] = (), year: str = "", container: str = "") -> "Reference":
        parts = [", ".join(authors), f"({year})" if year else "", title, container]
        return cls(". ".join(part for part in parts if part), title, tuple(authors), year[:4], container)


class Match(NamedTuple):
    paper: Paper
    confidence: Confidence
    reason: str  # what agrees and what does not


@dataclass
class Matches:
    """The candidates' outcome. `answered` is False if no index answered: then nothing is known."""

    best: Match | None = None
    candidates: list[Match] = field(default_factory=list)  # all that the indexes returned
    answered: bool = False
    missed: bool = False  # the index that covers such works did not answer
    searched: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


async def match_reference(ctx: Context, reference: Reference) -> Matches:
    """Return the best match from all indexes, queried concurrently."""
    matches = Matches()
    *lists, courts = await asyncio.gather(
        _search_crossref(ctx, reference, matches),
        _search_openalex(ctx, reference, matches),
        _search_courts(ctx, reference, matches),
    )
    candidates = [paper for papers in lists for paper in papers if not _is_notice(paper, reference)]
    graded = [*courts, *(grade_match(reference, paper) for paper in candidates)]
    matches.candidates = graded
    matches.best = max(graded, key=lambda match: _rank(reference, match), default=None)
    matches.answered = matches.answered and not (matches.missed and _is_weak(matches.best))
    return matches


def _is_weak(match: Match | None) -> bool:
    return match is None or match.confidence in ("none", "low")


def grade_match(reference: Reference, paper: Paper) -> Match:
    """Grade how surely the reference means this work.

    `high` needs the whole title in both directions and no contradiction: if the reference names authors, one must be
    the record's. A partial title, or a title with other authors, is `medium`.
    """
    overlap = measure_overlap(reference.text, paper.title)
    share = f"{overlap.forward:.0%} of the record's title words are in the reference"
    if overlap.confidence != "high":
        return Match(paper, overlap.confidence, f"{share}.")
    if not _has_title(reference, paper):
        return Match(paper, "medium", f"{share}, but its title differs.")
    agreed = _authors_agree(reference, paper)
    if agreed is False:
        return Match(paper, "medium", f"{share}, but none of the record's authors is.")
    if reference.title and title_matching.has_exchanged_word(reference.title, paper.title):
        return Match(paper, "medium", f"{share}, but one title word replaces another.")
    if reference.title and not agreed and measure_overlap(reference.title, paper.title).absent:
        return Match(paper, "medium", f"{share}, but the reference's title has words that the record lacks.")
    return Match(paper, "high", f"{share}{', and so is an author' if agreed else ''}.")


def _has_title(reference: Reference, paper: Paper) -> bool:
    if contains_title(title_matching.strip_retraction_prefix(paper.title), reference.text):
        return True
    if reference.title is None:
        beyond = title_words(reference.text) - title_words(paper.title)
        return len(beyond) < MIN_EXTRA_WORDS
    overlap = measure_overlap(reference.title, paper.title)
    return overlap.forward >= title_matching.HIGH_OVERLAP and overlap.back >= title_matching.HIGH_OVERLAP


def _authors_agree(reference: Reference, paper: Paper) -> bool | None:
    """Return whether an author of the record is named; None if the reference or the record names no author."""
    families = [fold(name(author).family) for author in paper.authors or ()]
    families = [family for family in families if len(family) > 1]
    text = fold(" ".join(reference.authors) or _text_without_title(reference, paper))
    words = set(title_matching.WORD.findall(text))
    if any(set(title_matching.WORD.findall(family)) <= words for family in families):
        return True
    if not families or not (reference.authors or _names_author(reference, paper)):
        return None
    return False


def _text_without_title(reference: Reference, paper: Paper) -> str:
    """Return the reference without the title, so that a name in the title is not taken for an author."""
    own = reference.title or paper.title
    return re.sub(re.escape(fold(own)), " ", fold(reference.text))


def _names_author(reference: Reference, paper: Paper) -> bool:
    """Return whether the reference names a person: words before the title that are not numbers, or "by …" after it."""
    before, found, behind = fold(reference.text).partition(fold(reference.title or paper.title))
    if not found:
        before = _text_without_title(reference, paper)[:AUTHOR_CHARS]
    known = title_words(paper.title) | title_words(paper.journal or "")
    return bool(title_words(YEARS.sub(" ", before)) - known) or bool(BY.match(behind))


def _is_notice(paper: Paper, reference: Reference) -> bool:
    """Return whether the record is a retraction notice or erratum while the reference is not."""
    return title_matching.is_notice(paper.title) and not title_matching.NOTICE.search(reference.title or reference.text)


def _rank(reference: Reference, match: Match) -> tuple[int, float, bool, int]:
    overlap = measure_overlap(reference.title or reference.text, match.paper.title)
    dated = match.paper.year is not None and str(match.paper.year) in YEARS.findall(reference.text)
    return RANKS.index(match.confidence), overlap.forward + overlap.back, dated, match.paper.source == "crossref"


async def _search_crossref(ctx: Context, reference: Reference, matches: Matches) -> Sequence[Paper]:
    crossref = Crossref(ctx.services.http, ctx.services.settings, clock=ctx.services.clock)
    try:
        answer = crossref.readable(crossref.bibliographic(reference.text, rows_asked=CANDIDATES))
        papers: Hits[Paper] = await with_deadline(ctx, answer)
    except ToolError as failure:
        matches.notes.append(f"The Crossref search failed: {failure.sentence()}")
        return ()
    _add_candidates(matches, "crossref", "Crossref", papers)
    return papers


async def _search_openalex(ctx: Context, reference: Reference, matches: Matches) -> Sequence[Paper]:
    from assay.providers.openalex import OpenAlex

    if not OpenAlex.is_configured(ctx.services.settings):
        matches.notes.append("OpenAlex was not searched: OPENALEX_EMAIL is not set.")
        return ()
    openalex = OpenAlex(ctx.services.http, ctx.services.settings, clock=ctx.services.clock)
    try:
        answer = openalex.readable(openalex.find_by_title(reference.title or reference.text, count=CANDIDATES))
        papers = await with_deadline(ctx, answer)
    except ToolError as failure:
        matches.notes.append(f"The OpenAlex search failed: {failure.sentence()}")
        return ()
    _add_candidates(matches, "openalex", "OpenAlex", papers)
    return papers


async def _search_courts(ctx: Context, reference: Reference, found: Matches) -> list[Match]:
    """Search CourtListener if the reference looks like a court decision."""
    from assay.verification import court_decisions

    if not court_decisions.is_case(reference.text):
        return []
    try:
        decisions = await court_decisions.find_decisions(ctx, reference.text)
    except ToolError as failure:
        found.notes.append(f"The CourtListener search failed: {failure.sentence()}")
        found.missed = True
        return []
    matches = [Match(court_decisions.to_paper(case), confidence, reason) for case, confidence, reason in decisions]
    _add_candidates(found, "courtlistener", "CourtListener", [match.paper for match in matches])
    return matches


def _add_candidates(matches: Matches, provider: str, label: str, papers: Sequence[Paper]) -> None:
    matches.answered = True
    matches.searched.append(provider)
    matches.notes.append(f"{label} was searched for the reference: {len(papers)} candidate(s).")
