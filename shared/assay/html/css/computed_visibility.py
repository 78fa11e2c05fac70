"""Whether the computed declarations of an element make its text invisible.

Covers `display`, `visibility`, `opacity`, clipping, masking, size, position, transforms and text colours that match
their background (CSS Display, Color, Masking, Overflow, Positioned Layout and Transforms modules).
"""

import re
from typing import NamedTuple

from assay.html.css.css_colors import INVISIBLE, WHITE, Colour, are_similar, parse_colour
from assay.html.css.declarations import Declarations
from assay.html.css.transforms import TRANSFORM_PROPERTIES, find_hiding_transform
from assay.text.lengths import FUNCTION_CALL, LENGTH, OFF_SCREEN, PIXELS, to_pixels
from assay.text.lengths import find_lengths as _lengths

SIZE = re.compile(r"(?:^|\s)((?:\d+\.?\d*|\.\d+)(?:[a-z%]+)?)\s*(?:/|\s|$)")
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
)
MARGIN_PROPERTIES = ("margin-left", "margin-top", "margin-right", "margin", "margin-inline-start", "margin-block-start")
MASK_PROPERTIES = ("mask", "mask-image", "mask-size", "-webkit-mask", "-webkit-mask-image", "-webkit-mask-size")
COLOUR_VALUE = re.compile(r"#[0-9a-f]{3,8}\b|(?:rgb|hsl)a?\([^()]{0,80}\)|[a-z]{3,20}")
MAX_LETTER_SPACING = -12.0  # pixels of letter spacing at which the letters overlap
PAINT_CONTAINMENT = re.compile(r"\b(?:strict|content|paint)\b")
MIN_HIDING_BLUR = 20.0  # pixels of blur from which text is unreadable
CALCULATED = re.compile(r"^(?:calc|min|max)\(")
TEXT_COLOUR_PROPERTIES = ("color", "-webkit-text-fill-color")
# Properties that can hide an element: one without any of them is settled by one set operation.
HIDING_PROPERTIES = frozenset(
    (
        *("display", "content-visibility", "opacity", "zoom", "filter", "clip", "clip-path", *MARGIN_PROPERTIES),
        *(
            "overflow",
            "overflow-x",
            "overflow-y",
            "contain",
            "position",
            "-webkit-clip-path",
            *MASK_PROPERTIES,
            *TRANSFORM_PROPERTIES,
        ),
    )
)
INHERITED_PROPERTIES = frozenset(
    (
        *(
            "visibility",
            "font-size",
            "font",
            "text-indent",
            "letter-spacing",
            "background-color",
            "background",
            "background-image",
        ),
        *TEXT_COLOUR_PROPERTIES,
    )
)


class State(NamedTuple):
    """Inherited visibility state that an element passes to its children."""

    visible: bool = True
    tiny: bool = False
    indented: bool = False
    foreground: Colour | None = None  # None: not declared
    background: Colour | None = None
    background_known: bool = True  # False if an external style sheet may set the background

    @property
    def shows(self) -> bool:
        """Whether text directly in such an element is visible."""
        if not self.visible or self.tiny or self.indented:
            return False
        if self.foreground is None:
            return True
        if self.foreground == INVISIBLE:
            return False
        ground = self.background or (WHITE if self.background_known else None)
        return ground is None or not are_similar(self.foreground, ground)


INITIAL_STATE = State()
UNKNOWN_BACKGROUND = State(background_known=False)


def with_unknown_background(state: State) -> State:
    """Return the state with a background colour that is not known."""
    return UNKNOWN_BACKGROUND if state is INITIAL_STATE else state._replace(background_known=False)


def can_hide(declared: Declarations, backgrounds: list[Colour]) -> bool:
    """Return whether the declarations can hide text, alone or together with other rules."""
    values = {"overflow": "hidden", "position": "absolute"} | {name: value for name, (value, _) in declared.items()}
    if find_hiding_property(values) is not None:
        return True
    state = inherit_state(values, INITIAL_STATE)
    if not state.visible or state.tiny or state.indented:
        return True
    foreground = state.foreground
    return foreground is not None and (
        foreground == INVISIBLE or any(are_similar(foreground, background) for background in backgrounds)
    )


