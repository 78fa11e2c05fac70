"""Shapes that PowerPoint does not show, because they are hidden or outside the slide, and the place of the others."""

import re
from itertools import islice

from assay.documents.ooxml import find_child
from assay.documents.safe_xml import Element, get_attribute, local_name

DEPTH = 60  # maximum nesting
WHOLE = re.compile(r"-?\d{1,12}")
type Box = tuple[float, float, float, float]  # left, top, right, bottom in EMU


def read_whole(element: Element, name: str) -> int:
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
    found = find_child(shape, "spPr", "xfrm")
    found = find_child(shape, "xfrm") if found is None else found
    place, extent = (None, None) if found is None else (find_child(found, "off"), find_child(found, "ext"))
    if place is None or extent is None:
        return None
    start = read_whole(place, "x"), read_whole(place, "y")
    end = start[0] + read_whole(extent, "cx"), start[1] + read_whole(extent, "cy")
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
            wide, high = read_whole(inner_extent, "cx"), read_whole(inner_extent, "cy")
            x = read_whole(off, "x") + (x - read_whole(inner_off, "x")) * (
                read_whole(extent, "cx") / wide if wide else 1
            )
            y = read_whole(off, "y") + (y - read_whole(inner_off, "y")) * (
                read_whole(extent, "cy") / high if high else 1
            )
    return x, y
