"""BibTeX parser: entries, fields and macros; malformed entries are reported and skipped."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from assay.bibliography.work import LONGEST, Unread, excerpt

START = re.compile(r"@[ \t]*([A-Za-z][\w-]*)\s*([{(])")
NEXT = re.compile(r"\n[ \t]*@[ \t]*[A-Za-z][\w-]*\s{0,8}[{(]")
KEYS = {"}": re.compile(r"\s*([^\s,{}\"'=]*)\s*"), ")": re.compile(r"\s*([^\s,{}()\"'=]*)\s*")}
NAME = re.compile(r"\s*([^\s,{}()\"#%'=]+)\s*=\s*")
BARE = re.compile(r"[^\s,{}()\"#%'=]+")
BRACES = re.compile(r"\\.|[{}]", re.DOTALL)
QUOTES = re.compile(r"\\.|[{}\"]", re.DOTALL)
GAP = re.compile(r"\s*")
ASIDE = ("comment", "preamble", "string")
PAREN = {"{": "}", "(": ")"}
MONTHS = {
    name: str(number)
    for number, name in enumerate(
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), 1
    )
}
FIELDS = 200  # of an entry
TOLD = 1_000  # broken stretches of a document
ROOM = 2_000_000  # characters that all macros and joined values of a document may come to


class Broken(Exception):
    """The entry is malformed from this position on."""


@dataclass
class Raw:
    """An entry with its fields by lower-case name, values in LaTeX."""

    kind: str
    key: str
    line: int
    fields: dict[str, str]
    unread: list[str] = field(default_factory=list)


class BibtexReader:
    """Parses one document once, from beginning to end."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.macros: dict[str, str] = dict(MONTHS)
        self.unread: list[Unread] = []
        self.room = ROOM
        self.place = 0  # behind the entry that was given last
        self._limit = 0
        self._line, self._counted = 1, 0

    def entries(self) -> Iterator[Raw]:
        """Every entry, also those that break off, with what was read of them before."""
        place = 0
        while start := START.search(self.text, place):
            limit = self._limit_after(start.end())
            kind = start[1].lower()
            if kind in ASIDE:
                place = self._aside(kind, start, limit)
                continue
            raw = Raw(kind, "", self._line_at(start.start()), {})
            try:
                place = self._entry(raw, start.end(), limit, PAREN[start[2]])
            except Broken as broken:
                raw.unread.append(str(broken))
                self._tell(start.start(), limit, str(broken))
                place = limit
            self.place = place
            yield raw

    def rest(self) -> int:
        """How many entries begin a line behind the one that was read last; they are not read."""
        found = NEXT.finditer("\n" + self.text[self.place :])
        return sum(not one[0].lower().strip("\n\t @").startswith(ASIDE) for one in found)

    def _aside(self, kind: str, start: re.Match[str], limit: int) -> int:
        """Over what is no entry; a macro is learnt on the way."""
        try:
            if kind == "string":
                return self._macro(start.end(), limit, PAREN[start[2]])
            return self._find_closing_brace(start.end(), limit) if start[2] == "{" else start.end()
        except Broken as broken:
            self._tell(start.start(), limit, str(broken))
            return limit

    def _tell(self, place: int, limit: int, reason: str) -> None:
        if len(self.unread) < TOLD:
            line = self._line_at(place)
            self.unread.append(Unread(line, excerpt(self.text[place : min(limit, place + 200)]), reason))

    def _macro(self, place: int, limit: int, end: str) -> int:
        name = NAME.match(self.text, place, limit)
        if name is None:
            raise Broken("A macro has no name.")
        value, place, _ = self._value(name.end(), limit)
        self.macros[name[1].lower()] = value
        return self._closed(place, limit, end)

    def _closed(self, place: int, limit: int, end: str) -> int:
        place = self._over_space(place, limit)
        if place < limit and self.text[place] == end:
            return place + 1
        raise Broken("It is not closed.")

    def _entry(self, raw: Raw, place: int, limit: int, end: str) -> int:
        """Fill the entry; the place behind it. Raises Broken where it cannot be read on."""
        key = KEYS[end].match(self.text, place, limit)
        if key and self.text[key.end() : key.end() + 1] != "=":  # else there is no key, the fields begin at once
            raw.key, place = key[1][:200], key.end()
        while True:
            place = self._over_space(place, limit)
            while place < limit and self.text[place] == ",":
                place = self._over_space(place + 1, limit)
            if place >= limit:
                raise Broken("It is not closed.")
            if self.text[place] == end:
                return place + 1
            place = self._field(raw, place, limit)

    def _field(self, raw: Raw, place: int, limit: int) -> int:
        name = NAME.match(self.text, place, limit)
        if name is None:
            raise Broken(f"A field is expected before {excerpt(self.text[place : min(limit, place + 40)])!r}.")
        value, place, notes = self._value(name.end(), limit)
        if len(raw.fields) < FIELDS:
            raw.fields.setdefault(name[1].lower()[:100], value)
            raw.unread += notes
        return place

    def _value(self, place: int, limit: int) -> tuple[str, int, list[str]]:
        """A value, the place behind it, and which macros are unknown: pieces joined by `#`."""
        pieces: list[str] = []
        notes: list[str] = []
        while True:
            place = self._over_space(place, limit)
            piece, place = self._piece(place, limit, notes)
            pieces.append(piece)
            place = self._over_space(place, limit)
            if place >= limit or self.text[place] != "#":
                break
            place += 1
        value = "".join(piece for piece in pieces[:1_000])[:LONGEST]
        if len(pieces) > 1:
            self.room -= len(value)
        if self.room < 0:
            value, notes = "", ["Its macros expand to more than is read."]
        return value, place, notes

    def _piece(self, place: int, limit: int, notes: list[str]) -> tuple[str, int]:
        opening = self.text[place] if place < limit else ""
        if opening == "{":
            end = self._find_closing_brace(place + 1, limit)
            return self.text[place + 1 : min(end - 1, place + 1 + LONGEST)], end
        if opening == '"':
            end = self._find_closing_quote(place + 1, limit)
            return self.text[place + 1 : min(end - 1, place + 1 + LONGEST)], end
        bare = BARE.match(self.text, place, limit)
        if bare is None:
            raise Broken("A value is missing.")
        name = bare[0][:LONGEST]
        if name.isdigit():
            return name, bare.end()
        if (known := self.macros.get(name.lower())) is None:
            notes.append(f"The macro {name[:60]!r} is not defined.")
            return "", bare.end()
        self.room -= len(known)
        return known, bare.end()

    def _find_closing_brace(self, place: int, limit: int) -> int:
        """The place behind the brace that closes the one before `place`."""
        depth = 1
        for found in BRACES.finditer(self.text, place, limit):
            depth += {"{": 1, "}": -1}.get(found[0], 0)
            if depth == 0:
                return found.end()
        raise Broken("A brace is not closed.")

    def _find_closing_quote(self, place: int, limit: int) -> int:
        depth = 0
        for found in QUOTES.finditer(self.text, place, limit):
            if found[0] == '"' and depth <= 0:
                return found.end()
            depth += {"{": 1, "}": -1}.get(found[0], 0)
        raise Broken("A quotation mark is not closed.")

    def _over_space(self, place: int, limit: int) -> int:
        gap = GAP.match(self.text, place, limit)
        return gap.end() if gap else place

    def _limit_after(self, place: int) -> int:
        """Where the next entry begins at the start of a line: no broken entry reaches beyond it."""
        if place > self._limit or not self._limit:
            found = NEXT.search(self.text, place)
            self._limit = found.start() + 1 if found else len(self.text)
        return self._limit

    def _line_at(self, place: int) -> int:
        self._line += self.text.count("\n", self._counted, place)
        self._counted = place
        return self._line
