"""Finds the work that a printed reference names, in Crossref, OpenAlex and CourtListener.

A match needs agreement of the title and, where the reference gives authors, of an author.
"""

import asyncio
import html
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from assay.bibliography.reference_tokens import WIDE
from assay.context import Context
from assay.errors import ToolError
from assay.models.papers import Paper
from assay.provider_base.results import Hits
from assay.providers.crossref import Crossref
from assay.verification import title_location as locating
from assay.verification import title_matching
from assay.verification.author_comparison import parse_author
from assay.verification.bounded_gather import with_deadline
from assay.verification.title_location import Folded, Location, locate_title
from assay.verification.title_matching import Confidence, measure_overlap
from assay.verification.transliteration import find_consonants, find_script, scripts_differ, sounds_alike

CANDIDATES = 5
NAMES_BEHIND = 80  # characters behind a title in which authors are looked for
RANKS: Sequence[Confidence] = ("none", "low", "medium", "high")
YEARS = re.compile(r"\b(1[5-9]\d\d|20\d\d)\b")
CAPITAL = "[A-ZÀ-ÖØ-ÞĀ-Ž]"
NAME_AFTER = re.compile(  # Smith JA, · De Luca A, · J. A. Smith, · Smith, J. · three of Ada Smith, · Dir. Ada Smith
    rf"[\W\d]{{0,6}}(?:[^\W\d_][\w'’‐-]+\s(?:{CAPITAL}{{1,3}}|(?:{CAPITAL}\.\s?){{1,3}})[,.;\s]"
    rf"|{CAPITAL}[\w'’‐-]+\s{CAPITAL}[\w'’‐-]+\s{CAPITAL}{{1,3}},"
    rf"|(?:{CAPITAL}\s?\.[\s-]?){{1,3}}[^\W\d_][\w'’‐-]+"
    rf"|[^\W\d_][\w'’‐-]+,\s(?:{CAPITAL}\.\s?){{1,3}}"
    rf"|(?:{CAPITAL}[\w'’‐-]+\s{CAPITAL}[\w'’‐-]+,\s(?:and\s)?){{3}}"
    r"|(?:[Dd]ir|[Pp]rod|[Pp]erf|Regie|R[ée]al)[.,:]\s)"
)
FIELD_START = re.compile(
    r"\s*(?:[Ii]n:?\s+[^\W\d_a-z]|\d{4}\b|Ph\.?\s?D\b|(?i:doctoral|master'?s|thesis|dissertation)\b"
    r"|(?i:arXiv|doi|PMID|ISBN|pp?\.\s?\d|vol\.|proc(?:\.|eedings)|j\.\s|journal"
    r"|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s?\d))"
)
SAME_AUTHOR = re.compile(
    r"[\W\d_]{0,6}(?:[—–―‒_]\s?){2,}|[\W\d_]{0,6}-{3,}"
)  # a dash for the authors of the reference before
BY = re.compile(r"\W{0,3}(?:by|von|par|por|de|di)\s+[^\W\d_]{2,}")


