"""Texts of PowerPoint 97 to 2003 files ([MS-PPT] 2.9): their characters, and the properties of paragraphs and runs."""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from assay.documents.little_endian import read_number
from assay.documents.office_drawings import DrawingRecord, iter_records

HEAD, CHARACTERS, BYTES, STYLES = 0x0F9F, 0x0FA0, 0x0FA8, 0x0FA1  # kinds of records
LINK, LINKED = 0x0FF2, 0x0FDF
LINK_ATOM, CLICK = 0x0FF3, 0
SLIDE_NUMBER = 0x0FD8
FIELDS = frozenset((SLIDE_NUMBER, 0x0FF7, 0x0FF8, 0x0FF9, 0x0FFA, 0x1015))  # dates, headers and footers
CENTER_BODY = 5  # a kind of texts; those from it on have styles that number their levels
PARAGRAPH_END = "\r"
TABS = 1 << 20
# The fields of properties in their order: the bits of the mask that announce each, and its bytes.
PARAGRAPH_FIELDS = (
    (0xF, 2), (1 << 7, 2), (1 << 4, 2), (1 << 6, 2), (1 << 5, 4), (1 << 11, 2), (1 << 12, 2), (1 << 13, 2),
    (1 << 14, 2), (1 << 8, 2), (1 << 10, 2), (1 << 15, 2), (TABS, 2), (1 << 16, 2), (0xE0000, 2), (1 << 21, 2),
)  # fmt: skip
STYLE, FONT, SYMBOLS, SIZE, COLOR, POSITION = 0xFFFF, 1 << 16, 1 << 23, 1 << 17, 1 << 18, 1 << 19
RUN_FIELDS = ((STYLE, 2), (FONT, 2), (1 << 21, 2), (1 << 22, 2), (SYMBOLS, 2), (SIZE, 2), (COLOR, 4), (POSITION, 2))
IS_NUMBERED, SCHEME, SMART_TAGS = 1 << 25, 1 << 24, 1 << 9  # in further properties
LEVELS = 8


type Numbers = list[int | None]  # the first numbers of groups of paragraphs; None for a group without numbers


class PptLevel(NamedTuple):
    """The properties of paragraphs; `has_bullet` is None where the master decides."""

    level: int = 0
    has_bullet: bool | None = None


class PptRun(NamedTuple):
    """The properties of characters; -1 stands for what the master decides. `group` is that of further properties."""

    is_bold: bool = False
    is_italic: bool = False
    is_raised: bool = False
    font: int = -1
    symbols: int = -1
    size: int = -1
    color: int = -1
    group: int = 0


class PptPiece(NamedTuple):
    """Characters of one run, the number of what they link to, and the kind of field that they stand for; 0 for none."""

    text: str
    run: PptRun
    link: int
    field: int


class PptParagraph(NamedTuple):
    """A paragraph and its number in the text."""

    number: int
    shape: PptLevel
    pieces: list[PptPiece]


@dataclass
class PptText:
    """A text. The ends of levels and runs, in UTF-16 units, belong to their properties in the same order."""

    kind: int
    units: str = ""
    level_ends: list[int] = field(default_factory=list)
    levels: list[PptLevel] = field(default_factory=list)
    run_ends: list[int] = field(default_factory=list)
    runs: list[PptRun] = field(default_factory=list)
    links: list[tuple[int, int, int]] = field(default_factory=list)  # begin, end, number
    fields: dict[int, int] = field(default_factory=dict)  # their kinds by place
    numbers: Numbers = field(default_factory=list)
    bullets: list[bool] = field(default_factory=list)  # of the levels by the master, as far as it says

    def iter_paragraphs(self) -> Iterator[PptParagraph]:
        """Yield the paragraphs in their order."""
        place = 0
        cuts = sorted({*self.run_ends, *self.fields, *(each + 1 for each in self.fields), *self._place_links()})
        for number, text in enumerate(self.units.split(PARAGRAPH_END)):
            end = place + len(text)
            inner = cuts[bisect_right(cuts, place) : bisect_right(cuts, end - 1)] if text else []
            edges = [place, *inner, end]
            pieces = [self._cut(start, stop) for start, stop in pairwise(edges) if start < stop]
            yield PptParagraph(number, _find(self.levels, self.level_ends, place, PptLevel()), pieces)
            place = end + 1

    def _place_links(self) -> list[int]:
        """Leave out the links that overlap others, and return where the others begin and end."""
        kept: list[tuple[int, int, int]] = []
        for link in sorted(self.links):
            if link[0] < link[1] and (not kept or link[0] >= kept[-1][1]):
                kept.append(link)
        self.links = kept
        return [edge for link in kept for edge in link[:2]]

    def _cut(self, start: int, end: int) -> PptPiece:
        run = _find(self.runs, self.run_ends, start, PptRun())
        after = bisect_right(self.links, start, key=_get_begin)
        link = self.links[after - 1] if after else (0, 0, 0)
        return PptPiece(self.units[start:end], run, link[2] if start < link[1] else 0, self.fields.get(start, 0))


def _get_begin(link: tuple[int, int, int]) -> int:
    return link[0]


