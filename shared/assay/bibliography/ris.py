"""RIS parser: records of tagged lines; accepts the variants that reference managers write."""

import re
from collections import defaultdict

from assay.bibliography.person_names import Name
from assay.bibliography.work import (
    LONGEST,
    CitedWork,
    UnparsedPassage,
    collapse_spaces,
    cut_excerpt,
    find_arxiv_id,
    format_partial_date,
    normalize_identifiers,
)

TAG = re.compile(r"([A-Z][A-Z0-9])  ?-(?: (.*)|)$")
KINDS = {
    "JOUR": "article-journal", "EJOUR": "article-journal", "JFULL": "article-journal", "MGZN": "article-magazine",
    "NEWS": "article-newspaper", "BOOK": "book", "EBOOK": "book", "EDBOOK": "book", "CHAP": "chapter",
    "ECHAP": "chapter",
    "CONF": "book", "CPAPER": "paper-conference", "THES": "thesis", "RPRT": "report", "ELEC": "webpage",
    "BLOG": "post-weblog",
    "UNPB": "manuscript", "DATA": "dataset", "COMP": "software", "PAT": "patent", "CASE": "legal_case",
    "STAT": "legislation",
    "BILL": "bill", "VIDEO": "motion_picture", "SOUND": "song", "MAP": "map", "ENCYC": "entry-encyclopedia",
    "DICT": "entry-dictionary", "STAND": "standard", "HEAR": "hearing", "PAMP": "pamphlet", "INPR": "article-journal",
}  # fmt: skip
TITLES, CONTAINERS = ("TI", "T1", "CT", "BT"), ("T2", "JF", "JO", "JA", "J2")
AUTHORS, DATES, LINKS = ("AU", "A1"), ("PY", "Y1", "DA"), ("UR", "L2", "L1", "LK")
KNOWN = {*TITLES, *CONTAINERS, *AUTHORS, *DATES, *LINKS, "DO", "VL", "IS", "SP", "EP", "PB", "SN", "ID", "TY"}
MAX_TAG_VALUES = 2_000
MAX_STRAY_LINES = 1_000
DATE = re.compile(r"(\d{4})(?:[/-](\d{1,2})?(?:[/-](\d{1,2})?)?)?")

type Record = dict[str, list[str]]


def parse_ris(text: str, limit: int) -> tuple[list[CitedWork], list[UnparsedPassage], int]:
    """Parse a RIS document; return its first `limit` works, the lines outside records, and the number of records."""
    works: list[CitedWork] = []
    reader = RisReader()
    for number, line in enumerate(text.split("\n"), 1):
        if done := reader.read_line(line, number):
            works += [build_work(*done, len(works) + 1)] if len(works) < limit else []
    if done := reader.close_record("The record is not closed by ER."):
        works += [build_work(*done, len(works) + 1)] if len(works) < limit else []
    return works, reader.unread, reader.total


class RisReader:
    """Collects lines into records. A record ends at `ER`, or where the next one begins."""

    def __init__(self) -> None:
        self.record: Record | None = None
        self.notes: list[str] = []
        self.first_line = self.total = 0
        self.last = ""
        self.unread: list[UnparsedPassage] = []

    def read_line(self, line: str, number: int) -> tuple[Record, int, list[str]] | None:
        """Process one line; return the record that it ends, else None."""
        found = TAG.match(line.lstrip("\ufeff") if number == 1 else line)
        tag, value = (found[1], (found[2] or "").strip()) if found else ("", line.strip())
        done = None
        if tag == "TY":
            done = self.close_record("The record is not closed by ER.")
            self.record, self.first_line, self.notes = defaultdict(list), number, []
        elif tag == "ER":
            return self.close_record()
        if self.record is None:
            self._report_stray(line, number)
        elif tag:
            self._add_tag(self.record, tag, value)
        elif value:
            self._continue_value(self.record, value)
        return done

    def close_record(self, note: str = "") -> tuple[Record, int, list[str]] | None:
        record, self.record, self.last = self.record, None, ""
        if record is None:
            return None
        self.total += 1
        return record, self.first_line, [*self.notes, note] if note else self.notes

    def _report_stray(self, line: str, number: int) -> None:
        if not line.strip():
            return
        if len(self.unread) < MAX_STRAY_LINES:
            self.unread.append(UnparsedPassage(number, cut_excerpt(line), "The line is outside a record."))

    def _add_tag(self, record: Record, tag: str, value: str) -> None:
        self.last = tag
        if tag in KNOWN and len(record[tag]) < MAX_TAG_VALUES:
            record[tag].append(value[:LONGEST])

    def _continue_value(self, record: Record, value: str) -> None:
        values = record.get(self.last)
        if values and len(values[-1]) < LONGEST:
            values[-1] = f"{values[-1]} {value}"[:LONGEST]


def build_work(record: Record, line: int, notes: list[str], number: int) -> CitedWork:
    doi, url, wrong = normalize_identifiers(_first_value(record, ("DO",)), _first_value(record, LINKS).split(";")[0])
    title = _first_value(record, TITLES)
    container = _first_value(record, CONTAINERS) or next(
        (value for value in record.get("BT", ()) if value != title), ""
    )
    start, end = _first_value(record, ("SP",)), _first_value(record, ("EP",))
    kind = _first_value(record, ("TY",)).upper()
    return CitedWork(
        kind=KINDS.get(kind, "document"),
        title=title,
        authors=tuple(_parse_name(value) for tag in AUTHORS for value in record.get(tag, ()) if value.strip(" ,")),
        date=_parse_date(record),
        container=container,
        publisher=_first_value(record, ("PB",)),
        volume=_first_value(record, ("VL",)),
        issue=_first_value(record, ("IS",)),
        pages=f"{start}-{end}" if start and end and "-" not in start else start,
        doi=doi,
        url=url,
        isbn=_first_value(record, ("SN",)),
        arxiv_id=find_arxiv_id(url),
        key=_first_value(record, ("ID",)),
        number=number,
        line=line,
        unread=(*notes, *wrong),
    )


def _first_value(record: Record, tags: tuple[str, ...]) -> str:
    return next((collapse_spaces(value) for tag in tags for value in record.get(tag, ()) if value), "")


def _parse_name(text: str) -> Name:
    """Parse `Family, Given, Suffix`; a name without a comma stays undivided."""
    family, given, suffix, *_ = [*(part.strip() for part in collapse_spaces(text).split(",", 2)), "", ""]
    return Name(family, given, suffix)


def _parse_date(record: Record) -> str:
    """Return the most complete of the record's dates: `2024`, `2024/05/01`, `2024/05/01/spring`, `2024-05-01`."""
    found = [DATE.match(value) for tag in DATES for value in record.get(tag, ())]
    dates = [format_partial_date([int(part or 0) for part in match.groups()]) for match in found if match]
    first = next((date for date in dates if date), "")
    return max((date for date in dates if date[:4] == first[:4]), key=len, default="")