def find_hiding_property(values: dict[str, str]) -> str | None:
    """Return the property that hides an element and everything in it, or None."""
    if HIDING_PROPERTIES.isdisjoint(values):
        return None
    if values.get("display") == "none":
        return "display"
    if values.get("content-visibility") == "hidden":
        return "content-visibility"
    for name in ("opacity", "zoom"):
        if name in values and _as_fraction(values[name]) <= 0.05:
            return name
    for test in (_filter_reason, _clip_reason, _collapse_reason, _offset_reason, _mask_reason, find_hiding_transform):
        if cause := test(values):
            return cause
    return None


def _as_fraction(text: str) -> float:
    found = LENGTH.match(CALCULATED.sub("", text))
    if found is None:
        return 1.0
    return float(found.group(1)) / (100 if found.group(2) == "%" else 1)


def _filter_reason(values: dict[str, str]) -> str | None:
    for name, inside in FUNCTION_CALL.findall(values.get("filter", "")):
        if name == "opacity" and _as_fraction(inside.strip()) <= 0.05:
            return "filter"
        if name == "blur" and (to_pixels(inside) or 0) >= MIN_HIDING_BLUR:
            return "filter"
    return None


def _clip_reason(values: dict[str, str]) -> str | None:
    for name, inside in FUNCTION_CALL.findall(values.get("clip", "")):
        numbers = [float(number) for number, _ in LENGTH.findall(inside)]
        if name == "rect" and len(numbers) == 4 and (numbers[2] - numbers[0] <= 1 or numbers[1] - numbers[3] <= 1):
            return "clip"
    return _clipped_by_path(values)


def _clipped_by_path(values: dict[str, str]) -> str | None:
    property_name = "clip-path" if "clip-path" in values else "-webkit-clip-path"
    for name, inside in FUNCTION_CALL.findall(values.get(property_name, "")):
        numbers = [float(number) for number, _ in LENGTH.findall(inside)]
        if _is_empty_shape(name, numbers, inside):
            return property_name
    return None


def _is_empty_shape(name: str, numbers: list[float], inside: str) -> bool:
    """Return whether the clipping shape is empty."""
    match name:
        case "inset":
            alone = len(numbers) == 1 and numbers[0] >= 50
            return bool(numbers) and (max(numbers) >= 100 or alone or (len(numbers) > 1 and min(numbers) >= 50))
        case "circle" | "ellipse":
            return bool(numbers) and numbers[0] == 0
        case "xywh":
            return len(numbers) >= 4 and not (numbers[2] and numbers[3])
        case "rect":
            return len(numbers) >= 4 and (numbers[2] <= numbers[0] or numbers[1] <= numbers[3])
        case "polygon":
            return _is_flat([LENGTH.findall(point) for point in inside.split(",")])
    return False


def _is_flat(points: list[list[tuple[str, str]]]) -> bool:
    """Return whether all corners of a polygon coincide or lie on one horizontal or vertical line."""
    corners = [point for point in points if len(point) == 2]
    return bool(corners) and any(len({float(point[axis][0]) for point in corners}) == 1 for axis in (0, 1))


def _collapse_reason(values: dict[str, str]) -> str | None:
    overflow = values.get("overflow", "") + values.get("overflow-y", "") + values.get("overflow-x", "")
    if "hidden" not in overflow and "clip" not in overflow and not PAINT_CONTAINMENT.search(values.get("contain", "")):
        return None
    for name in ("height", "max-height", "width", "max-width", "block-size", "inline-size", "line-height"):
        size = to_pixels(values[name]) if name in values else None
        if size is not None and size <= 1 and "calc" not in values[name]:
            return name
    return None


def _offset_reason(values: dict[str, str]) -> str | None:
    position = values.get("position")
    names: tuple[str, ...] = ()
    if position in ("absolute", "fixed"):
        names, lowest, highest = INSET_PROPERTIES, OFF_SCREEN, -10 * OFF_SCREEN
    elif position == "relative":
        names, lowest, highest = INSET_PROPERTIES, 4 * OFF_SCREEN, float("inf")
    for name in names:
        if name in values and not all(lowest < length < highest for length in _lengths(values[name])):
            return name
    for name in MARGIN_PROPERTIES:
        length = to_pixels(values[name]) if name in values else None
        if length is not None and length <= 4 * OFF_SCREEN:
            return name
    return None