@dataclass(frozen=True)
class Reference:
    """A reference as free text, or in parts from which the text is built."""

    text: str
    title: str | None = None
    authors: tuple[str, ...] = ()
    year: str = ""
    container: str = ""

    @property
    def searched(self) -> str:
        """The text without links, whose words are not the title's."""
        return html.unescape(title_matching.LINKS.sub(" ", self.text))

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
    """The outcome. `answered` is False if nothing is known: an index that may have the work did not answer."""

    best: Match | None = None
    candidates: list[Match] = field(default_factory=list)  # all that the indexes returned
    answered: bool = False
    missed: bool = False  # a configured index that may have the work did not answer
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
    matches.searched.sort()  # whichever answered first
    matches.notes.sort()
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

    `high` needs the whole title and no contradiction: if the reference names authors, one must be the record's. A title
    with other words, or with other authors, is `medium`.
    """
    location = locate_title(reference.searched, paper.title)
    if location.presence == "absent":
        overlap = measure_overlap(reference.text, paper.title)
        share = f"{overlap.forward:.0%} of the record's title words are in the reference."
        return Match(paper, "low" if overlap.confidence == "low" else "medium" if overlap.hits > 1 else "none", share)
    if location.presence == "changed":
        return Match(paper, "medium", "The reference's title has other words than the record's.")
    agreed = _authors_agree(reference, paper, location)
    if agreed is False:
        return Match(paper, "medium", "The reference has the record's title, but none of its authors.")
    if agreed is None and SAME_AUTHOR.match(reference.text):
        return Match(paper, "medium", "The reference has the record's title, and a dash in place of the authors.")
    if location.presence == "part" and not (agreed and _is_followed_by_journal(reference, paper, location)):
        return Match(paper, "medium", "The record's title is only a part of the reference's title.")
    return Match(paper, "high", f"The reference has the record's title{' and an author of it' if agreed else ''}.")


def _authors_agree(reference: Reference, paper: Paper, location: Location) -> bool | None:
    """Return whether an author of the record is named; None if the reference or the record names no author."""
    before, behind = reference.searched[: location.start], reference.searched[location.end :]
    named = " ; ".join(reference.authors) or f"{before} ; {behind}"
    zone = locating.fold(named)
    known = [author for author in paper.authors or () if author.strip()]
    if any(_names(zone, author) for author in known):
        return True
    listed = " ".join(reference.authors) or before or behind[:NAMES_BEHIND]
    if foreign := [author for author in known if scripts_differ(author, listed)]:
        return _agree_by_sound(listed, foreign, paper.title)
    if not known or not (reference.authors or _has_names(before, behind)):
        return None
    return False


def _names(zone: Folded, author: str) -> bool:
    """Whether the words of the author's family name, or all letters of a name without spaces, are in the zone."""
    if WIDE.search(author):
        return any(len(letters) > 2 and letters in zone.letters for letters in parse_author(author).spellings)
    words = [word for word in parse_author(author).family if len(word) > 1]
    if not words:
        return False
    joined = "".join(words)
    return all(word in zone.words for word in words) or (len(joined) > 4 and joined in zone.letters)


def _agree_by_sound(listed: str, authors: Sequence[str], title: str) -> bool | None:
    """Whether a family name sounds like one that is listed in another script.

    None if its reading is unknown: the work is Chinese or Japanese, and the names stand in characters on one side only.
    """
    words = locating.fold(listed).words
    families = ["".join(parse_author(author).family) for author in authors]
    if any(len(find_consonants(name)) > 1 and any(sounds_alike(name, word) for word in words) for name in families):
        return True
    in_characters = "han" in {find_script(listed), *map(find_script, authors)}
    return None if in_characters and find_script(title) == "han" else False


def _has_names(before: str, behind: str) -> bool:
    """Whether the reference names persons: words before the title other than numbers, or a name right after it."""
    words = [word for word in locating.fold(YEARS.sub(" ", before)).words if not word.isdigit() and len(word) > 1]
    return bool(words) or bool(BY.match(behind)) or bool(NAME_AFTER.match(behind))


def _is_followed_by_journal(reference: Reference, paper: Paper, location: Location) -> bool:
    """Whether another field begins right after the title, although no mark divides them."""
    behind = reference.searched[location.end :]
    journal = locate_title(behind[: len(paper.journal or "") + 40], paper.journal or "")
    return bool(FIELD_START.match(behind) or NAME_AFTER.match(behind)) or (
        journal.presence in ("whole", "part") and journal.start < 4
    )


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
        matches.missed = True
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
        matches.missed = True
        return ()
    _add_candidates(matches, "openalex", "OpenAlex", papers)
    return papers


async def _search_courts(ctx: Context, reference: Reference, matches: Matches) -> list[Match]:
    """Search CourtListener if the reference looks like a court decision."""
    from assay.verification import court_decisions

    if not court_decisions.is_case(reference.text):
        return []
    try:
        decisions = await court_decisions.find_decisions(ctx, reference.text)
    except ToolError as failure:
        matches.notes.append(f"The CourtListener search failed: {failure.sentence()}")
        matches.missed = True
        return []
    cases = [Match(court_decisions.to_paper(case), confidence, reason) for case, confidence, reason in decisions]
    _add_candidates(matches, "courtlistener", "CourtListener", [case.paper for case in cases])
    return cases


def _add_candidates(matches: Matches, provider: str, label: str, papers: Sequence[Paper]) -> None:
    matches.answered = True
    matches.searched.append(provider)
    matches.notes.append(f"{label} was searched for the reference: {len(papers)} candidate(s).")