def _find[T](items: list[T], ends: list[int], place: int, default: T) -> T:
    """The item that a place belongs to."""
    number = bisect_right(ends, place)
    return items[number] if number < len(items) else default


def read_texts(data: bytes, start: int, end: int) -> list[PptText]:
    """The texts between two places."""
    texts: list[PptText] = []
    link = 0  # what the next characters that are named link to
    for record in iter_records(data, start, end):
        if record.kind == HEAD:
            texts.append(PptText(read_number(data, record.start, 4)))
        elif record.kind == LINK:
            atoms = (each for each in iter_records(data, record.start, record.end) if each.kind == LINK_ATOM)
            link = next((read_number(data, atom.start + 4, 4) for atom in atoms if record.number == CLICK), 0)
        elif texts:
            _add_record(data, record, texts[-1], link)
    return texts


def _add_record(data: bytes, record: DrawingRecord, text: PptText, link: int) -> None:
    """Add what a record says about a text."""
    if record.kind in (CHARACTERS, BYTES):
        text.units = _read_units(data[record.start : record.end], record.kind)
    elif record.kind == STYLES:
        _read_styles(data[record.start : record.end], text)
    elif record.kind == LINKED and link and record.number == CLICK:
        text.links.append((read_number(data, record.start, 4), read_number(data, record.start + 4, 4), link))
    elif record.kind in FIELDS:
        text.fields[read_number(data, record.start, 4)] = record.kind


def _read_units(raw: bytes, kind: int) -> str:
    """The UTF-16 units of a text, of which each is a character."""
    if kind == BYTES:
        return raw.decode("latin-1")
    raw = raw[: len(raw) // 2 * 2]
    text = raw.decode("utf-16-le", "surrogatepass")
    return text if 2 * len(text) == len(raw) else "".join(map(chr, memoryview(raw).cast("H")))


def _read_styles(data: bytes, text: PptText) -> None:
    """Read the properties of paragraphs, then those of runs, each for a number of characters."""
    place, done, length = 0, 0, len(text.units) + 1
    while done < length and place + 10 <= len(data):
        done += read_number(data, place, 4)
        level = min(read_number(data, place + 4, 2), LEVELS)
        place, found = read_fields(data, place + 6, PARAGRAPH_FIELDS)
        text.level_ends.append(done)
        text.levels.append(PptLevel(level, read_bullet(found)))
    done = 0
    while done < length and place + 8 <= len(data):
        done += read_number(data, place, 4)
        place, found = read_fields(data, place + 4, RUN_FIELDS)
        text.run_ends.append(done)
        text.runs.append(_read_run(found))


type Fields = dict[int, int]  # the values that a mask announces, by their bits; the mask itself at 0


def read_fields(data: bytes, place: int, fields: tuple[tuple[int, int], ...]) -> tuple[int, Fields]:
    """Read a mask and the values that it announces, and return where they end, and the values."""
    mask = read_number(data, place, 4)
    place += 4
    found = {0: mask}
    for bits, size in fields:
        if mask & bits:
            found[bits] = read_number(data, place, size)
            place += size + (4 * found[bits] if bits == TABS else 0)
    return place, found


def read_bullet(found: Fields) -> bool | None:
    """Whether paragraphs have a bullet; None where the properties do not say."""
    return bool(found[0xF] & 1) if found[0] & 1 else None


def read_master_bullets(data: bytes, start: int, end: int, kind: int) -> list[bool]:
    """Whether a master gives bullets to the texts of a kind (TextMasterStyleAtom), by level."""
    bullets: list[bool] = []
    place = start + 2
    for _ in range(min(read_number(data, start, 2), LEVELS)):
        place += 2 if kind >= CENTER_BODY else 0
        place, found = read_fields(data, place, PARAGRAPH_FIELDS)
        place, _ = read_fields(data, place, RUN_FIELDS)
        if place > end:
            break
        has_bullet = read_bullet(found)
        bullets.append((bool(bullets) and bullets[-1]) if has_bullet is None else has_bullet)
    return bullets


def _read_run(found: Fields) -> PptRun:
    style, position = found.get(STYLE, 0), found.get(POSITION, 0)
    return PptRun(
        bool(style & 1),
        bool(style & 2),
        0 < position < 1 << 15,
        found.get(FONT, -1),
        found.get(SYMBOLS, -1),
        found.get(SIZE, -1),
        found.get(COLOR, -1),
        style >> 10 & 0xF,
    )


def read_numbers(data: bytes, start: int, end: int) -> Numbers:
    """The first numbers of the groups of paragraphs (StyleTextProp9Atom); None for a group without numbers."""
    numbers: Numbers = []
    place = start
    while place + 12 <= end:
        place, found = read_fields(data, place, ((1 << 23, 2), (IS_NUMBERED, 2), (SCHEME, 4)))
        place, _ = read_fields(data, place, ((1 << 20, 4),))
        place, further = read_fields(data, place, ((1, 2), (2, 2), (4, 2), (1 << 6, 2), (1 << 5, 4), (SMART_TAGS, 4)))
        place += 4 * further.get(SMART_TAGS, 0)
        numbers.append(max(1, found.get(SCHEME, 1 << 16) >> 16) if found.get(IS_NUMBERED) == 1 else None)
    return numbers