def _mask_reason(values: dict[str, str]) -> str | None:
    """Return the mask property that hides everything: its size is zero or its gradient is transparent throughout."""
    for name in MASK_PROPERTIES:
        value = values.get(name, "")
        if name.endswith("size"):
            sizes = _lengths(value)
            if sizes and not any(sizes):
                return name
        elif "gradient(" in value:
            colours = [parsed for part in COLOUR_VALUE.findall(value) if (parsed := parse_colour(part)) is not None]
            if colours and all(parsed == INVISIBLE for parsed in colours):
                return name
    return None


def inherit_state(values: dict[str, str], state: State) -> State:
    """Return the state for the children of a visible element."""
    if INHERITED_PROPERTIES.isdisjoint(values):
        return state
    visible, tiny, indented = state.visible, state.tiny, state.indented
    visibility = values.get("visibility")
    if visibility is not None and visibility != "inherit":
        visible = visibility not in ("hidden", "collapse")
    if "font-size" in values or "font" in values:
        tiny = _is_tiny(values, tiny)
    if "text-indent" in values:
        indented = _is_indented(values)
    if "letter-spacing" in values:
        spacing = to_pixels(values["letter-spacing"])
        indented = indented or (spacing is not None and spacing <= MAX_LETTER_SPACING)
    return State(visible, tiny, indented, *_colours(values, state))


def _is_indented(values: dict[str, str]) -> bool:
    """Return whether the first line starts off screen; for a clipped single line, its full width is enough."""
    indent = to_pixels(values["text-indent"])
    if indent is None:
        return False
    is_one_line = "nowrap" in values.get("white-space", "") and "hidden" in values.get("overflow", "")
    hidden_from = 100 * PIXELS["%"] if is_one_line and "%" in values["text-indent"] else -4 * OFF_SCREEN
    return indent <= OFF_SCREEN or indent >= hidden_from


def find_hiding_inherited_property(below: State, values: dict[str, str]) -> str:
    """Return the property that hides text below an element; "" if it is not one of `values`."""
    if not below.visible:
        names: tuple[str, ...] = ("visibility",)
    elif below.tiny:
        names = ("font-size", "font")
    elif below.indented:
        names = ("text-indent", "letter-spacing")
    else:
        names = ("-webkit-text-fill-color", "color", "background-color", "background")
    return next((name for name in names if name in values), "")


def _is_tiny(values: dict[str, str], before: bool) -> bool:
    text = values.get("font-size")
    if text is None:
        found = SIZE.search(values["font"])
        text = found.group(1) if found else ""
    length = LENGTH.match(CALCULATED.sub("", text))
    if length is None:
        return before and text in ("", "inherit", "smaller", "larger", "unset")
    number, unit = float(length.group(1)), length.group(2)
    if unit in ("em", "%", "ex", "ch"):
        return before or number * PIXELS.get(unit, 1.0) / (62.5 if unit == "%" else 1) <= 1
    return number * PIXELS.get(unit, 1.0) <= (1.34 if unit == "pt" else 1)


def _colours(values: dict[str, str], state: State) -> tuple[Colour | None, Colour | None, bool]:
    foreground, background, known = state.foreground, state.background, state.background_known
    declared = values.get("background-color") or values.get("background")
    if "background-image" in values or (declared and ("url(" in declared or "gradient" in declared)):
        background, known = None, False
    elif declared:
        declared_colour = parse_colour(declared)
        if declared_colour is None:
            if declared not in ("none", "inherit", "initial", "unset"):
                background, known = None, False
        elif declared_colour != INVISIBLE:
            background, known = declared_colour, True
    clipped = "text" in values.get("background-clip", "") + values.get("-webkit-background-clip", "")
    for name in TEXT_COLOUR_PROPERTIES:
        if name in values:
            foreground = None if clipped else _text_colour(values[name], foreground)
    return foreground, background, known


def _text_colour(text: str, before: Colour | None) -> Colour | None:
    return before if text in ("inherit", "currentcolor", "unset") else parse_colour(text)
