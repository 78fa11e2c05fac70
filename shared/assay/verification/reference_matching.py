"""Which work a printed reference means, as far as the indexes know it: a match only where title and names agree."""

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
from assay.verification.title_matching import Confidence, likeness, plain, stands_in, tokens

CANDIDATES = 5
RANKS: Sequence[Confidence] = ("none", "low", "medium", "high")
YEARS = re.compile(r"\b(1[5-9]\d\d|20\d\d)\b")
BY = re.compile(r"\W{0,3}(?:by|von|par|por|de|di)\s+[^\W\d_]{2,}")
FRONT = 60  # characters in which authors are named, where the title cannot be told
LEAST_BEYOND = 2  # words beyond the title that make a reference more than a title


@dataclass(frozen=True)
class Reference:
    """A reference in free text, or in parts: then the text is made of them."""

    text: str
    title: str | None = None
    authors: tuple[str, ...] = ()
    year: str = ""
    container: str = ""

    @classmethod
    def of_text(cls, text: str) -> "Reference":
        text = " ".join(text.split())
        return cls(text, title_matching.title_in(text))

    @classmethod
    def of_parts(cls, title: str, authors: Sequence[str] = (), year: str = "", container: str = "") -> "Reference":
        parts = [", ".join(authors), f"({year})" if year else "", title, container]
        return cls(". ".join(part for part in parts if part), title, tuple(authors), year[:4], container)


class Match(NamedTuple):
    paper: Paper
    confidence: Confidence
    reason: str  # in words: what agrees and what does not


@dataclass
class Matches:
    """`answered` is false where no index answered at all: then nothing is known, not nothing there."""

    best: Match | None = None
    answered: bool = False
    missed: bool = False  # the index that would know such a work did not answer
    searched: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


async def match_reference(ctx: Context, reference: Reference) -> Matches:
    """The best match that Crossref and OpenAlex have, asked side by side."""
    found = Matches()
    *lists, courts = await asyncio.gather(
        _by_crossref(ctx, reference, found), _by_openalex(ctx, reference, found), _by_courts(ctx, reference, found)
    )
    candidates = [paper for papers in lists for paper in papers if not _is_notice(paper, reference)]
    judged = [*courts, *(judge(reference, paper) for paper in candidates)]
    found.best = max(judged, key=lambda match: _rank(reference, match), default=None)
    found.answered = found.answered and not (found.missed and _is_weak(found.best))
    return found


def _is_weak(match: Match | None) -> bool:
    return match is None or match.confidence in ("none", "low")


def judge(reference: Reference, paper: Paper) -> Match:
    """How surely the reference means this work.

    `high` takes the title as a whole, read both ways, and nothing that speaks against it: where the reference names
    authors, one of them must be the record's. Part of a title, or a title with other people's names, is `medium`.
    """
    found = likeness(reference.text, paper.title)
    share = f"{found.forward:.0%} of the record's title words stand in the reference"
    if found.confidence != "high":
        return Match(paper, found.confidence, f"{share}.")
    if not _has_title(reference, paper):
        return Match(paper, "medium", f"{share}, but its title reads otherwise.")
    agreed = _agree(reference, paper)
    if agreed is False:
        return Match(paper, "medium", f"{share}, but none of the record's authors does.")
    if reference.title and title_matching.has_exchanged_word(reference.title, paper.title):
        return Match(paper, "medium", f"{share}, but a word of its title stands for another one.")
    if reference.title and not agreed and likeness(reference.title, paper.title).absent:
        return Match(paper, "medium", f"{share}, but not all words of the reference's title are the record's.")
    return Match(paper, "high", f"{share}{', and so does an author' if agreed else ''}.")


def _has_title(reference: Reference, paper: Paper) -> bool:
    if stands_in(title_matching.bare(paper.title), reference.text):
        return True
    if reference.title is None:
        beyond = tokens(reference.text) - tokens(paper.title)
        return len(beyond) < LEAST_BEYOND
    found = likeness(reference.title, paper.title)
    return found.forward >= title_matching.HIGH and found.back >= title_matching.HIGH


