"""Compares the fields of a printed reference with the records of the work that it means.

The fields are found by a parser that can err, so a difference counts only where the text does not have the recorded
value anywhere.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from assay.bibliography.printed_reference import parse_reference
from assay.models.work_record import WorkRecord
from assay.verification.author_comparison import parse_author
from assay.verification.field_comparison import CitedFields, FieldFinding, FieldReport, compare_fields
from assay.verification.title_location import fold, locate_title


def read_fields(text: str) -> CitedFields:
    """Parse a printed reference into the fields that are compared."""
    work = parse_reference(text)
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
        return any(record.authors and _names_all(record.authors, words, text) for record in records)
    if finding.field == "title":
        return any(locate_title(text, title).presence in ("whole", "part") for r in records for title in r.titles)
    if finding.field == "venue":
        return any(locate_title(text, venue).presence in ("whole", "part") for r in records for venue in r.venues)
    if finding.field == "year":
        return any(str(year) in words for record in records for year in record.years)
    values = {
        "volume": [record.volume for record in records],
        "issue": [record.issue for record in records],
        "pages": [pages for record in records for pages in record.pages],
        "publisher": [publisher for record in records for publisher in record.publishers],
    }.get(finding.field, [])
    return any(value and set(re.findall(r"\w+", value.casefold())[:1]) <= words for value in values)


def _names_all(authors: Sequence[str], words: set[str], text: str) -> bool:
    """Whether the text has all family names of the record, in order, or the first and "et al."."""
    places = [_find_family(author, text) for author in authors]
    listed = [place for place in places if place >= 0]
    complete = len(listed) == len(places) or ({"et", "al"} <= words and places[0] >= 0)
    return complete and listed == sorted(listed)


def _find_family(author: str, text: str) -> int:
    family = "".join(word for word in parse_author(author).family if len(word) > 1)
    return fold(text).letters.find(family) if family else -1
