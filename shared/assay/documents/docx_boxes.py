"""The background of text boxes in Word files: the fill of their shape, or what may be behind a box without a fill."""

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import islice

from assay.documents.docx_formatting import COLOUR, HIGHLIGHTS, PAPER
from assay.documents.ooxml import Package, find_child
from assay.documents.painted_areas import PaintedAreas, Size
from assay.text.safe_xml import Element, get_attribute, local_name

MAX_SHAPES = 200  # of a drawing that are examined
LEVELS = 8  # elements around a text box in which its shape is looked for
WHOLE = re.compile(r"\d{1,12}")
FILLS = frozenset(("solidFill", "gradFill", "blipFill", "pattFill", "grpFill", "noFill"))
VML_SHAPES = frozenset(("shape", "rect", "roundrect", "oval", "polyline"))
VML_COLOR = re.compile(r"\s*#?(\w+)")
PAPER_NAMES = frozenset(("bg1", "lt1", "white", "window"))
ABSENT = frozenset(("f", "false", "0"))


class TextBoxGrounds:
    """The grounds of the text boxes in the main part of a package."""

    def __init__(self, package: Package, main: str, paper: str) -> None:
        self._package = package
        self._main = main
        self._paper = paper

    def find(self, box: Element, background: str) -> str:
        """The colour that a text box stands on, "" if unknown; `background` is that of the paragraph that holds it."""
        shape = next((outer for outer in islice(box.iterancestors(), LEVELS) if _is_shape(outer)), None)
        if shape is None:
            return ""
        fill = read_shape_fill(shape)
        if fill is not None:
            return fill
        return "" if background != self._paper or self._painted.may_be_behind(_read_size(shape)) else self._paper

    @cached_property
    def _painted(self) -> PaintedAreas:
        return PaintedAreas(self._iter_painted())

    def _iter_painted(self) -> Iterator[Size]:
        beside = (each for each in self._package.relations(self._main).values() if each.kind in ("header", "footer"))
        for name in (self._main, *(each.target for each in beside if not each.outside)):
            root = self._package.root(name)
            for drawing in root.iter("{*}anchor", "{*}inline", "{*}pict") if root is not None else ():
                if _is_painted(drawing):
                    yield _read_extent(drawing)


def read_shape_fill(shape: Element) -> str | None:
    """The fill of a shape: a colour, "" if it is unknown or no plain colour; None without one."""
    if local_name(shape) in VML_SHAPES:
        return _read_vml_fill(shape)
    properties, style = find_child(shape, "spPr"), find_child(shape, "style", "fillRef")
    fill = next((part for part in (properties if properties is not None else ()) if local_name(part) in FILLS), None)
    if fill is None:
        return None if style is None or get_attribute(style, "idx") == "0" else ""
    if local_name(fill) != "solidFill":
        return None if local_name(fill) == "noFill" else ""
    color = next(iter(fill), None)
    return "" if color is None else _read_color(color)


def _read_color(color: Element) -> str | None:
    changes = [(local_name(part), get_attribute(part, "val")) for part in color]
    if ("alpha", "0") in changes:
        return None
    value = get_attribute(color, "val")
    plain = value.upper() if COLOUR.fullmatch(value) else PAPER if value in PAPER_NAMES else ""
    return "" if changes else plain


def _read_vml_fill(shape: Element) -> str | None:
    fill = find_child(shape, "fill")
    if get_attribute(shape, "filled") in ABSENT or (fill is not None and get_attribute(fill, "opacity") == "0"):
        return None
    if fill is not None and get_attribute(fill, "type") not in ("", "solid"):
        return ""
    found = VML_COLOR.match(get_attribute(shape, "fillcolor"))
    if found is None:  # white, or what the type of the shape says
        return None
    name = found[1].lower()
    return (
        name.upper() if COLOUR.fullmatch(name) else PAPER if name in {*PAPER_NAMES, "fff"} else HIGHLIGHTS.get(name, "")
    )


def _is_shape(element: Element) -> bool:
    return local_name(element) == "wsp" or local_name(element) in VML_SHAPES


def _is_painted(drawing: Element) -> bool:
    """Whether a drawing has a picture or a shape with a fill other than white; copies for old programs have not."""
    if any(local_name(outer) == "Fallback" for outer in islice(drawing.iterancestors(), LEVELS)):
        return False
    if next(drawing.iter("{*}pic", "{*}imagedata", "{*}chart"), None) is not None:
        return True
    shapes = drawing.iter("{*}wsp", *(f"{{*}}{name}" for name in VML_SHAPES))
    return any(read_shape_fill(shape) not in (None, PAPER) for shape in islice(shapes, MAX_SHAPES))


def _read_size(shape: Element) -> Size:
    """The size of a shape that is a drawing of its own; nothing for one in a group."""
    outer = next(islice(shape.iterancestors("{*}anchor", "{*}inline", "{*}wgp"), 1), None)
    return (0, 0) if outer is None or local_name(outer) == "wgp" else _read_extent(outer)


def _read_extent(drawing: Element) -> Size:
    extent = find_child(drawing, "extent")
    width, height = ("" if extent is None else get_attribute(extent, side) for side in ("cx", "cy"))
    return (int(width) if WHOLE.fullmatch(width) else None, int(height) if WHOLE.fullmatch(height) else None)
