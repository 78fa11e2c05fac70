"""Decides which records are those of the work that a citation means, as ground for comparing its fields."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from assay.models.papers import Paper
from assay.models.work_record import WorkRecord
from assay.verification.author_comparison import compare_names
from assay.verification.author_lists import AuthorMatch, compare_author_lists
from assay.verification.field_comparison import YEAR_TOLERANCE, CitedFields
from assay.verification.number_comparison import compare_pages
from assay.verification.title_comparison import TitleRelation, compare_title_words, count_content_words, is_same_title
from assay.verification.venue_comparison import compare_venues

DISTINCT_WORDS = 4  # content words from which on an equal title identifies a work whose authors are cited wrongly
MANY_AUTHORS = 3  # authors who, with year and venue, identify a work whose title is cited wrongly
SAME_AUTHORS: frozenset[AuthorMatch] = frozenset({"same", "truncated", "variant"})


class _Likeness(NamedTuple):
    """How far a candidate agrees with the citation."""

    title: TitleRelation
    authors: AuthorMatch
    shares_author: bool
    context: int  # how many of year, venue, pages agree


def select_records(cited: CitedFields, candidates: Iterable[Paper]) -> tuple[WorkRecord, ...]:
    """Return the records of the work that the citation means, from all sources; none if no candidate is surely meant.

    A candidate is meant if its title is the cited one, or, with another title, if authors and year, venue or pages
    identify it. Candidates with the title of the best one count as further records of the same work.
    """
    ranked = [(rank, paper) for paper in candidates if (rank := _rank(cited, paper))]
    if not ranked:
        return ()
    _, best = max(ranked, key=lambda pair: pair[0])
    same = [paper for _, paper in ranked if is_same_work(best, paper)]
    return tuple(dict.fromkeys(record for paper in same for record in paper.records))


def is_same_work(one: Paper, other: Paper) -> bool:
    """Return whether two records are of one work or its versions: equal titles, and an author in common."""
    if one is other or (one.doi and one.doi == other.doi):
        return True
    if not is_same_title(one.title, other.title):
        return False
    left, right = one.authors or [], other.authors or []
    return not left or not right or _shares_author(left, right)


def names_same_work(cited: CitedFields, paper: Paper) -> bool:
    """Return whether the record of a cited identifier can be the cited work: its title or its authors agree.

    A changed title by other authors, of another year, venue and pages, is that of another work on the same subject.
    """
    likeness = _compare(cited, paper)
    if likeness.title in ("same", "shortened") or not cited.title:
        return True
    if likeness.title == "changed":
        return likeness.authors != "different" or likeness.shares_author or bool(likeness.context)
    return likeness.authors in SAME_AUTHORS and bool(likeness.context)


def _rank(cited: CitedFields, paper: Paper) -> tuple[int, int] | None:
    """Return how surely the candidate is meant, higher is surer; None if it is not."""
    likeness = _compare(cited, paper)
    agrees = likeness.authors in SAME_AUTHORS
    if likeness.title in ("same", "shortened"):
        exact = 1 if likeness.title == "same" else 0
        if agrees or (exact and likeness.authors == "unknown") or likeness.shares_author:
            return 4 + exact, likeness.context + 2 * agrees
        distinct = count_content_words(cited.title) >= DISTINCT_WORDS
        return (3, likeness.context) if exact and distinct and likeness.context else None
    if not agrees or not likeness.context:
        return None
    if likeness.title == "changed":
        return 2, likeness.context
    listed = sum(len(author) > 2 for author in cited.authors)
    return (1, likeness.context) if listed >= MANY_AUTHORS and likeness.context > 1 else None


def _compare(cited: CitedFields, paper: Paper) -> _Likeness:
    authors, shares, context, relations = set[AuthorMatch](), False, 0, list[TitleRelation]()
    for record in paper.records:
        relations += [compare_title_words(cited.title, title).relation for title in record.titles]
        matched = compare_author_lists(cited.authors, record.authors, recorded_is_partial=record.authors_are_partial)
        authors.add(matched.match)
        shares = shares or _shares_author(cited.authors, record.authors)
        context = max(context, _count_context(cited, record))
    order: Sequence[TitleRelation] = ("same", "shortened", "changed", "different", "unknown")
    title: TitleRelation = min(relations, key=order.index, default="unknown")
    ranks: Sequence[AuthorMatch] = ("same", "truncated", "variant", "different", "unknown")
    listed: AuthorMatch = min(authors, key=ranks.index, default="unknown")
    return _Likeness(title, listed, shares, context)


def _count_context(cited: CitedFields, record: WorkRecord) -> int:
    year = cited.year[:4]
    dated = year.isdigit() and any(abs(int(year) - each) <= YEAR_TOLERANCE for each in record.years)
    placed = bool(cited.venue) and any(compare_venues(cited.venue, venue) == "same" for venue in record.venues)
    paged = bool(cited.pages) and any(compare_pages(cited.pages, pages) == "same" for pages in record.pages)
    return dated + placed + paged


def _shares_author(one: Sequence[str], other: Sequence[str]) -> bool:
    return any(compare_names(left, right) != "different" for left in one[:10] for right in other[:30])
