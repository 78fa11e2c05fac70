"""BibTeX parser: entries, fields and macros; malformed entries are reported and skipped."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from assay.bibliography.work import LONGEST, UnparsedPassage, cut_excerpt

START = re.compile(r"@[ \t]*([A-Za-z][\w-]*)\s*([{(])")
NEXT = re.compile(r"\n[ \t]*@[ \t]*[A-Za-z][\w-]*\s{0,8}[{(]")
KEYS = {"}": re.compile(r"\s*([^\s,{}\"'=]*)\s*"), ")": re.compile(r"\s*([^\s,{}()\"'=]*)\s*")}
NAME = re.compile(r"\s*([^\s,{}()\"#%'=]+)\s*=\s*")
BARE = re.compile(r"[^\s,{}()\"#%'=]+")
BRACES = re.compile(r"\\.|[{}]", re.DOTALL)
QUOTES = re.compile(r"\\.|[{}\"]", re.DOTALL)
GAP = re.compile(r"\s*")
DIRECTIVES = ("comment", "preamble", "string")
PAREN = {"{": "}", "(": ")"}
MONTHS = {
    name: str(number)
    for number, name in enumerate(
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), 1
    )
}
MAX_FIELDS = 200  # per entry
MAX_UNREAD = 1_000  # reported malformed passages per document
MAX_EXPANSION = 2_000_000  # characters of all expanded macros and concatenated values per document


class MalformedEntry(Exception):
    """Raised where an entry is malformed; the message states the reason."""


@dataclass
class RawEntry:
    """An unconverted BibTeX entry: fields by lower-case name, values still in LaTeX."""

    kind: str
    key: str
    line: int
    fields: dict[str, str]
    unread: list[str] = field(default_factory=list)


class BibtexReader:
    """Parses one document in a single pass."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.macros: dict[str, str] = dict(MONTHS)
        self.unread: list[UnparsedPassage] = []
        self.remaining_expansion = MAX_EXPANSION
        self.place = 0  # offset after the last entry that was yielded
        self._limit = 0
        self._line, self._counted = 1, 0

    def read_entries(self) -> Iterator[RawEntry]:
        """Yield every entry; a malformed one has the fields that precede the error."""
        place = 0
        while start := START.search(self.text, place):
            limit = self._find_limit(start.end())
            kind = start[1].lower()
            if kind in DIRECTIVES:
                place = self._read_directive(kind, start, limit)
                continue
            raw = RawEntry(kind, "", self._find_line(start.start()), {})
            try:
                place = self._read_entry(raw, start.end(), limit, PAREN[start[2]])
            except MalformedEntry as error:
                raw.unread.append(str(error))
                self._report(start.start(), limit, str(error))
                place = limit
            self.place = place
            yield raw

    def count_rest(self) -> int:
        """Count the entries that begin a line after the last one read, without parsing them."""
        found = NEXT.finditer("\n" + self.text[self.place :])
        return sum(not one[0].lower().strip("\n\t @").startswith(DIRECTIVES) for one in found)

    def _read_directive(self, kind: str, start: re.Match[str], limit: int) -> int:
        """Skip `@comment` and `@preamble`, store the macro of `@string`; return the offset after it."""
        try:
            if kind == "string":
                return self._read_macro(start.end(), limit, PAREN[start[2]])
            return self._find_closing_brace(start.end(), limit) if start[2] == "{" else start.end()
        except MalformedEntry as error:
            self._report(start.start(), limit, str(error))
            return limit

    def _report(self, place: int, limit: int, reason: str) -> None:
        if len(self.unread) < MAX_UNREAD:
            line = self._find_line(place)
            self.unread.append(UnparsedPassage(line, cut_excerpt(self.text[place : min(limit, place + 200)]), reason))

    def _read_macro(self, place: int, limit: int, end: str) -> int:
        name = NAME.match(self.text, place, limit)
        if name is None:
            raise MalformedEntry("A macro has no name.")
        value, place, _ = self._read_value(name.end(), limit)
        self.macros[name[1].lower()] = value
        return self._expect_end(place, limit, end)

    def _expect_end(self, place: int, limit: int, end: str) -> int:
        place = self._skip_space(place, limit)
        if place < limit and self.text[place] == end:
            return place + 1
        raise MalformedEntry("It is not closed.")

    def _read_entry(self, raw: RawEntry, place: int, limit: int, end: str) -> int:
        """Fill the entry and return the offset after it. Raises MalformedEntry if the entry is malformed."""
        key = KEYS[end].match(self.text, place, limit)
        if (
            key and self.text[key.end() : key.end() + 1] != "="
        ):  # otherwise the entry has no key and starts with a field
            raw.key, place = key[1][:200], key.end()
        while True:
            place = self._skip_space(place, limit)
            while place < limit and self.text[place] == ",":
                place = self._skip_space(place + 1, limit)
            if place >= limit:
                raise MalformedEntry("It is not closed.")
            if self.text[place] == end:
                return place + 1
            place = self._read_field(raw, place, limit)

    def _read_field(self, raw: RawEntry, place: int, limit: int) -> int:
        name = NAME.match(self.text, place, limit)
        if name is None:
            raise MalformedEntry(
                f"A field is expected before {cut_excerpt(self.text[place : min(limit, place + 40)])!r}."
            )
        value, place, notes = self._read_value(name.end(), limit)
        if len(raw.fields) < MAX_FIELDS:
            raw.fields.setdefault(name[1].lower()[:100], value)
            raw.unread += notes
        return place

    def _read_value(self, place: int, limit: int) -> tuple[str, int, list[str]]:
        """Parse a value (pieces joined by `#`); return it, the offset after it and notes on undefined macros."""
        pieces: list[str] = []
        notes: list[str] = []
        while True:
            place = self._skip_space(place, limit)
            piece, place = self._read_piece(place, limit, notes)
            pieces.append(piece)
            place = self._skip_space(place, limit)
            if place >= limit or self.text[place] != "#":
                break
            place += 1
        value = "".join(piece for piece in pieces[:1_000])[:LONGEST]
        if len(pieces) > 1:
            self.remaining_expansion -= len(value)
        if self.remaining_expansion < 0:
            value, notes = "", ["Its macros expand beyond the size limit."]
        return value, place, notes

    def _read_piece(self, place: int, limit: int, notes: list[str]) -> tuple[str, int]:
        opening = self.text[place] if place < limit else ""
        if opening == "{":
            end = self._find_closing_brace(place + 1, limit)
            return self.text[place + 1 : min(end - 1, place + 1 + LONGEST)], end
        if opening == '"':
            end = self._find_closing_quote(place + 1, limit)
            return self.text[place + 1 : min(end - 1, place + 1 + LONGEST)], end
        bare = BARE.match(self.text, place, limit)
        if bare is None:
            raise MalformedEntry("A value is missing.")
        name = bare[0][:LONGEST]
        if name.isdigit():
            return name, bare.end()
        if (value := self.macros.get(name.lower())) is None:
            notes.append(f"The macro {name[:60]!r} is not defined.")
            return "", bare.end()
        self.remaining_expansion -= len(value)
        return value, bare.end()

    def _find_closing_brace(self, place: int, limit: int) -> int:
        """Return the offset after the brace that closes the one before `place`."""
        depth = 1
        for found in BRACES.finditer(self.text, place, limit):
            depth += {"{": 1, "}": -1}.get(found[0], 0)
            if depth == 0:
                return found.end()
        raise MalformedEntry("A brace is not closed.")

    def _find_closing_quote(self, place: int, limit: int) -> int:
        depth = 0
        for found in QUOTES.finditer(self.text, place, limit):
            if found[0] == '"' and depth <= 0:
                return found.end()
            depth += {"{": 1, "}": -1}.get(found[0], 0)
        raise MalformedEntry("A quotation mark is not closed.")

    def _skip_space(self, place: int, limit: int) -> int:
        gap = GAP.match(self.text, place, limit)
        return gap.end() if gap else place

    def _find_limit(self, place: int) -> int:
        """Return where the next entry begins a line; a malformed entry ends there."""
        if place > self._limit or not self._limit:
            found = NEXT.search(self.text, place)
            self._limit = found.start() + 1 if found else len(self.text)
        return self._limit

    def _find_line(self, place: int) -> int:
        self._line += self.text.count("\n", self._counted, place)
        self._counted = place
        return self._line
