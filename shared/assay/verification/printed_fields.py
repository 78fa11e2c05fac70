"""Compares the fields of a printed reference with the records of the work that it means.

The fields are found by a parser that can err, so a difference counts only where the text does not have the recorded
value anywhere.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from assay.bibliography.printed_reference import parse_reference
from assay.bibliography.work import ET_AL
from assay.models.papers import Paper
from assay.models.work_record import WorkRecord
from assay.verification.author_comparison import PARTICLES, parse_author
from assay.verification.court_decisions import is_decision
from assay.verification.field_comparison import CitedFields, FieldFinding, FieldReport, compare_fields
from assay.verification.title_location import fold, locate_title
from assay.verification.transliteration import sounds_alike

MIN_NAME = 4  # letters of a word that counts as a person's name


def read_fields(text: str) -> CitedFields:
    """Parse a printed reference into the fields that are compared: of a court decision, its year."""
    work = parse_reference(text)
    if is_decision(text):
        return CitedFields(year=work.date[:4])
    return CitedFields(
        title=work.title,
        authors=work.printed_authors,
        venue=work.container,
        year=work.date[:4],
        volume=work.volume,
        issue=work.issue,
        pages=work.pages,
        publisher=work.publisher,
        doi=work.doi,
        arxiv_id=work.arxiv_id,
    )


def align_fields(text: str, cited: CitedFields, paper: Paper) -> CitedFields:
    """Correct the parser's division of a text where the record shows a better one: its title and authors are found."""
    location = locate_title(text, paper.title)
    if location.presence in ("whole", "changed"):
        cited = replace(cited, title=text[location.start : location.end])
    records = [record for record in paper.records if record.authors]
    for record in records:
        if _names_all(record.authors, set(fold(text).words), text) and not _adds_authors(text, records):
            return replace(cited, authors=record.authors)
    return cited


def compare_printed_fields(text: str, cited: CitedFields, records: Sequence[WorkRecord]) -> FieldReport:
    """Return the findings on the fields read in a text; differences that the text itself refutes are left out."""
    report = compare_fields(replace(cited, place=""), records)  # a printed place is mostly the publisher's
    findings = tuple(
        each for each in report.findings if each.outcome == "match" or not _is_in_text(each, text, records)
    )
    return replace(report, findings=findings)


def _is_in_text(finding: FieldFinding, text: str, records: Sequence[WorkRecord]) -> bool:
    """Whether the text has a recorded value of the field, wherever the parser looked for it."""
    words = set(fold(text).words)
    if finding.field == "authors":
        named = any(record.authors and _names_all(record.authors, words, text) for record in records)
        return named and not _adds_authors(text, records)
    if finding.field == "title":
        return any(locate_title(text, title).presence in ("whole", "part") for r in records for title in r.titles)
    if finding.field == "venue":
        return any(locate_title(text, venue).presence in ("whole", "part") for r in records for venue in r.venues)
    if finding.field == "year":
        return any(str(year) in words for record in records for year in record.years)
    if finding.field == "pages":
        return any(_has_pages(pages, text) for record in records for pages in record.pages)
    values = {
        "volume": [record.volume for record in records],
        "issue": [record.issue for record in records],
        "publisher": [publisher for record in records for publisher in record.publishers],
    }.get(finding.field, [])
    return any(value and set(re.findall(r"\w+", value.casefold())[:1]) <= words for value in values)


def _has_pages(pages: str, text: str) -> bool:
    """Whether the text has a page range, or a single page; its first number alone may be a volume."""
    first, *last = re.findall(r"[^\W_]+", pages)[:2]
    ranges = rf"(?<!\w){re.escape(first)}\s?[-‐‑‒–—−~/]\s?\w" if last else rf"(?<!\w){re.escape(first)}(?!\w)"
    return bool(re.search(ranges, text, re.IGNORECASE))


def _adds_authors(text: str, records: Sequence[WorkRecord]) -> bool:
    """Whether the text lists persons beside all authors of every record: words that no record explains."""
    listed = {
        word for name in parse_reference(text).printed_authors if name != ET_AL for word in parse_author(name).tokens
    }
    known = [record for record in records if record.authors]
    return bool(known) and all(any(not _explains(record, word) for word in listed) for record in known)


def _explains(record: WorkRecord, word: str) -> bool:
    """Whether a word of a list of authors is a name or initial on record, part of the title or no name at all."""
    if len(word) < MIN_NAME or word in PARTICLES or record.authors_are_partial:
        return True
    names = [parse_author(author) for author in record.authors]
    for spelling in {spelling for name in names for spelling in name.spellings if len(spelling) >= MIN_NAME}:
        word = word.replace(spelling, "")  # names in scripts without spaces are not divided
    if len(word) < MIN_NAME:
        return True
    tokens = {token for name in names for token in name.tokens}
    others = {each for text in (*record.titles, *record.venues) for each in fold(text).words}
    initials = {token for token in tokens if len(token) == 1}
    return word in tokens | others or word[0] in initials or any(sounds_alike(word, token) for token in tokens)


def _names_all(authors: Sequence[str], words: set[str], text: str) -> bool:
    """Whether the text has all family names of the record, in order, or the first and "et al."."""
    places = [_find_family(author, text) for author in authors]
    listed = [place for place in places if place >= 0]
    complete = len(listed) == len(places) or ({"et", "al"} <= words and places[0] >= 0)
    return complete and listed == sorted(listed)


def _find_family(author: str, text: str) -> int:
    family = "".join(word for word in parse_author(author).family if len(word) > 1)
    return fold(text).letters.find(family) if family else -1
