"""Styles of OpenDocument texts (ODF 1.3 part 3, section 16): what hides or emphasises text, and levels of lists."""

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from assay.documents.docx_blocks import MONOSPACED, find_style_depth
from assay.documents.docx_formatting import PAPER, is_similar_color
from assay.documents.opendocument_fills import read_declared_fill
from assay.documents.opendocument_lists import ListNumbers
from assay.documents.painted_areas import Fill
from assay.text.safe_xml import Element, get_attribute, local_name

CHAIN = 20  # maximum number of parents of a style
BOLD_WEIGHTS = frozenset(("bold", "600", "700", "800", "900"))
RAISED = re.compile(r"\s*(?:super\b|\+?0*(?:[1-9]|\.\d*[1-9]))")  # the beginning of a position above the baseline

AUTOMATIC = re.compile(r"P\d+")  # the names of styles that programs make of formatting
SIZE = re.compile(r"(\d{1,4}(?:\.\d{0,6})?)pt")
FORMATTING = ("font-weight", "font-style", "text-position", "color", "font-name", "font-size")
TINY = 2  # points; smaller text counts as hidden


class TextFormat(NamedTuple):
    """The formatting of text; None stands for what an outer level decides. White text shows on a fill only."""

    bold: bool | None = None
    italic: bool | None = None
    raised: bool | None = None
    white: bool | None = None
    tiny: bool | None = None
    monospaced: bool | None = None

    def override(self, inner: "TextFormat") -> "TextFormat":
        """This formatting with what `inner` specifies."""
        if inner == PLAIN:
            return self
        return TextFormat(*(outer if own is None else own for outer, own in zip(self, inner, strict=True)))


PLAIN = TextFormat()


@dataclass
class OpenDocumentStyles:
    """The styles that hide their text, their formats and parents, and the numbers of lists and headings."""

    hidden: set[str] = field(default_factory=set)
    formats: dict[str, TextFormat] = field(default_factory=dict)
    fills: dict[str, Fill] = field(default_factory=dict)  # those of paragraphs, tables, rows and cells
    graphics: dict[str, Element] = field(default_factory=dict)  # the properties of drawings
    parents: dict[str, str] = field(default_factory=dict)
    unnumbered: set[str] = field(default_factory=set)  # those that take a heading out of the outline
    lists: ListNumbers = field(default_factory=ListNumbers)
    _combined: dict[str, TextFormat] = field(default_factory=dict)  # the formats with those of the parents

    def add(self, root: Element) -> None:
        """Collect the styles in `root`, which may be None."""
        if root is None:
            return
        self._combined.clear()
        for style in root.iter("{*}style"):
            name = get_attribute(style, "name")
            self.parents[name] = get_attribute(style, "parent-style-name")
            is_cell = get_attribute(style, "family") == "table-cell"
            for properties in style:
                self._add_properties(name, properties, is_cell=is_cell)
            if get_attribute(style, "family") == "paragraph" and _leaves_outline(style):
                self.unnumbered.add(name)
        for style in root.iter("{*}list-style", "{*}outline-style"):
            self.lists.add_style(style)

    def _add_properties(self, name: str, properties: Element, *, is_cell: bool) -> None:
        kind = local_name(properties)
        if kind == "text-properties":
            self._add_text_properties(name, properties)
        elif kind == "graphic-properties" and not is_cell:
            self.graphics[name] = properties
        elif (fill := read_declared_fill([properties])) and self.fills.get(name) != "paint":
            self.fills[name] = fill

    def _add_text_properties(self, name: str, properties: Element) -> None:
        if get_attribute(properties, "display") == "none":
            self.hidden.add(name)
        self.formats[name] = _read_format(properties)

    def list_chain(self, name: str) -> list[str]:
        """The style and its parents."""
        chain: list[str] = []
        while name and len(chain) < CHAIN:
            chain.append(name)
            name = self.parents.get(name, "")
        return chain

    def hides(self, name: str) -> bool:
        """Whether the style or one of its parents hides its text."""
        return not self.hidden.isdisjoint(self.list_chain(name))

    def is_filled(self, *names: str, around: bool) -> bool:
        """Whether what has these styles, the innermost first, stands on a fill other than white. `around` tells it for
        what is around it, which shows through where no style or parent of one has a fill.
        """
        declared = (
            next((self.fills[each] for each in self.list_chain(name) if each in self.fills), "none") for name in names
        )
        return next((fill == "paint" for fill in declared if fill != "none"), around)

    def find_format(self, name: str) -> TextFormat:
        """The formatting of text of the style with that of its parents."""
        if name not in self._combined:
            found = PLAIN
            for each in reversed(self.list_chain(name)):
                found = found.override(self.formats.get(each, PLAIN))
            self._combined[name] = found
        return self._combined[name]

    def find_depth(self, name: str) -> int:
        """The list level that the name of the style or of one of its parents stands for; 0 for others."""
        depths = (find_style_depth(each.replace("_20_", " ")) for each in self.list_chain(name))
        return next((depth for depth in depths if depth), 0)

    def is_title(self, name: str) -> bool:
        return next((each for each in self.list_chain(name) if not AUTOMATIC.fullmatch(each)), "") == "Title"

    def is_numbered(self, name: str) -> bool:
        """Whether headings of the style have the numbers of the outline."""
        return self.unnumbered.isdisjoint(self.list_chain(name))

    def is_named(self, name: str, pattern: re.Pattern[str]) -> bool:
        """Whether the name of the style or of one of its parents matches."""
        return any(pattern.fullmatch(each.replace("_20_", " ")) for each in self.list_chain(name))


def _read_format(properties: Element) -> TextFormat:
    """What the properties of text specify."""
    names = {key.rpartition("}")[2]: key for key in properties.keys()}  # noqa: SIM118 - items() is quadratic
    weight, slant, position, color, font, size = (
        properties.get(names[name]) if name in names else "" for name in FORMATTING
    )
    points = SIZE.fullmatch(size)
    is_painted = "background-color" in names and read_declared_fill([properties]) == "paint"
    return TextFormat(
        weight in BOLD_WEIGHTS if weight else None,
        slant in ("italic", "oblique") if slant else None,
        RAISED.match(position) is not None if position else None,
        not is_painted and is_similar_color(color.removeprefix("#"), PAPER) if color or is_painted else None,
        float(points[1]) < TINY if points else None,
        MONOSPACED.search(font) is not None if font else None,
    )


def _leaves_outline(style: Element) -> bool:
    """Whether the style names no list style in words, which takes its headings out of the outline."""
    return any(key.endswith("}list-style-name") and not style.get(key) for key in style.keys())  # noqa: SIM118 - items() is quadratic
