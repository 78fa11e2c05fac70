"""MEDLINE parser: the tagged records that PubMed exports as `.nbib`."""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from assay.bibliography.person_names import Name
from assay.bibliography.work import (
    LONGEST,
    CitedWork,
    UnparsedPassage,
    collapse_spaces,
    cut_excerpt,
    format_partial_date,
    normalize_identifiers,
)

TAG = re.compile(r"([A-Z][A-Z0-9]{1,3}) {0,2}- ?(.*)$")
IDENTIFIER = re.compile(r"(\S{1,500}) \[(doi|pii)\]")
DATE = re.compile(r"(\d{4})(?:\s+([A-Za-z]{3}))?[a-z]*(?:[-\s]+(\d{1,2})(?!\d))?")
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
KINDS = {"book": "book", "book chapter": "chapter", "preprint": "manuscript", "dataset": "dataset", "congress": "book"}
MAX_VALUES = 2_000  # of a tag
MAX_UNREAD = 1_000


@dataclass
class MedlineRecord:
    """The values of a record by tag, and the line where it begins."""

    line: int
    values: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    last: str = ""

    def add(self, tag: str, value: str) -> None:
        self.last = tag
        if len(self.values[tag]) < MAX_VALUES:
            self.values[tag].append(value[:LONGEST])

    def continue_value(self, text: str) -> bool:
        """Add a continued line to the last value, within its bound; return whether there is one."""
        values = self.values.get(self.last)
        if not values:
            return False
        values[-1] += f" {text}"[: LONGEST - len(values[-1])] if len(values[-1]) < LONGEST else ""
        return True

    def get(self, *tags: str) -> str:
        return next((collapse_spaces(value) for tag in tags for value in self.values.get(tag, ()) if value), "")


def parse_medline(text: str, limit: int) -> tuple[list[CitedWork], list[UnparsedPassage], int]:
    """Parse an export of PubMed; return its first `limit` works, lines outside records, and the number of records."""
    unread: list[UnparsedPassage] = []
    works: list[CitedWork] = []
    total = 0
    for record in _read_records(text, unread):
        total += 1
        if len(works) < limit:
            works.append(_build_work(record, len(works) + 1))
    return works, unread, total


def _read_records(text: str, unread: list[UnparsedPassage]) -> Iterator[MedlineRecord]:
    """Yield the records; one begins at `PMID`, or at a tag behind an empty line that the record has already."""
    record: MedlineRecord | None = None
    is_apart = True
    for number, line in enumerate(text.split("\n"), 1):
        found = TAG.match(line.lstrip("\ufeff"))
        if found:
            if record is None or found[1] == "PMID" or (is_apart and found[1] in record.values):
                if record is not None:
                    yield record
                record = MedlineRecord(number)
            record.add(found[1], found[2])
        elif line.startswith("  ") and record is not None and record.continue_value(line.strip()):
            continue
        elif line.strip() and len(unread) < MAX_UNREAD:
            unread.append(UnparsedPassage(number, cut_excerpt(line), "The line is outside a record."))
        is_apart = not line.strip()
    if record is not None:
        yield record


def _build_work(record: MedlineRecord, number: int) -> CitedWork:
    stated = [IDENTIFIER.search(value) for tag in ("LID", "AID") for value in record.values.get(tag, ())]
    doi, _, notes = normalize_identifiers(next((each[1] for each in stated if each and each[2] == "doi"), ""), "")
    types = [value.strip().lower() for value in record.values.get("PT", ())]
    groups = [collapse_spaces(each) for each in record.values.get("CN", ())]
    container = record.get("JT", "TA")
    names = record.values.get("FAU") or record.values.get("AU") or []
    title = record.get("TI", "BTI", "CTI") or record.get("TT").strip("[]")
    return CitedWork(
        kind=next((KINDS[each] for each in types if each in KINDS), "article-journal" if container else "document"),
        title=title.removesuffix("."),
        authors=(*map(_parse_name, filter(str.strip, names)), *(Name(each) for each in groups if each)),
        date=_parse_date(record.get("DP", "DEP", "DCOM")),
        container=container or (record.get("BTI") if record.get("TI") else ""),
        publisher=record.get("PB"),
        volume=record.get("VI"),
        issue=record.get("IP"),
        pages=re.sub(r" ?[–—-]+ ?", "-", record.get("PG")),
        doi=doi,
        isbn=record.get("ISBN").split(" ")[0],
        place=record.get("PL") if record.get("PB") else "",
        pmid=record.get("PMID"),
        pmcid=record.get("PMC"),
        key=record.get("PMID"),
        number=number,
        line=record.line,
        unread=notes,
    )


def _parse_name(text: str) -> Name:
    """Parse `Family, Given` and `Family GG`."""
    text = collapse_spaces(text)
    family, comma, given = text.partition(",")
    if comma:
        return Name(family.strip(), given.strip())
    family, _, given = text.rpartition(" ")
    return Name(family, given) if family and given.isupper() and len(given) <= 4 else Name(text)


def _parse_date(text: str) -> str:
    if re.fullmatch(r"\d{8}", text):
        return format_partial_date([int(text[:4]), int(text[4:6]), int(text[6:])])
    found = DATE.match(text)
    if found is None:
        return ""
    parts = [int(found[1])]
    if found[2] and found[2].lower() in MONTHS:
        parts += [MONTHS.index(found[2].lower()) + 1, int(found[3] or 0)]
    return format_partial_date(parts)
