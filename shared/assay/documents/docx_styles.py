"""Word styles and numbering (ECMA-376 part 1 clauses 17.7 and 17.9): heading levels and list labels."""

import re
from collections import defaultdict
from dataclasses import dataclass, field, replace

from assay.documents.docx_blocks import CODE_STYLE, QUOTE_STYLE, find_style_depth
from assay.documents.docx_formatting import INHERITED, RunFormat, read_int, read_run_format, read_shading
from assay.documents.ooxml import find_child
from assay.text.safe_xml import Element, get_attribute, local_name

CHAIN = 20  # maximum length of a `basedOn` chain
DEEPEST = 8  # list and outline levels are 0 to 8
HEADING = re.compile(r"heading (\d)", re.IGNORECASE)
ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
         (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))  # fmt: skip


@dataclass
class DocxStyle:
    """The properties of a style that affect the Markdown."""

    name: str = ""
    based_on: str = ""
    level: int = 0  # heading level; 0 for none
    run: RunFormat = INHERITED
    numbering: tuple[str, int] | None = None
    is_code: bool = False
    is_quote: bool = False
    depth: int = 0  # list level by the name of the style


UNSTYLED = DocxStyle()


class DocxStyles:
    """Styles by id, including the properties they inherit through `basedOn`."""

    def __init__(self, root: Element) -> None:
        items = () if root is None else root
        styles = [item for item in items if local_name(item) == "style"]
        self._items = {get_attribute(item, "styleId"): item for item in styles}
        self._read: dict[str, DocxStyle] = {}  # parsed on demand: most files use few of their many styles
        self._combined: dict[str, DocxStyle] = {}
        self._default = next((get_attribute(item, "styleId") for item in styles if _is_default_paragraph(item)), "")
        defaults = None if root is None else find_child(root, "docDefaults", "rPrDefault", "rPr")
        self.document_format = read_run_format(defaults)

    def _find_style(self, style_id: str) -> DocxStyle | None:
        if style_id not in self._read and style_id in self._items:
            self._read[style_id] = _read_style(self._items[style_id])
        return self._read.get(style_id)

    def _list_chain(self, style_id: str) -> list[DocxStyle]:
        chain: list[DocxStyle] = []
        while (style := self._find_style(style_id)) and len(chain) < CHAIN:
            chain.append(style)
            style_id = style.based_on
        return chain

    def combine(self, style_id: str) -> DocxStyle:
        """The style with what it inherits through `basedOn`; an empty style if there is none of this id."""
        if style_id not in self._items:
            return UNSTYLED
        if style_id not in self._combined:
            chain = self._list_chain(style_id)
            run = INHERITED
            for style in reversed(chain):
                run = run.override(style.run)
            self._combined[style_id] = DocxStyle(
                level=next((style.level for style in chain if style.level), 0),
                run=run,
                numbering=next((style.numbering for style in chain if style.numbering), None),
                is_code=any(style.is_code for style in chain),
                is_quote=any(style.is_quote for style in chain),
                depth=chain[0].depth,
            )
        return self._combined[style_id]

    def combine_paragraph_format(self, style_id: str) -> RunFormat:
        """The formatting of text in a paragraph of this style, or of the default style for ""."""
        return self.document_format.override(self.combine(style_id or self._default).run)


def _is_default_paragraph(item: Element) -> bool:
    return get_attribute(item, "type") == "paragraph" and get_attribute(item, "default") in {"1", "true", "on"}


def _read_style(item: Element) -> DocxStyle:
    name, based = find_child(item, "name"), find_child(item, "basedOn")
    properties = find_child(item, "pPr")
    shaded = RunFormat(background=read_shading(properties))
    written = "" if name is None else get_attribute(name, "val")
    is_paragraph = get_attribute(item, "type") == "paragraph"
    return DocxStyle(
        written,
        "" if based is None else get_attribute(based, "val"),
        _read_level(written, properties),
        shaded.override(read_run_format(find_child(item, "rPr"))),
        find_list_level(properties),
        is_paragraph and CODE_STYLE.fullmatch(written) is not None,
        is_paragraph and QUOTE_STYLE.fullmatch(written) is not None,
        find_style_depth(written),
    )


