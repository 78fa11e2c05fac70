"""Styles and fonts of Word 97 files ([MS-DOC] 2.9.271 and 2.9.286), and what properties make of a paragraph or run."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from assay.documents.docx_blocks import CODE_STYLE, QUOTE_STYLE, find_style_depth
from assay.documents.docx_formatting import INHERITED, NARROW, RISE, TINY, RunFormat
from assay.documents.docx_numbering import DEEPEST, ListPlace, inherit_place
from assay.documents.little_endian import read_number, read_signed
from assay.documents.word97_file import Word97File, Word97Part
from assay.documents.word97_sprms import find_color, iter_sprms, read_color, read_shading

CHAIN = 20  # maximum length of a chain of base styles
PARAGRAPH, CHARACTER = 1, 2  # kinds of styles
HEADINGS, TITLE = range(1, 10), 62  # numbers of built-in styles (sti), the same in every language
LIST_LEVELS = {50 + place: place % 4 + 1 for place in range(12)}  # List 2 to 5, List Bullet 2 to 5, List Number 2 to 5
SAME, OPPOSITE = 0x80, 0x81  # values of a switch: as the style has it, or not
SWITCHES = {0x0835: "is_bold", 0x0836: "is_italic", 0x083C: "vanish"}
NO_LIST = 0x7FE  # numbers of lists from here on are of Word 95, or of paragraphs that have lost theirs
CHARACTER_STYLE = 0x4A30
SUPERSCRIPT, NORMAL_STYLE = 1, 0
DEEPEST_TABLE = 20  # tables in tables
HEADING = re.compile(r"heading ([1-9])|title", re.IGNORECASE)
FONT_NAME = 39  # where the name of a font stands in its description


class Word97Paragraph(NamedTuple):
    """The properties of a paragraph that the Markdown depends on; None stands for what the style decides."""

    style: int = NORMAL_STYLE
    level: int | None = None  # of its heading; 0 for body text
    list_id: int | None = None
    list_depth: int | None = None
    shading: str | None = None
    depth: int = 0  # of the table that it is in
    ends_cell: bool = False
    ends_row: bool = False
    is_drop_cap: bool = False
    location: int | None = None  # of further properties in the data stream
    table: bytes = b""  # the properties of its row


class Word97Run(NamedTuple):
    """The properties of characters."""

    format: RunFormat = INHERITED
    is_deleted: bool = False
    font: int | None = None
    symbol: bytes = b""  # the font and the code of a symbol
    location: int | None = None  # of a picture or form field in the data stream


@dataclass
class Word97Style:
    """A style with what it inherits."""

    level: int = 0  # of its heading; 0 for none
    run: RunFormat = INHERITED
    place: ListPlace | None = None
    is_code: bool = False
    is_quote: bool = False
    depth: int = 0  # list level by its kind


@dataclass(frozen=True)
class StyleDefinition:
    """A style as the file has it: the numbers of its kind and base, its name and its own properties."""

    number: int
    kind: int
    base: int
    name: str
    paragraph: bytes
    run: bytes


@dataclass
class Word97Styles:
    """The styles and fonts by their numbers."""

    fonts: list[str] = field(default_factory=list)
    _definitions: list[StyleDefinition | None] = field(default_factory=list)
    _combined: dict[int, Word97Style] = field(default_factory=dict)

    @classmethod
    def read(cls, file: Word97File) -> "Word97Styles":
        return cls(_read_fonts(file.read_part(Word97Part.FONTS)), _read_definitions(file.read_part(Word97Part.STYLES)))

    def find_font(self, number: int | None) -> str:
        """The name of a font; "" for none."""
        return self.fonts[number] if number is not None and number < len(self.fonts) else ""

    def _list_chain(self, number: int) -> list[StyleDefinition]:
        chain: list[StyleDefinition] = []
        while number < len(self._definitions) and (found := self._definitions[number]) and len(chain) < CHAIN:
            chain.append(found)
            number = found.base
        return chain

    def combine(self, number: int) -> Word97Style:
        """The style with what it inherits from its base styles."""
        if number not in self._combined:
            self._combined[number] = self._combine(self._list_chain(number))
        return self._combined[number]

    def _combine(self, chain: list[StyleDefinition]) -> Word97Style:
        combined = Word97Style()
        for style in reversed(chain):
            own = read_paragraph(style.paragraph)
            run = self.read_run(style.run, combined.run, in_style=True)
            combined.run = run.format.override(RunFormat(background=own.shading))
            combined.place = inherit_place(find_place(own), combined.place)
            combined.level = _find_level(style, own, combined.level)
            combined.is_code = combined.is_code or _is_named(style, CODE_STYLE)
            combined.is_quote = combined.is_quote or _is_named(style, QUOTE_STYLE)
            combined.depth = LIST_LEVELS.get(style.number) or find_style_depth(style.name)
        return combined

    def read_run(self, properties: bytes, outer: RunFormat, *, in_style: bool = False) -> Word97Run:
        """What properties make of characters whose formatting is otherwise the outer one. No style refers to others."""
        run, style = Word97Run(outer), outer
        for code, operand in iter_sprms(properties):
            if code == CHARACTER_STYLE and not in_style:
                style = outer.override(self.combine(read_number(operand, 0, 2)).run)
                run = run._replace(format=style)
            elif code in SWITCHES:
                run = run._replace(format=_switch(run.format, style, SWITCHES[code], read_number(operand, 0, 1)))
            elif code in FORMATS:
                name, read = FORMATS[code]
                change: dict[str, Any] = {} if (value := read(operand)) is None else {name: value}
                run = run._replace(format=run.format._replace(**change))
            elif code in FACTS:
                fact, read_fact = FACTS[code]
                known: dict[str, Any] = {fact: read_fact(operand)}
                run = run._replace(**known)
            elif code in PLAIN:
                run = run._replace(format=style)
        return run


def read_paragraph(properties: bytes, style: int = NORMAL_STYLE) -> Word97Paragraph:
    """What the properties of a paragraph of a style make of it."""
    found: dict[str, Any] = {"style": style}
    for code, operand in iter_sprms(properties):
        if code in PARAGRAPH_FACTS:
            name, convert = PARAGRAPH_FACTS[code]
            found[name] = convert(operand)
        elif code == 0x2416:  # sprmPFInTable
            found["depth"] = max(found.get("depth", 0), operand[0] if operand else 0)
        elif code == 0x664A:  # sprmPDtap
            found["depth"] = found.get("depth", 0) + read_signed(operand, 0, 4)
    found["depth"] = min(max(found.get("depth", 0), 0), DEEPEST_TABLE)
    if found.get("ends_row"):
        found["table"] = properties
    return Word97Paragraph(**found)


def find_place(paragraph: Word97Paragraph) -> ListPlace | None:
    """The list and the level that the properties of a paragraph or style name; None without any."""
    if paragraph.list_id is None and paragraph.list_depth is None:
        return None
    number = paragraph.list_id
    list_id = "" if number is None else str(number) if number < NO_LIST else "0"
    return list_id, paragraph.list_depth


def _switch(current: RunFormat, style: RunFormat, name: str, value: int) -> RunFormat:
    """The formatting with a switch on, off, as the style has it, or not as the style has it."""
    as_styled = getattr(style, name)
    is_on = as_styled if value == SAME else not as_styled if value == OPPOSITE else value == 1
    change: dict[str, Any] = {name: is_on}
    return current._replace(**change)


def _find_level(style: StyleDefinition, own: Word97Paragraph, inherited: int) -> int:
    if style.number in HEADINGS:
        return style.number
    heading = HEADING.fullmatch(style.name)
    named = int(heading[1] or 1) if heading else int(style.number == TITLE)
    return named or own.level or inherited


def _is_named(style: StyleDefinition, pattern: re.Pattern[str]) -> bool:
    return style.kind == PARAGRAPH and pattern.fullmatch(style.name) is not None


def _read_bool(operand: bytes) -> bool:
    return any(operand)


def _read_whole(operand: bytes) -> int:
    return int.from_bytes(operand, "little")


FORMATS: dict[int, tuple[str, Callable[[bytes], bool | str | None]]] = {
    0x4A43: ("is_tiny", lambda operand: _read_whole(operand) < TINY),
    0x4852: ("is_narrow", lambda operand: _read_whole(operand) < NARROW),
    0x2A42: ("color", lambda operand: find_color(_read_whole(operand))),
    0x6870: ("color", read_color),
    0x2A0C: ("background", lambda operand: find_color(_read_whole(operand)) or None),
    0x4866: ("background", read_shading),
    0xCA71: ("background", read_shading),
    0x2A48: ("is_raised", lambda operand: _read_whole(operand) == SUPERSCRIPT),
    0x4845: ("is_raised", lambda operand: read_signed(operand, 0, 2) >= RISE or None),
}
FACTS: dict[int, tuple[str, Callable[[bytes], bool | int | bytes]]] = {
    0x0800: ("is_deleted", _read_bool),
    0x4A4F: ("font", _read_whole),
    0x6A09: ("symbol", bytes),
    0x6A03: ("location", _read_whole),
}
PLAIN = (0x2A32, 0x2A33)
PARAGRAPH_FACTS: dict[int, tuple[str, Callable[[bytes], bool | int | str | None]]] = {
    0x4600: ("style", _read_whole),
    0x260A: ("list_depth", lambda operand: min(_read_whole(operand), DEEPEST)),
    0x460B: ("list_id", _read_whole),
    0x2640: ("level", lambda operand: (_read_whole(operand) + 1) % 10 if _read_whole(operand) < 10 else 0),
    0x442D: ("shading", read_shading),
    0xC64D: ("shading", read_shading),
    0x6649: ("depth", lambda operand: read_signed(operand, 0, 4)),
    0x2417: ("ends_row", _read_bool),
    0x244B: ("ends_cell", _read_bool),
    0x244C: ("ends_row", _read_bool),
    0x442C: ("is_drop_cap", lambda operand: _read_whole(operand) & 7 in (1, 2)),
    0x6645: ("location", _read_whole),
    0x6646: ("location", _read_whole),
}


def _read_fonts(table: bytes) -> list[str]:
    """The names of the fonts."""
    fonts, place = [], 4
    for _ in range(read_number(table, 0, 2)):
        size = 1 + read_number(table, place, 1)
        if place >= len(table):
            break
        name = table[place + 1 + FONT_NAME : place + size]
        fonts.append(name.decode("utf-16-le", "replace").partition("\0")[0])
        place += size
    return fonts


def _read_definitions(table: bytes) -> list[StyleDefinition | None]:
    """The styles of a style sheet; None for numbers without one."""
    size = read_number(table, 0, 2)
    count, base_size = read_number(table, 2, 2), read_number(table, 4, 2)
    place, styles = 2 + size, []
    for _ in range(count):
        if place >= len(table):
            break
        length = read_number(table, place, 2)
        styles.append(_read_definition(table[place + 2 : place + 2 + length], base_size) if length else None)
        place += 2 + length
    return styles


def _read_definition(style: bytes, base_size: int) -> StyleDefinition:
    number, base = read_number(style, 0, 2) & 0xFFF, read_number(style, 2, 2)
    kind, count = base & 0xF, read_number(style, 4, 2) & 0xF
    length = read_number(style, base_size, 2)
    name = style[base_size + 2 : base_size + 2 + 2 * length].decode("utf-16-le", "replace")
    place, parts = base_size + 2 + 2 * length + 2, []
    for _ in range(count):
        place += place % 2
        size = read_number(style, place, 2)
        parts.append(style[place + 2 : place + 2 + size])
        place += 2 + size
    run = parts[1] if kind == PARAGRAPH and len(parts) > 1 else parts[0] if kind == CHARACTER and parts else b""
    paragraph = parts[0][2:] if kind == PARAGRAPH and parts else b""
    return StyleDefinition(number, kind, base >> 4, name.split(",")[0].strip(), paragraph, run)