def _agree(reference: Reference, paper: Paper) -> bool | None:
    """Whether an author of the record is named; None where the reference names nobody, or the record does not."""
    families = [plain(name(author).family) for author in paper.authors or ()]
    families = [family for family in families if len(family) > 1]
    text = plain(" ".join(reference.authors) or _beside(reference, paper))
    words = set(title_matching.WORD.findall(text))
    if any(set(title_matching.WORD.findall(family)) <= words for family in families):
        return True
    if not families or not (reference.authors or _names_somebody(reference, paper)):
        return None
    return False


def _beside(reference: Reference, paper: Paper) -> str:
    """The reference without the title's own words, so that a title about Darwin is not by Darwin."""
    own = reference.title or paper.title
    return re.sub(re.escape(plain(own)), " ", plain(reference.text))


def _names_somebody(reference: Reference, paper: Paper) -> bool:
    """Whether something stands before the title, or "by" somebody behind it, that is no year or number."""
    before, found, behind = plain(reference.text).partition(plain(reference.title or paper.title))
    if not found:
        before = _beside(reference, paper)[:FRONT]
    known = tokens(paper.title) | tokens(paper.journal or "")
    return bool(tokens(YEARS.sub(" ", before)) - known) or bool(BY.match(behind))


def _is_notice(paper: Paper, reference: Reference) -> bool:
    """A retraction note or an erratum is not the work that it is about."""
    return title_matching.is_notice(paper.title) and not title_matching.NOTICE.search(reference.title or reference.text)


def _rank(reference: Reference, match: Match) -> tuple[int, float, bool, int]:
    found = likeness(reference.title or reference.text, match.paper.title)
    dated = match.paper.year is not None and str(match.paper.year) in YEARS.findall(reference.text)
    return RANKS.index(match.confidence), found.forward + found.back, dated, match.paper.source == "crossref"


async def _by_crossref(ctx: Context, reference: Reference, found: Matches) -> Sequence[Paper]:
    crossref = Crossref(ctx.services.http, ctx.services.settings, clock=ctx.services.clock)
    try:
        answer = crossref.readable(crossref.bibliographic(reference.text, rows_asked=CANDIDATES))
        papers: Hits[Paper] = await with_deadline(ctx, answer)
    except ToolError as failure:
        found.notes.append(f"Crossref was searched, without an answer: {failure.sentence()}")
        return ()
    _add_candidates(found, "crossref", "Crossref", papers)
    return papers


async def _by_openalex(ctx: Context, reference: Reference, found: Matches) -> Sequence[Paper]:
    from assay.providers.openalex import OpenAlex

    if not OpenAlex.is_configured(ctx.services.settings):
        found.notes.append("OpenAlex was not searched: OPENALEX_EMAIL is not set.")
        return ()
    openalex = OpenAlex(ctx.services.http, ctx.services.settings, clock=ctx.services.clock)
    try:
        answer = openalex.readable(openalex.find_by_title(reference.title or reference.text, count=CANDIDATES))
        papers = await with_deadline(ctx, answer)
    except ToolError as failure:
        found.notes.append(f"OpenAlex was searched, without an answer: {failure.sentence()}")
        return ()
    _add_candidates(found, "openalex", "OpenAlex", papers)
    return papers


async def _by_courts(ctx: Context, reference: Reference, found: Matches) -> list[Match]:
    """Decisions, for references that read like one."""
    from assay.verification import court_decisions

    if not court_decisions.is_case(reference.text):
        return []
    try:
        decided = await court_decisions.find_decisions(ctx, reference.text)
    except ToolError as failure:
        found.notes.append(f"CourtListener was searched, without an answer: {failure.sentence()}")
        found.missed = True
        return []
    matches = [Match(court_decisions.record(case), confidence, reason) for case, confidence, reason in decided]
    _add_candidates(found, "courtlistener", "CourtListener", [match.paper for match in matches])
    return matches


def _add_candidates(found: Matches, provider: str, called: str, papers: Sequence[Paper]) -> None:
    found.answered = True
    found.searched.append(provider)
    found.notes.append(f"{called} was searched for the reference: {len(papers)} candidate(s).")
