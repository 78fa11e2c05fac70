"""Shapes that PowerPoint does not show, because they are hidden or outside the slide, and the place of the others."""

import re
from itertools import islice

from assay.documents.ooxml import find_child
from assay.text.safe_xml import Element, get_attribute, local_name

DEPTH = 60  # maximum nesting
WHOLE = re.compile(r"-?\d{1,12}")
type Box = tuple[float, float, float, float]  # left, top, right, bottom in EMU


def read_integer(element: Element, name: str) -> int:
    text = get_attribute(element, name)
    return int(text) if WHOLE.fullmatch(text) else 0


def find_own_property(shape: Element, name: str) -> Element:
    """A descendant, by path, of the shape's non-visual properties (`nvSpPr`, `nvPicPr` …); None if missing."""
    properties = next((part for part in shape if local_name(part).startswith("nv")), None)
    return None if properties is None else find_child(properties, *name.split("/"))


def is_hidden_shape(shape: Element) -> bool:
    properties = find_own_property(shape, "cNvPr")
    return properties is not None and get_attribute(properties, "hidden") in {"1", "true"}


def is_off_slide(shape: Element, size: tuple[int, int]) -> bool:
    """Whether the shape is entirely outside the slide."""
    box = read_box(shape) if all(size) else None
    return box is not None and (box[0] >= size[0] or box[1] >= size[1] or box[2] < 0 or box[3] < 0)


def read_box(shape: Element) -> Box | None:
    """The place of the shape on the slide; None if it inherits its place."""
    frame = find_child(shape, "spPr", "xfrm")
    frame = find_child(shape, "xfrm") if frame is None else frame
    place, extent = (None, None) if frame is None else (find_child(frame, "off"), find_child(frame, "ext"))
    if place is None or extent is None:
        return None
    start = read_integer(place, "x"), read_integer(place, "y")
    end = start[0] + read_integer(extent, "cx"), start[1] + read_integer(extent, "cy")
    left, top = _slide_coordinates(shape, *start)
    right, bottom = _slide_coordinates(shape, *end)
    return min(left, right), min(top, bottom), max(left, right), max(top, bottom)


def _slide_coordinates(shape: Element, x: float, y: float) -> tuple[float, float]:
    """Convert coordinates within the shape's groups to coordinates on the slide."""
    for group in islice(shape.iterancestors(), DEPTH):
        frame = find_child(group, "grpSpPr", "xfrm") if local_name(group) == "grpSp" else None
        parts = [] if frame is None else [find_child(frame, name) for name in ("off", "ext", "chOff", "chExt")]
        if parts and all(part is not None for part in parts):
            off, extent, inner_off, inner_extent = parts
            width, height = read_integer(inner_extent, "cx"), read_integer(inner_extent, "cy")
            x = read_integer(off, "x") + (x - read_integer(inner_off, "x")) * (
                read_integer(extent, "cx") / width if width else 1
            )
            y = read_integer(off, "y") + (y - read_integer(inner_off, "y")) * (
                read_integer(extent, "cy") / height if height else 1
            )
    return x, y