def _read_level(name: str, properties: Element) -> int:
    """The heading level from the built-in style name (English in every language of Word) or the outline level."""
    if name.lower() == "title":
        return 1
    match = HEADING.fullmatch(name)
    if match:
        return int(match[1])
    return read_outline_level(properties)


def read_outline_level(properties: Element) -> int:
    """The heading level from a paragraph's `outlineLvl` (0 to 8; 9 is body text); 0 for none."""
    match = None if properties is None else find_child(properties, "outlineLvl")
    return 0 if match is None or read_int(match, 9) > DEEPEST else read_int(match) + 1


def find_list_level(properties: Element) -> tuple[str, int] | None:
    """The list id and level (0 to 8) of a paragraph's `numPr`; None without one."""
    numbering = None if properties is None else find_child(properties, "numPr")
    if numbering is None:
        return None
    list_id, depth = find_child(numbering, "numId"), find_child(numbering, "ilvl")
    return ("" if list_id is None else get_attribute(list_id, "val"), min(read_int(depth), DEEPEST))


@dataclass
class Level:
    """The format of one list level: number format, label template (`%1.%2`) and first number."""

    kind: str = "bullet"
    text: str = ""
    start: int = 1


@dataclass
class Numbering:
    """List definitions by id with the current counters of each."""

    levels: dict[str, dict[int, Level]] = field(default_factory=dict)
    counts: dict[str, dict[int, int]] = field(default_factory=lambda: defaultdict(dict))

    @classmethod
    def read(cls, root: Element) -> "Numbering":
        """Parse `word/numbering.xml`; `root` may be None."""
        shapes: dict[str, dict[int, Level]] = {}
        styled: dict[str, dict[int, Level]] = {}  # by the list style that a definition stores
        linked: dict[str, str] = {}  # the list style whose definition another one uses
        lists: dict[str, dict[int, Level]] = {}
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
                lists[get_attribute(item, "numId")] = _restart(shape | own, overrides)
        return cls(lists)

    def next_label(self, list_id: str, depth: int) -> str:
        """Advance the counter and return the item's label: "-" for bullets, "3.", "3.2", "iv)" …; "" for no list."""
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
            re.sub(r"%(\d)", lambda place: self._format_counter(list_id, int(place[1]) - 1), level.text)
            or f"{counts[depth]}."
        )

    def _format_counter(self, list_id: str, depth: int) -> str:
        level = self.levels[list_id].get(depth, Level("decimal"))
        return format_number(self.counts[list_id].get(depth, level.start), level.kind)


def _read_value(item: Element, name: str) -> str:
    child = find_child(item, name)
    return "" if child is None else get_attribute(child, "val")


def _restart(levels: dict[int, Level], overrides: list[Element]) -> dict[int, Level]:
    """The levels with the first numbers that the overrides of a list set."""
    starts = {
        int(depth): read_int(start)
        for part in overrides
        if (start := find_child(part, "startOverride")) is not None
        and (depth := get_attribute(part, "ilvl")).isdecimal()
        and len(depth) == 1
    }
    return {depth: replace(level, start=starts.get(depth, level.start)) for depth, level in levels.items()}


def _read_levels(item: Element) -> dict[int, Level]:
    levels = {}
    for part in item:
        if local_name(part) == "lvl" and get_attribute(part, "ilvl").isdecimal():
            kind, text = find_child(part, "numFmt"), find_child(part, "lvlText")
            levels[int(get_attribute(part, "ilvl"))] = Level(
                "decimal" if kind is None else get_attribute(kind, "val"),
                "" if text is None else get_attribute(text, "val")[:40],
                read_int(find_child(part, "start"), 1),
            )
    return levels


def format_number(count: int, kind: str) -> str:
    """Format a number in a list's number format (ST_NumberFormat): letters, Roman or decimal."""
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
