"""Whether the computed declarations of an element hide it and everything in it.

Covers `display`, `opacity`, filters, clipping, masking, size, position and transforms (CSS Display, Color, Masking,
Overflow, Positioned Layout and Transforms modules); `inherited_visibility` has what an element inside can undo.
"""

import re
from collections.abc import Callable

from assay.html.css.clipped_content import (
    CONTENT_PROPERTIES,
    LINE,
    MAX_HIDING_SIZE,
    find_hiding_content_box,
    read_padding,
)
from assay.html.css.clipping import CLIP_PROPERTIES, MASK_PROPERTIES, find_hiding_clip, find_hiding_mask
from assay.html.css.css_colors import INVISIBLE, Colour, are_similar, parse_colour
from assay.html.css.declarations import Declarations
from assay.html.css.inherited_visibility import INITIAL_STATE, MAX_INVISIBLE_FRACTION, inherit_state
from assay.html.css.transforms import TRANSFORM_PROPERTIES, find_hiding_transform
from assay.text.lengths import FUNCTION_CALL, OFF_SCREEN, parse_fraction, to_pixels
from assay.text.lengths import find_lengths as _lengths

INSET_PROPERTIES = (
    "left",
    "right",
    "top",
    "bottom",
    "inset",
    "inset-inline",
    "inset-block",
    "inset-inline-start",
    "inset-block-start",
    "inset-inline-end",
    "inset-block-end",
)
MARGIN_PROPERTIES = (
    "margin-left",
    "margin-top",
    "margin-right",
    "margin",
    "margin-inline",
    "margin-block",
    "margin-inline-start",
    "margin-block-start",
)
LINE_WITHOUT_HEIGHT = re.compile(
    r"0*\.?0+(?:$|[a-z%])|(?:1|0?\.\d+)px$"
)  # a bare number is a multiple of the font size
SHIFTING_PROPERTIES = frozenset((*MARGIN_PROPERTIES, "transform", "translate"))
FRACTION_PROPERTIES = ("opacity", "zoom")
SIZE_PROPERTIES: tuple[str, ...] = (
    *("height", "max-height", "width", "max-width"),
    *("block-size", "inline-size", "max-block-size", "max-inline-size"),
)
OVERFLOW_PROPERTIES = ("overflow", "overflow-x", "overflow-y", "overflow-block", "overflow-inline")
HIDING_DISPLAYS = frozenset(("none", "table-column", "table-column-group"))
REPLACING_CONTENT = re.compile(r"(?:url|image-set|-webkit-image-set|[a-z-]*gradient)\(")  # in place of the text
MAX_SUSPECT_FRACTION = 0.5  # opacity or scale that hides in several elements within each other
FULL_SCREEN = re.compile(
    r"[1-9]\d{2,}(?:\.\d+)?(?:%|d?v[wh]|vi|vb)$"
)  # an inset by which nothing is left on the screen
PAINT_CONTAINMENT = re.compile(r"\b(?:strict|content|paint)\b")
MIN_BRIGHTNESS = 0.05
MIN_HIDING_BLUR = 20.0  # pixels of blur from which text is unreadable
PRESUMED = {"overflow": "hidden", "position": "absolute"}  # what other rules may declare for the same element


def can_hide(declared: Declarations, backgrounds: list[Colour]) -> bool:
    """Return whether the declarations can hide text, alone or together with other rules."""
    values = PRESUMED | {name: value for name, (value, _) in declared.items()}
    if find_hiding_property(values) is not None:
        return True
    state = inherit_state(values, INITIAL_STATE)
    if not state.shows or state.opacity <= MAX_SUSPECT_FRACTION or state.scale <= MAX_SUSPECT_FRACTION:
        return True
    foreground = state.foreground
    return foreground is not None and (
        foreground == INVISIBLE or any(are_similar(foreground, background) for background in backgrounds)
    )


def find_hiding_property(values: dict[str, str]) -> str | None:
    """Return the property that hides an element and everything in it, or None."""
    if CAUSES.isdisjoint(values):
        return None
    if values.get("display") in HIDING_DISPLAYS:
        return "display"
    if values.get("content-visibility") == "hidden":
        return "content-visibility"
    if "content" in values and REPLACING_CONTENT.match(values["content"]):
        return "content"
    for properties, test in TESTS:
        if not properties.isdisjoint(values) and (cause := test(values)):
            return cause
    return None


def _find_hiding_fraction(values: dict[str, str]) -> str | None:
    for name in FRACTION_PROPERTIES:
        if name in values and parse_fraction(values[name]) <= MAX_INVISIBLE_FRACTION:
            return name
    return None


