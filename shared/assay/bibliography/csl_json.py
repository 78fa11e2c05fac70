"""CSL-JSON parser: a list of items, one item, or the readable part of a damaged file."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

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
from assay.text.surrogates import may_have_surrogates, replace_surrogates

MARKUP = re.compile(
    r'</?(?:i|b|sub|sup|sc|em|strong)>|<span (?:class|style)="[^"<>]{0,60}">|</span>', re.IGNORECASE
)  # the rich-text tags that CSL-JSON allows
COMMA = re.compile(r"[\s,\ufeff]*")
DATE = re.compile(r"\s*(\d{4})(?:[-/](\d{1,2})(?:[-/](\d{1,2}))?)?")
PEOPLE = ("author", "editor", "container-author", "director", "composer")
AUTHORS = 2_000
READER = json.JSONDecoder(parse_constant=lambda _: None)  # NaN and Infinity become null
RESUME = re.compile(r"\}\s{0,40},\s{0,40}(?=\{)")
MAX_BROKEN_PASSAGES = 20  # malformed passages after which parsing stops


def parse_csl_json(text: str, limit: int) -> tuple[list[CitedWork], list[UnparsedPassage], int]:
    """Parse a CSL-JSON document; return its first `limit` works, the passages not understood and the item count."""
    reader = CslJsonReader(text)
    works: list[CitedWork] = []
    total = 0
    for line, item in reader.read_items():
        total += 1
        if total <= limit:
            works.append(build_work(item, total, line))
    return works, reader.unread, total


class CslJsonReader:
    """Parses one document item by item, so that a malformed item does not affect the others."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.unread: list[UnparsedPassage] = []
        self._has_surrogates = may_have_surrogates(text)
        self._line, self._counted = 1, 0

    def read_items(self) -> Iterator[tuple[int, Mapping[str, Any]]]:
        place = self._skip_separators(0)
        opened = self.text.startswith("[", place)
        place = self._skip_separators(place + opened)
        while place < len(self.text) and self.text[place] != "]":
            start = place
            try:
                value, place = READER.raw_decode(self.text, start)
                value = replace_surrogates(value) if self._has_surrogates else value
            except (ValueError, RecursionError):
                self._report(start, "This is not JSON.")
                place = self._skip_to_next_item(start)
            else:
                yield from self._unwrap(value, start)
            place = self._skip_separators(place)
        if opened and place >= len(self.text):
            self._report(place, "The list is not closed.")
        elif self.text[place + 1 :].strip():
            self._report(place + 1, "This text follows the end of the list.")

    def _unwrap(self, value: Any, place: int) -> Iterator[tuple[int, Mapping[str, Any]]]:
        """Yield the items of a value: itself, or those inside `message` or `items` (Crossref)."""
        wrapped = value
        for name in ("message", "items"):
            if isinstance(wrapped, Mapping) and isinstance(wrapped.get(name), Mapping | list) and "type" not in wrapped:
                wrapped = wrapped[name]
        for item in wrapped if isinstance(wrapped, list) else [wrapped]:
            if isinstance(item, Mapping):
                yield self._find_line(place), item
            else:
                self._report(place, "This is not a CSL-JSON item.")

    def _skip_to_next_item(self, place: int) -> int:
        found = RESUME.search(self.text, place)
        return found.end() if found and len(self.unread) < MAX_BROKEN_PASSAGES else len(self.text)

    def _report(self, place: int, reason: str) -> None:
        if len(self.unread) <= MAX_BROKEN_PASSAGES:
            self.unread.append(
                UnparsedPassage(self._find_line(place), cut_excerpt(self.text[place : place + 200]), reason)
            )

    def _skip_separators(self, place: int) -> int:
        found = COMMA.match(self.text, place)
        return found.end() if found else place

    def _find_line(self, place: int) -> int:
        self._line += self.text.count("\n", self._counted, place)
        self._counted = max(place, self._counted)
        return self._line


