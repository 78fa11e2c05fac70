"""Numbers of lists in Word files (ECMA-376 part 1 clause 17.9): the labels of list items."""

import re
from collections import defaultdict
from dataclasses import dataclass, field, replace

from assay.documents.docx_formatting import is_on, read_int
from assay.documents.ooxml import find_child
from assay.text.roman_numerals import format_roman
from assay.text.safe_xml import Element, get_attribute, local_name

BLANK = " "  # the label of an item whose bullet is not seen
DEEPEST = 8  # list and outline levels are 0 to 8

type ListPlace = tuple[
    str, int | None
]  # the list of a paragraph or style and its level; "" and None for inherited ones


def find_list_place(properties: Element) -> ListPlace | None:
    """The list and level (0 to 8) that a `numPr` element names; None without one."""
    numbering = None if properties is None else find_child(properties, "numPr")
    if numbering is None:
        return None
    list_id, depth = find_child(numbering, "numId"), find_child(numbering, "ilvl")
    return (
        "" if list_id is None else get_attribute(list_id, "val"),
        None if depth is None else min(read_int(depth), DEEPEST),
    )


def inherit_place(own: ListPlace | None, outer: ListPlace | None) -> ListPlace | None:
    """The place of a paragraph or style with what it inherits."""
    if own is None or outer is None:
        return own or outer
    return own[0] or outer[0], outer[1] if own[1] is None else own[1]


@dataclass
class Level:
    """The format of one list level: number format, label template (`%1.%2`) and first number.

    `restart` is the number of the level after which it begins anew: 0 for never, None for every level above. `is_legal`
    shows the numbers of all levels as 1, 2, 3.
    """

    kind: str = "bullet"
    text: str = ""
    start: int = 1
    restart: int | None = None
    is_legal: bool = False


@dataclass
class Numbering:
    """List definitions by id. Those of one abstract definition share its counters, unless they set a first number."""

    levels: dict[str, dict[int, Level]] = field(default_factory=dict)
    shapes: dict[str, str] = field(default_factory=dict)  # the abstract definition of each list
    starts: dict[str, dict[int, int]] = field(
        default_factory=dict
    )  # first numbers that a list sets, until its first item
    counts: dict[str, dict[int, int]] = field(default_factory=lambda: defaultdict(dict))  # by abstract definition

    @classmethod
    def read(cls, root: Element) -> "Numbering":
        """Parse `word/numbering.xml`; `root` may be None."""
        shapes: dict[str, dict[int, Level]] = {}
        styled: dict[str, dict[int, Level]] = {}  # by the list style that a definition stores
        linked: dict[str, str] = {}  # the list style whose definition another one uses
        numbering = cls()
        for item in () if root is None else root:
            if local_name(item) == "abstractNum":
                shape_id = get_attribute(item, "abstractNumId")
                shapes[shape_id] = _read_levels(item)
                styled[_read_value(item, "styleLink")] = shapes[shape_id]
                linked[shape_id] = _read_value(item, "numStyleLink")
            elif local_name(item) == "num":
                shape_id = _read_value(item, "abstractNumId")
                shape = shapes.get(shape_id) or styled.get(linked.get(shape_id, ""), {})
                overrides = [part for part in item if local_name(part) == "lvlOverride"]
                own = {depth: level for part in overrides for depth, level in _read_levels(part).items()}
                numbering.add_list(get_attribute(item, "numId"), shape_id, shape | own, _read_starts(overrides))
        return numbering

    def add_list(self, list_id: str, shape_id: str, levels: dict[int, Level], starts: dict[int, int]) -> None:
        """Add a list with its levels, its abstract definition, and the first numbers that it sets itself."""
        self.starts[list_id] = starts
        self.levels[list_id] = _restart(levels, starts)
        self.shapes[list_id] = shape_id

    def next_label(self, list_id: str, depth: int) -> str:
        """Advance the counter and return the item's label: "-" for bullets, "3.", "3.2", "iv)" …; "" for no list.

        A bullet that is a space is one: pandoc writes further paragraphs of an item so.
        """
        levels = self.levels.get(list_id)
        if levels is None:
            return ""
        level = levels.get(depth, Level())
        counts = self.counts[self.shapes.get(list_id, list_id)]
        first = self.starts.get(list_id, {}).pop(depth, None)
        counts[depth] = first if first is not None else counts.get(depth, level.start - 1) + 1
        for deeper in [other for other in counts if other > depth and _restarts(levels.get(other), depth)]:
            del counts[deeper]
        if level.kind == "bullet":
            return BLANK if level.text.isspace() else "-"
        if level.kind == "none":
            return ""
        return (
            re.sub(r"%(\d)", lambda place: self._format_counter(list_id, int(place[1]) - 1, level), level.text)
            or f"{counts[depth]}."
        )

    def _format_counter(self, list_id: str, depth: int, shown: Level) -> str:
        level = self.levels[list_id].get(depth, Level("decimal"))
        count = self.counts[self.shapes.get(list_id, list_id)].get(depth, level.start)
        return format_number(count, "decimal" if shown.is_legal else level.kind)


def _restarts(level: Level | None, depth: int) -> bool:
    """Whether the numbers of a level begin anew after an item at this depth above it."""
    return level is None or level.restart is None or depth < level.restart


def _read_value(item: Element, name: str) -> str:
    child = find_child(item, name)
    return "" if child is None else get_attribute(child, "val")


def _read_starts(overrides: list[Element]) -> dict[int, int]:
    """The first numbers that the overrides of a list set, by level."""
    return {
        int(depth): read_int(start)
        for part in overrides
        if (start := find_child(part, "startOverride")) is not None
        and (depth := get_attribute(part, "ilvl")).isdecimal()
        and len(depth) == 1
    }


def _restart(levels: dict[int, Level], starts: dict[int, int]) -> dict[int, Level]:
    return {depth: replace(level, start=starts.get(depth, level.start)) for depth, level in levels.items()}


def _read_levels(item: Element) -> dict[int, Level]:
    levels = {}
    for part in item:
        if local_name(part) == "lvl" and (depth := get_attribute(part, "ilvl")).isdecimal() and len(depth) == 1:
            kind, text = find_child(part, "numFmt"), find_child(part, "lvlText")
            restart = find_child(part, "lvlRestart")
            levels[int(depth)] = Level(
                "decimal" if kind is None else get_attribute(kind, "val"),
                "" if text is None else get_attribute(text, "val")[:40],
                read_int(find_child(part, "start")),  # LibreOffice leaves out a zero
                None if restart is None else read_int(restart),
                is_on(find_child(part, "isLgl")),
            )
    return levels


def format_number(count: int, kind: str) -> str:
    """Format a number in a list's number format (ST_NumberFormat): letters, Roman or decimal."""
    if kind in {"lowerLetter", "upperLetter"} and count > 0:
        letters = chr(97 + (count - 1) % 26) * min(1 + (count - 1) // 26, 10)
        return letters.upper() if kind == "upperLetter" else letters
    if kind in {"lowerRoman", "upperRoman"} and 0 < count < 4000:
        numeral = format_roman(count)
        return numeral if kind == "upperRoman" else numeral.lower()
    return f"{count:02d}" if kind == "decimalZero" else str(count)
