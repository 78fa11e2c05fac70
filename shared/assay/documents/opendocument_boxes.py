"""The background of text boxes and shapes in OpenDocument texts: their own fill, or what may be behind them.

A text box without a fill shows what is behind it: the paper, or a picture or shape. Where these are placed is not
computed, so that white text stays in a box that one of them could cover.
"""

import re
from collections.abc import Iterator
from functools import cached_property

from assay.documents.ooxml import find_child
from assay.documents.opendocument_fills import read_declared_fill
from assay.documents.opendocument_styles import OpenDocumentStyles
from assay.documents.painted_areas import Fill, PaintedAreas, Size
from assay.text.safe_xml import Element, get_attribute, local_name

ORDINARY = "Standard"  # the name of the master of pages for which a text names none
LENGTH = re.compile(r"(\d{1,6}(?:\.\d{0,6})?)(cm|mm|in|pt|pc|px)")
POINTS = {"cm": 72 / 2.54, "mm": 72 / 25.4, "in": 72.0, "pt": 1.0, "pc": 12.0, "px": 0.75}
AREAS = frozenset((
    *("custom-shape", "rect", "circle", "ellipse", "polygon", "regular-polygon", "path", "caption"),
    "frame",
))  # fmt: skip


class BoxGrounds:
    """The grounds of the boxes in the parts of a document; parts may be None."""

    def __init__(self, styles: OpenDocumentStyles, parts: tuple[Element, ...]) -> None:
        self._styles = styles
        self._parts = [part for part in parts if part is not None]

    def shows_white(self, box: Element, *, is_filled: bool) -> bool:
        """Whether white text may show in a text box or a shape; `is_filled` tells whether that around it has a fill."""
        if local_name(box) == "g":
            return is_filled
        drawing = box.getparent() if local_name(box) == "text-box" else box
        return self._painted.shows_white(self._read_fill(drawing), _read_size(drawing), is_filled=is_filled)

    def _read_fill(self, drawing: Element) -> Fill:
        """The fill of a drawing. Shapes that name none have that of the program; frames have none."""
        chain = self._styles.list_chain(get_attribute(drawing, "style-name"))
        declared = [properties for name in chain if (properties := self._styles.graphics.get(name)) is not None]
        return read_declared_fill(declared) or ("none" if local_name(drawing) == "frame" else "paint")

    @cached_property
    def is_page_filled(self) -> bool:
        """Whether ordinary pages have a fill."""
        masters = [master for part in self._parts for master in part.iter("{*}master-page")]
        ordinary = next(
            (each for each in masters if get_attribute(each, "name") == ORDINARY), next(iter(masters), None)
        )
        name = "" if ordinary is None else get_attribute(ordinary, "page-layout-name")
        layouts = (layout for part in self._parts for layout in part.iter("{*}page-layout"))
        layout = next((each for each in layouts if name and get_attribute(each, "name") == name), None)
        properties = None if layout is None else find_child(layout, "page-layout-properties")
        return properties is not None and read_declared_fill([properties]) == "paint"

    @cached_property
    def _painted(self) -> PaintedAreas:
        return PaintedAreas(map(_read_size, self._iter_painted()))

    def _iter_painted(self) -> Iterator[Element]:
        for part in self._parts:
            for drawing in part.iter(*(f"{{*}}{name}" for name in AREAS)):
                if find_child(drawing, "image") is not None or self._read_fill(drawing) == "paint":
                    yield drawing


def _read_size(drawing: Element) -> Size:
    """The width and height of a drawing in points."""
    width, height = (LENGTH.fullmatch(get_attribute(drawing, side)) for side in ("width", "height"))
    return to_points(width), to_points(height)


def to_points(found: re.Match[str] | None) -> float | None:
    return float(found[1]) * POINTS[found[2]] if found else None
