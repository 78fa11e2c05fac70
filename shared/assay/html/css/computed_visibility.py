"""Whether the computed declarations of an element make its text invisible.

Covers `display`, `visibility`, `opacity`, clipping, masking, size, position, transforms and text colours that match
their background (CSS Display, Color, Masking, Overflow, Positioned Layout and Transforms modules).
"""

import re

from assay.html.css.clipping import MASK_PROPERTIES, find_hiding_clip, find_hiding_mask
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
SIZE_PROPERTIES: tuple[str, ...] = ("height", "max-height", "width", "max-width", "block-size", "inline-size")
MAX_HIDING_SIZE = 4.0  # pixels of a clipped box in which no line can be read
MAX_LETTER_SPACING = -12.0  # pixels of letter spacing at which the letters overlap
FULL_SCREEN = re.compile(
    r"[1-9]\d{2,}(?:\.\d+)?(?:%|d?v[wh]|vi|vb)$"
)  # an inset by which nothing is left on the screen
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


class State:
    """Inherited visibility state that an element passes to its children."""

    __slots__ = ("background", "background_known", "foreground", "indented", "shows", "tiny", "visible")

    def __init__(
        self,
        visible: bool = True,
        tiny: bool = False,
        indented: bool = False,
        foreground: Colour | None = None,
        background: Colour | None = None,
        background_known: bool = True,
    ) -> None:
        """Build a state; None stands for a colour that is not declared.

        `background_known` is False if an external style sheet may set the background.
        """
        self.visible = visible
        self.tiny = tiny
        self.indented = indented
        self.foreground = foreground
        self.background = background
        self.background_known = background_known
        self.shows = self._shows_text()  # whether text directly in such an element is visible

    def _shows_text(self) -> bool:
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
    if state is INITIAL_STATE:
        return UNKNOWN_BACKGROUND
    return State(state.visible, state.tiny, state.indented, state.foreground, state.background, background_known=False)


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
        if name in values and _parse_fraction(values[name]) <= 0.05:
            return name
    for test in (
        _find_hiding_filter,
        find_hiding_clip,
        _find_hiding_size,
        _find_hiding_offset,
        find_hiding_mask,
        find_hiding_transform,
    ):
        if cause := test(values):
            return cause
    return None


def _parse_fraction(text: str) -> float:
    found = LENGTH.match(CALCULATED.sub("", text))
    if found is None:
        return 1.0
    return float(found.group(1)) / (100 if found.group(2) == "%" else 1)


def _find_hiding_filter(values: dict[str, str]) -> str | None:
    for name, inside in FUNCTION_CALL.findall(values.get("filter", "")):
        if name == "opacity" and _parse_fraction(inside.strip()) <= 0.05:
            return "filter"
        if name == "contrast" and _parse_fraction(inside.strip()) <= 0.05:
            return "filter"
        if name == "blur" and (to_pixels(inside) or 0) >= MIN_HIDING_BLUR:
            return "filter"
    return None


def _find_hiding_size(values: dict[str, str]) -> str | None:
    overflow = values.get("overflow", "") + values.get("overflow-y", "") + values.get("overflow-x", "")
    names = SIZE_PROPERTIES
    if "hidden" not in overflow and "clip" not in overflow and not PAINT_CONTAINMENT.search(values.get("contain", "")):
        if "auto" not in overflow and "scroll" not in overflow:
            return None
        names = ("max-height", "max-width")  # a pane that scrolls grows from no height or width
    elif LINE_WITHOUT_HEIGHT.match(values.get("line-height", "")):
        return "line-height"
    for name in names:
        if (to_pixels(values.get(f"min-{name}", "")) or 0) > MAX_HIDING_SIZE:
            continue
        size = to_pixels(values[name]) if name in values else None
        if size is not None and size <= MAX_HIDING_SIZE and "calc" not in values[name]:
            return name
    return None


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
    return next((name for name in INSET_PROPERTIES if FULL_SCREEN.match(values.get(name, ""))), None)


def _find_hiding_margin(values: dict[str, str]) -> str | None:
    sides = values.get("margin", "").split()
    if len(sides) == 4 and "padding" not in values and (to_pixels(sides[3]) or 0) <= 4 * OFF_SCREEN:
        return "margin"
    for name in MARGIN_PROPERTIES:
        length = to_pixels(values[name]) if name in values else None
        if length is not None and length <= 4 * OFF_SCREEN:
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
    return State(visible, tiny, indented, *_inherit_colours(values, state))


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


def _inherit_colours(values: dict[str, str], state: State) -> tuple[Colour | None, Colour | None, bool]:
    foreground = state.foreground
    background, known = _inherit_background(values, state)
    clipped = "text" in values.get("background-clip", "") + values.get("-webkit-background-clip", "")
    if clipped and known and background is not state.background:  # the text is painted in its background's colour
        return background, state.background, state.background_known
    for name in TEXT_COLOUR_PROPERTIES:
        if name in values:
            foreground = None if clipped else _inherit_text_colour(values[name], foreground)
    return foreground, background, known


def _inherit_background(values: dict[str, str], state: State) -> tuple[Colour | None, bool]:
    """Return the colour of the background, and whether it is known."""
    declared = values.get("background-color") or values.get("background")
    if "background-image" in values or (declared and ("url(" in declared or "gradient" in declared)):
        return None, False
    if not declared or declared in ("none", "inherit", "initial", "unset"):
        return state.background, state.background_known
    if declared == "currentcolor":
        return _inherit_text_colour(values.get("color", "inherit"), state.foreground), True
    colour = parse_colour(declared)
    if colour == INVISIBLE:
        return state.background, state.background_known
    return colour, colour is not None


def _inherit_text_colour(text: str, before: Colour | None) -> Colour | None:
    return before if text in ("inherit", "currentcolor", "unset") else parse_colour(text)
