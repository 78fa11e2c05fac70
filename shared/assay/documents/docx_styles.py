"""What a Word file's styles and numbering make of a paragraph: a heading's level, a list's label."""

import re
from collections import defaultdict
from dataclasses import dataclass, field

from assay.documents.ooxml import child
from assay.documents.safe_xml import Element, attribute, local

CHAIN = 20  # styles based on styles
TINY = 4  # half points: two points
DEEPEST = 8  # Word's levels are 0 to 8
HEADING = re.compile(r"heading (\d)", re.IGNORECASE)
ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
         (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))  # fmt: skip


def on(element: Element) -> bool:
    """Whether a switch such as `w:vanish` is on: it is when it is there and does not say no."""
    return element is not None and attribute(element, "val") not in {"0", "false", "off"}


def number(element: Element, default: int = 0) -> int:
    """The element's `val` as a whole number, 0 to 100,000."""
    value = "" if element is None else attribute(element, "val")
    return min(int(value), 100_000) if value.isdecimal() and len(value) < 10 else default


@dataclass
class Style:
    name: str = ""
    based_on: str = ""
    level: int = 0  # of a heading; 0 is none
    hidden: bool | None = None
    numbering: tuple[str, int] | None = None


class DocxStyles:
    """Styles by id, with what they inherit."""

    def __init__(self, root: Element) -> None:
        items = () if root is None else root
        self._items = {attribute(item, "styleId"): item for item in items if local(item) == "style"}
        self._read: dict[str, Style] = {}  # most files use few of their many styles

    def _style(self, style_id: str) -> Style | None:
        if style_id not in self._read and style_id in self._items:
            self._read[style_id] = _style(self._items[style_id])
        return self._read.get(style_id)

    def _chain(self, style_id: str) -> list[Style]:
        found: list[Style] = []
        while (style := self._style(style_id)) and len(found) < CHAIN:
            found.append(style)
            style_id = style.based_on
        return found

    def level(self, style_id: str) -> int:
        return next((style.level for style in self._chain(style_id) if style.level), 0)

    def hidden(self, style_id: str) -> bool:
        return next((style.hidden for style in self._chain(style_id) if style.hidden is not None), False)

    def numbering(self, style_id: str) -> tuple[str, int] | None:
        return next((style.numbering for style in self._chain(style_id) if style.numbering), None)


def _style(item: Element) -> Style:
    name, based = child(item, "name"), child(item, "basedOn")
    vanish, size = child(item, "rPr", "vanish"), child(item, "rPr", "sz")
    tiny = size is not None and number(size, TINY) < TINY
    properties = child(item, "pPr")
    return Style(
        "" if name is None else attribute(name, "val"),
        "" if based is None else attribute(based, "val"),
        _level("" if name is None else attribute(name, "val"), properties),
        True if tiny else None if vanish is None else on(vanish),
        find_list_level(properties),
    )


def _level(name: str, properties: Element) -> int:
    """Built-in names are English in every language's Word; any style may have an outline level."""
    if name.lower() == "title":
        return 1
    found = HEADING.fullmatch(name)
    if found:
        return int(found[1])
    return outline(properties)


def outline(properties: Element) -> int:
    """A paragraph's own outline level as a heading's; 9 is Word's word for body text."""
    found = None if properties is None else child(properties, "outlineLvl")
    return 0 if found is None or number(found, 9) > DEEPEST else number(found) + 1


def find_list_level(properties: Element) -> tuple[str, int] | None:
    """The list a paragraph says it belongs to, and how deep it stands there."""
    found = None if properties is None else child(properties, "numPr")
    if found is None:
        return None
    list_id, depth = child(found, "numId"), child(found, "ilvl")
    return ("" if list_id is None else attribute(list_id, "val"), min(number(depth), DEEPEST))


@dataclass
class Level:
    kind: str = "bullet"
    text: str = ""
    start: int = 1


@dataclass
class Numbering:
    """Lists by id, and how far each has counted."""

    levels: dict[str, dict[int, Level]] = field(default_factory=dict)
    counts: dict[str, dict[int, int]] = field(default_factory=lambda: defaultdict(dict))

    @classmethod
    def read(cls, root: Element) -> "Numbering":
        shapes: dict[str, dict[int, Level]] = {}
        lists: dict[str, dict[int, Level]] = {}
        for item in () if root is None else root:
            if local(item) == "abstractNum":
                shapes[attribute(item, "abstractNumId")] = _levels(item)
            elif local(item) == "num":
                shape = child(item, "abstractNumId")
                own = {
                    depth: level
                    for part in item
                    if local(part) == "lvlOverride"
                    for depth, level in _levels(part).items()
                }
                lists[attribute(item, "numId")] = shapes.get("" if shape is None else attribute(shape, "val"), {}) | own
        return cls(lists)

    def label(self, list_id: str, depth: int) -> str:
        """The next item's label as Word shows it: "-" for bullets, "3.", "3.2", "iv)" …; "" for no list."""
        levels = self.levels.get(list_id)
        if levels is None:
            return ""
        level = levels.get(depth, Level())
        counts = self.counts[list_id]
        counts[depth] = counts.get(depth, level.start - 1) + 1
        for deeper in [other for other in counts if other > depth]:
            del counts[deeper]
        if level.kind in {"bullet", "none"}:
            return "-" if level.kind == "bullet" else ""
        return (
            re.sub(r"%(\d)", lambda place: self._count(list_id, int(place[1]) - 1), level.text) or f"{counts[depth]}."
        )

    def _count(self, list_id: str, depth: int) -> str:
        level = self.levels[list_id].get(depth, Level("decimal"))
        return format_number(self.counts[list_id].get(depth, level.start), level.kind)


def _levels(item: Element) -> dict[int, Level]:
    found = {}
    for part in item:
        if local(part) == "lvl" and attribute(part, "ilvl").isdecimal():
            kind, text = child(part, "numFmt"), child(part, "lvlText")
            found[int(attribute(part, "ilvl"))] = Level(
                "decimal" if kind is None else attribute(kind, "val"),
                "" if text is None else attribute(text, "val")[:40],
                number(child(part, "start"), 1),
            )
    return found


def format_number(count: int, kind: str) -> str:
    """A number as letters or Roman numerals where the list counts so."""
    if kind in {"lowerLetter", "upperLetter"} and count > 0:
        letters = chr(97 + (count - 1) % 26) * min(1 + (count - 1) // 26, 10)
        return letters.upper() if kind == "upperLetter" else letters
    if kind in {"lowerRoman", "upperRoman"} and 0 < count < 4000:
        text = ""
        for value, letters in ROMAN:
            text += letters * (count // value)
            count %= value
        return text.upper() if kind == "upperRoman" else text
    return f"{count:02d}" if kind == "decimalZero" else str(count)
