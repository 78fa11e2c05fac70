"""Numbers of lists and headings in OpenDocument texts (ODF 1.3 part 3, sections 16.30 to 16.34 and 19.880)."""

import re
from dataclasses import dataclass, field

from assay.documents.docx_numbering import format_number
from assay.text.safe_xml import Element, get_attribute, local_name

KINDS = {"01, 02, 03, ...": "decimalZero", "a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}
NUMBER_PLACE = re.compile(r"%(\d{1,2})%")
OUTLINE = ""  # the name of the list style that numbers headings
LEVELS = 10


@dataclass(frozen=True)
class ListLevel:
    """The format of the numbers of one level; `shown` is the number of levels that a label repeats: 1.2.3."""

    kind: str = ""  # "" for no number
    template: str = ""  # such as "%1%.%2%"; "" in files of other programs, and of LibreOffice before version 7
    prefix: str = ""
    suffix: str = ""
    start: int = 1
    shown: int = 1


@dataclass
class ListNumbers:
    """The levels of the list styles, and the last numbers of each list by level."""

    _levels: dict[tuple[str, int], ListLevel] = field(default_factory=dict)

    def add_style(self, style: Element) -> None:
        """Add a list style, or the outline style, which has no name in old files."""
        name = OUTLINE if local_name(style) == "outline-style" else get_attribute(style, "name")
        for level in style:
            if local_name(level) in ("list-level-style-number", "outline-level-style"):
                depth = read_number(level, "level") or 1
                self._levels[name, depth] = ListLevel(
                    _read_kind(level),
                    get_attribute(level, "num-list-format")[:40],
                    get_attribute(level, "num-prefix")[:20],
                    get_attribute(level, "num-suffix")[:20],
                    1 if (start := read_number(level, "start-value")) is None else start,
                    min(max(read_number(level, "display-levels") or 1, 1), depth),
                )

    def find_start(self, style: str, depth: int) -> int:
        level = self._levels.get((style, depth))
        return level.start if level is not None else 1

    def format_label(self, style: str, counts: dict[int, int], depth: int) -> str:
        """The label of an item or heading of this level: "3.", "b)", "1.2"; "" if the level has no numbers."""
        level = self._levels.get((style, depth))
        if level is None or not level.kind:
            return ""
        shown = {outer: self._levels.get((style, outer), level) for outer in range(1, depth + 1)}
        numbers = {
            outer: format_number(counts.get(outer, each.start), each.kind) for outer, each in shown.items() if each.kind
        }
        if NUMBER_PLACE.search(level.template):
            return NUMBER_PLACE.sub(lambda place: numbers.get(int(place[1]), ""), level.template).strip()
        repeated = [number for outer, number in numbers.items() if outer > depth - level.shown]
        return f"{level.prefix}{'.'.join(repeated)}{level.suffix}".strip()


def count_item(counts: dict[int, int], depth: int, start: int) -> None:
    """Count an item of this level, whose first has the number `start`; the levels below begin anew."""
    counts[depth] = counts.get(depth, start - 1) + 1
    for deeper in [other for other in counts if other > depth]:
        del counts[deeper]


def read_number(element: Element, name: str) -> int | None:
    value = get_attribute(element, name)
    return int(value) if value.isdecimal() and len(value) < 7 else None


def _read_kind(level: Element) -> str:
    """The number format of a level as WordprocessingML names it; "" if it shows no number."""
    formats = [level.get(key) for key in level.keys() if key.endswith("}num-format")]  # noqa: SIM118 - items() is quadratic
    if not formats and local_name(level) == "outline-level-style":
        return ""
    return KINDS.get(formats[0], "decimal") if formats and formats[0] else "" if formats else "decimal"