def build_work(item: Mapping[str, Any], number: int, line: int) -> CitedWork:
    notes: list[str] = []
    doi, url, wrong = normalize_identifiers(_read_text(item, "DOI", notes), _read_text(item, "URL", notes))
    return CitedWork(
        kind=_read_text(item, "type", notes)[:60] or "document",
        title=_read_text(item, "title", notes),
        authors=_parse_people(item, notes),
        date=_find_date(item, notes),
        container=_read_text(item, "container-title", notes),
        publisher=_read_text(item, "publisher", notes),
        volume=_read_text(item, "volume", notes),
        issue=_read_text(item, "issue", notes),
        pages=_read_text(item, "page", notes).replace("–", "-"),
        doi=doi,
        url=url,
        isbn=_read_text(item, "ISBN", notes),
        place=_read_text(item, "event-place", notes),
        arxiv_id=find_arxiv_id(url),
        pmid=_read_text(item, "PMID", notes),
        pmcid=_read_text(item, "PMCID", notes),
        key=(_read_text(item, "id", notes) or _read_text(item, "citation-key", notes))[:200],
        number=number,
        line=line,
        unread=(*notes, *wrong),
    )


def _read_text(item: Mapping[str, Any], name: str, notes: list[str]) -> str:
    """Return a field's text without CSL markup; of a list (Crossref) the first element."""
    value = item.get(name)
    value = value[0] if isinstance(value, list) and value else value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)[:40] if isinstance(value, float) or abs(value) < 10**30 else ""
    if isinstance(value, str):
        return collapse_spaces(MARKUP.sub("", value[:LONGEST]))
    if value not in (None, [], {}):
        notes.append(f"{name} is not text.")
    return ""


def _parse_people(item: Mapping[str, Any], notes: list[str]) -> tuple[Name, ...]:
    """Return the authors, else the people of the next role in `PEOPLE`."""
    for role in PEOPLE:
        people = item.get(role)
        if not people:
            continue
        if not isinstance(people, list):
            notes.append(f"{role} is not a list of names.")
            continue
        names = tuple(name for person in people[:AUTHORS] if (name := _parse_name(person)).family)
        if len(names) < min(len(people), AUTHORS):
            notes.append(f"{role} has a name that cannot be parsed.")
        if names:
            return names
    return ()


def _parse_name(person: Any) -> Name:
    if isinstance(person, str):
        return Name(collapse_spaces(person))
    if not isinstance(person, Mapping):
        return Name("")
    part = {name: collapse_spaces(value) for name, value in person.items() if isinstance(value, str)}
    literal = part.get("literal") or part.get("name", "")
    family = " ".join(
        word for word in (part.get("dropping-particle"), part.get("non-dropping-particle"), part.get("family")) if word
    )
    if not family:
        return Name(literal or part.get("given", ""))
    return Name(family, part.get("given", ""), part.get("suffix", ""))


def _find_date(item: Mapping[str, Any], notes: list[str]) -> str:
    """Return the date of `issued` (date-parts, raw, literal or plain text), else Crossref's `published` fields."""
    for name in ("issued", "published", "published-print", "published-online"):
        value = item.get(name)
        if value is None:
            continue
        if date := _parse_date(value):
            return date
        if value not in ({}, [], "", {"date-parts": [[None]]}):
            notes.append(f"{name} is not a date that can be parsed.")
    return ""


def _parse_date(value: Any) -> str:
    if isinstance(value, Mapping):
        parts = value.get("date-parts")
        if isinstance(parts, list) and parts and isinstance(parts[0], list):
            return format_partial_date(_parse_numbers(parts[0]))
        value = value.get("raw") or value.get("literal")
    if isinstance(value, int) and not isinstance(value, bool):
        return format_partial_date([value]) if value < 10_000 else ""
    found = DATE.match(value) if isinstance(value, str) else None
    return format_partial_date([int(part) for part in found.groups() if part]) if found else ""


def _parse_numbers(parts: list[Any]) -> list[int]:
    numbers: list[int] = []
    for part in parts[:3]:
        text = str(part)[:6].strip()
        if isinstance(part, bool) or not (text.isascii() and text.isdecimal()):
            break
        numbers.append(int(text))
    return numbers
