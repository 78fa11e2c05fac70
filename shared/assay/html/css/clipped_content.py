"""Boxes that clip what they hold and leave text no place: by padding, borders, lines, rows or containment."""

import re

from assay.text.lengths import LENGTH, find_lengths, to_pixels

MAX_HIDING_SIZE = 4.0  # pixels of a clipped box in which no line can be read
LINE = 16.0  # pixels of a line of text of the usual size
BORDERS = ("border-top-width", "border-width", "border-top", "border")  # that have the width at the top
HEIGHTS = ("height", "max-height", "block-size", "max-block-size")
# What gives a box with size containment a height.
HEIGHT_SOURCES = frozenset(
    (
        *("height", "min-height", "block-size", "min-block-size", "aspect-ratio", "flex", "flex-grow", "flex-basis"),
        *("contain-intrinsic-size", "contain-intrinsic-height", "contain-intrinsic-block-size", "grid-template-rows"),
        *("inset", "inset-block", "top", "bottom", "grid-area", "grid-row", "grid-template", "padding-top"),
        *("padding-bottom", "padding", "padding-block"),
    )
)
SIDE_PADDINGS = ("padding-left", "padding-right", "padding-inline-start", "padding-inline-end", "padding-inline")
WHOLE_WIDTH = re.compile(r"[1-9]\d{2,}(?:\.\d+)?(?:%|d?vw)")
NO_SIZE = re.compile(r"0+(?:\.0*)?(?!fr)(?:[a-z%]+)?")
SIZE_CONTAINMENT = re.compile(r"\b(?:strict|size)\b")
CONTENT_PROPERTIES = frozenset(
    (
        *("padding", "padding-top", "line-height", "contain", "grid-template-rows", "grid-template"),
        *BORDERS,
        *SIDE_PADDINGS,
    )
)


def find_hiding_content_box(values: dict[str, str]) -> str | None:
    """Return the property of a box that clips its content by which no text in it is seen."""
    side = next((name for name in SIDE_PADDINGS if WHOLE_WIDTH.fullmatch(values.get(name, ""))), None)
    if side is not None:
        return side
    rows = values.get("grid-template-rows") or values.get("grid-template", "").split("/")[0]
    if rows and "grid" in values.get("display", "") and all(map(NO_SIZE.fullmatch, rows.split())):
        return "grid-template-rows" if "grid-template-rows" in values else "grid-template"
    if SIZE_CONTAINMENT.search(values.get("contain", "")) and HEIGHT_SOURCES.isdisjoint(values):
        return "contain"
    height = next((to_pixels(values[name]) for name in HEIGHTS if name in values), None)
    if height is None:
        return None
    return _find_hiding_edge(values, height) or _find_hiding_line(values, height)


def _find_hiding_edge(values: dict[str, str], height: float) -> str | None:
    """Return the padding or border at the top that fills the height, so that text begins below it."""
    if values.get("box-sizing") != "border-box" or read_padding(values, "bottom", 2) > MAX_HIDING_SIZE:
        return None
    border = next((next(iter(find_lengths(values[name])), 0.0) for name in BORDERS if name in values), 0.0)
    padding = read_padding(values, "top", 0)
    if padding + border < max(height - MAX_HIDING_SIZE, MAX_HIDING_SIZE):
        return None
    return next((name for name in ("padding-top", "padding", *BORDERS) if name in values), None)


def _find_hiding_line(values: dict[str, str], height: float) -> str | None:
    """Return `line-height` if the middle of the first line is below the box."""
    found = LENGTH.fullmatch(values.get("line-height", ""))
    if found is None:
        return None
    line = float(found[1]) * LINE if found[2] == "" else to_pixels(found[0]) if found[2] != "%" else None
    return "line-height" if line is not None and line / 2 > height + LINE else None


def read_padding(values: dict[str, str], side: str, place: int) -> float:
    """Return the padding of a side, the top (0) or the bottom (2), in pixels."""
    alone = values.get(f"padding-{side}")
    if alone is not None:
        return to_pixels(alone) or 0.0
    sides = find_lengths(values.get("padding", ""))
    return sides[place if len(sides) > 2 else 0] if sides else 0.0