def _find_hiding_filter(values: dict[str, str]) -> str | None:
    for name, inside in FUNCTION_CALL.findall(values.get("filter", "")):
        if name == "opacity" and parse_fraction(inside.strip()) <= 0.05:
            return "filter"
        if name == "contrast" and parse_fraction(inside.strip()) <= 0.05:
            return "filter"
        if name == "blur" and (to_pixels(inside) or 0) >= MIN_HIDING_BLUR:
            return "filter"
        if name == "brightness" and parse_fraction(inside.strip()) <= MIN_BRIGHTNESS:
            ground = parse_colour(values.get("background-color") or values.get("background", ""))
            if ground not in (None, INVISIBLE):
                return "filter"  # the text and its ground become black
    return None


def _find_hiding_size(values: dict[str, str]) -> str | None:
    overflow = "".join([values[name] for name in OVERFLOW_PROPERTIES if name in values])
    names = SIZE_PROPERTIES
    if "hidden" not in overflow and "clip" not in overflow and not PAINT_CONTAINMENT.search(values.get("contain", "")):
        if "auto" not in overflow and "scroll" not in overflow:
            return None
        names = ("max-height", "max-width")  # a pane that scrolls grows from no height or width
    elif LINE_WITHOUT_HEIGHT.match(values.get("line-height", "")):
        return "line-height"
    elif not CONTENT_PROPERTIES.isdisjoint(values) and (cause := find_hiding_content_box(values)):
        return cause
    return next((name for name in names if name in values and _leaves_no_room(values, name)), None)


def _leaves_no_room(values: dict[str, str], name: str) -> bool:
    """Return whether a width or height of a clipped box leaves no room for text.

    What overflows the content box is seen in the padding below, as of a player that keeps its ratio.
    """
    size = to_pixels(values[name])
    if size is None or size > MAX_HIDING_SIZE or "calc" in values[name]:
        return False
    if (to_pixels(values.get(f"min-{name}", "")) or 0) > MAX_HIDING_SIZE:
        return False
    return name != "height" or read_padding(values, "bottom", 2) < LINE


def _find_hiding_offset(values: dict[str, str]) -> str | None:
    position = values.get("position")
    names: tuple[str, ...] = ()
    if position in ("absolute", "fixed"):
        names, lowest, highest = INSET_PROPERTIES, OFF_SCREEN, -10 * OFF_SCREEN
    elif position == "relative":
        names, lowest, highest = INSET_PROPERTIES, 4 * OFF_SCREEN, float("inf")
    for name in names:
        if name in values and not all(lowest < length < highest for length in _lengths(values[name])):
            return name
    return _find_hiding_full_inset(values) or _find_hiding_margin(values)


def _find_hiding_full_inset(values: dict[str, str]) -> str | None:
    """Return the inset by which a fixed element lies beside the window."""
    if values.get("position") != "fixed" or not SHIFTING_PROPERTIES.isdisjoint(values):
        return None
    for name in INSET_PROPERTIES:
        if name in values and any(map(FULL_SCREEN.match, values[name].split())):
            return name
    return None


def _find_hiding_margin(values: dict[str, str]) -> str | None:
    sides = values.get("margin", "").split()
    if len(sides) == 4 and "padding" not in values and (to_pixels(sides[3]) or 0) <= 4 * OFF_SCREEN:
        return "margin"
    for name in MARGIN_PROPERTIES:
        length = to_pixels(values[name]) if name in values else None
        if length is not None and length <= 4 * OFF_SCREEN:
            return name
    return None


TESTS: tuple[tuple[frozenset[str], Callable[[dict[str, str]], str | None]], ...] = (  # with what each needs
    (frozenset(FRACTION_PROPERTIES), _find_hiding_fraction),
    (frozenset(("filter",)), _find_hiding_filter),
    (frozenset(CLIP_PROPERTIES), find_hiding_clip),
    (frozenset(("contain", *OVERFLOW_PROPERTIES)), _find_hiding_size),
    (frozenset((*INSET_PROPERTIES, *MARGIN_PROPERTIES)), _find_hiding_offset),
    (frozenset(MASK_PROPERTIES), find_hiding_mask),
    (frozenset(TRANSFORM_PROPERTIES), find_hiding_transform),
)
# The properties without one of which no declarations hide an element.
CAUSES = frozenset(
    (
        "display",
        "content-visibility",
        "content",
        "line-height",
        *SIZE_PROPERTIES,
        *CONTENT_PROPERTIES,
    )
).union(*(properties for properties, test in TESTS if test is not _find_hiding_size))
