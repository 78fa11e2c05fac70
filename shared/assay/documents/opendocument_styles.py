"""Styles of OpenDocument texts (ODF 1.3 part 3, section 16): what hides or emphasises text, and levels of lists."""

import re
from dataclasses import dataclass, field

from assay.documents.docx_formatting import PAPER, is_similar_color
from assay.documents.opendocument_fills import read_declared_fill
from assay.documents.opendocument_lists import ListNumbers
from assay.documents.painted_areas import Fill
from assay.text.safe_xml import Element, get_attribute, local_name

CHAIN = 20  # maximum number of parents of a style
BOLD_WEIGHTS = frozenset(("bold", "600", "700", "800", "900"))
RAISED = re.compile(r"\s*(?:super\b|\+?0*(?:[1-9]|\.\d*[1-9]))")  # the beginning of a position above the baseline

type Emphasis = tuple[bool | None, bool | None, bool | None]  # bold, italic and raised


@dataclass
class OpenDocumentStyles:
    """The styles that hide their text, their emphasis and parents, and the numbers of lists and headings."""

    hidden: set[str] = field(default_factory=set)
    white: set[str] = field(default_factory=set)  # those of white text, which shows on a fill only
    fills: dict[str, Fill] = field(default_factory=dict)  # those of paragraphs, tables, rows and cells
    graphics: dict[str, Element] = field(default_factory=dict)  # the properties of drawings
    parents: dict[str, str] = field(default_factory=dict)
    bold: dict[str, bool] = field(default_factory=dict)
    italic: dict[str, bool] = field(default_factory=dict)
    raised: dict[str, bool] = field(default_factory=dict)
    unnumbered: set[str] = field(default_factory=set)  # those that take a heading out of the outline
    lists: ListNumbers = field(default_factory=ListNumbers)

    def add(self, root: Element) -> None:
        """Collect the styles in `root`, which may be None."""
        if root is None:
            return
        for style in root.iter("{*}style"):
            name = get_attribute(style, "name")
            self.parents[name] = get_attribute(style, "parent-style-name")
            for properties in style:
                self._add_properties(name, properties)
            if get_attribute(style, "family") == "paragraph" and _leaves_outline(style):
                self.unnumbered.add(name)
        for style in root.iter("{*}list-style", "{*}outline-style"):
            self.lists.add_style(style)

    def _add_properties(self, name: str, properties: Element) -> None:
        kind = local_name(properties)
        if kind == "text-properties":
            self._add_text_properties(name, properties)
        elif kind == "graphic-properties":
            self.graphics[name] = properties
        elif (fill := read_declared_fill([properties])) and self.fills.get(name) != "paint":
            self.fills[name] = fill

    def _add_text_properties(self, name: str, properties: Element) -> None:
        if get_attribute(properties, "display") == "none":
            self.hidden.add(name)
        if _is_white(properties):
            self.white.add(name)
        if weight := get_attribute(properties, "font-weight"):
            self.bold[name] = weight in BOLD_WEIGHTS
        if slant := get_attribute(properties, "font-style"):
            self.italic[name] = slant in ("italic", "oblique")
        if position := get_attribute(properties, "text-position"):
            self.raised[name] = RAISED.match(position) is not None

    def list_chain(self, name: str) -> list[str]:
        """The style and its parents."""
        chain: list[str] = []
        while name and len(chain) < CHAIN:
            chain.append(name)
            name = self.parents.get(name, "")
        return chain

    def hides(self, name: str, *, is_filled: bool) -> bool:
        """Whether the style or one of its parents hides its text, which may stand on a fill."""
        chain = self.list_chain(name)
        return not self.hidden.isdisjoint(chain) or not (is_filled or self.white.isdisjoint(chain))

    def is_filled(self, *names: str, around: bool) -> bool:
        """Whether what has these styles, the innermost first, stands on a fill other than white. `around` tells it for
        what is around it, which shows through where no style or parent of one has a fill.
        """
        declared = (
            next((self.fills[each] for each in self.list_chain(name) if each in self.fills), "none") for name in names
        )
        return next((fill == "paint" for fill in declared if fill != "none"), around)

    def find_emphasis(self, name: str) -> Emphasis:
        """Whether text of the style is bold, italic and raised; None where it does not say."""
        chain = self.list_chain(name)
        bold, italic, raised = (
            next((values[each] for each in chain if each in values), None)
            for values in (self.bold, self.italic, self.raised)
        )
        return bold, italic, raised

    def is_numbered(self, name: str) -> bool:
        """Whether headings of the style have the numbers of the outline."""
        return self.unnumbered.isdisjoint(self.list_chain(name))

    def is_named(self, name: str, pattern: re.Pattern[str]) -> bool:
        """Whether the name of the style or of one of its parents matches."""
        return any(pattern.fullmatch(each.replace("_20_", " ")) for each in self.list_chain(name))


def _is_white(properties: Element) -> bool:
    """Whether the text is white without a background colour of its own."""
    color = get_attribute(properties, "color").removeprefix("#")
    return is_similar_color(color, PAPER) and read_declared_fill([properties]) != "paint"


def _leaves_outline(style: Element) -> bool:
    """Whether the style names no list style in words, which takes its headings out of the outline."""
    return any(key.endswith("}list-style-name") and not style.get(key) for key in style.keys())  # noqa: SIM118 - items() is quadratic
