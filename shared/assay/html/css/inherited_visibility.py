"""What an element passes to the text inside it: `visibility`, sizes of text, products of opacity and scale, and colours
that match their background (CSS Color, Fonts and Text modules).
"""

import re

from assay.html.css.clipping import find_only_colour
from assay.html.css.css_colors import INVISIBLE, WHITE, Colour, are_similar, parse_colour
from assay.text.lengths import CALCULATED, FUNCTION_CALL, LENGTH, OFF_SCREEN, PIXELS, parse_fraction, to_pixels
from assay.text.word_lists import parse_words

MAX_INVISIBLE_FRACTION = 0.05  # opacity or scale up to which an element is invisible
SCALE_PROPERTIES = frozenset(("zoom", "transform", "scale"))
SCALES = frozenset(("scale", "scalex", "scaley", "scale3d"))
SIZE = re.compile(r"(?:^|\s)((?:\d+\.?\d*|\.\d+)(?:[a-z%]+)?)\s*(?:/|\s|$)")
MIN_ADJUSTED = 0.05  # size of lower-case letters relative to the font's, at which text cannot be read
MAX_LETTER_SPACING = -12.0  # pixels of letter spacing at which the letters overlap
TEXT_COLOUR_PROPERTIES = ("color", "-webkit-text-fill-color")
COLOUR_PROPERTIES = frozenset((*TEXT_COLOUR_PROPERTIES, "background-color", "background", "background-image"))
INHERITED_PROPERTIES = COLOUR_PROPERTIES | parse_words(
    "visibility font-size font-size-adjust font opacity zoom scale transform text-indent letter-spacing"
)


type Background = tuple[Colour | None, bool]  # None for a colour that is not declared; whether it is known


class State:
    """Inherited visibility state that an element passes to its children."""

    __slots__ = (
        *("background", "background_known", "foreground", "indented"),
        *("opacity", "scale", "shows", "tiny", "visible"),
    )

    def __init__(
        self,
        visible: bool = True,
        tiny: bool = False,
        indented: bool = False,
        foreground: Colour | None = None,
        background: Colour | None = None,
        background_known: bool = True,
        opacity: float = 1.0,
        scale: float = 1.0,
    ) -> None:
        """Build a state; None stands for a colour that is not declared.

        `background_known` is False if an external style sheet may set the background. `opacity` and `scale` are the
        products of those of the elements around the text.
        """
        self.visible = visible
        self.tiny = tiny
        self.indented = indented
        self.foreground = foreground
        self.background = background
        self.background_known = background_known
        self.opacity = opacity
        self.scale = scale
        self.shows = self._shows_text()  # whether text directly in such an element is visible

    def _shows_text(self) -> bool:
        if not self.visible or self.tiny or self.indented:
            return False
        if self.opacity <= MAX_INVISIBLE_FRACTION or self.scale <= MAX_INVISIBLE_FRACTION:
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
    return UNKNOWN_BACKGROUND if state is INITIAL_STATE else with_background(state, (state.background, False))


def with_background(state: State, background: Background) -> State:
    """Return the state with this background."""
    if (state.background, state.background_known) == background:
        return state
    colours = (state.foreground, *background)
    return State(state.visible, state.tiny, state.indented, *colours, state.opacity, state.scale)


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
    if "font-size-adjust" in values:
        tiny = tiny or parse_fraction(values["font-size-adjust"].rpartition(" ")[2]) <= MIN_ADJUSTED
    if "text-indent" in values:
        indented = _is_indented(values)
    if "letter-spacing" in values:
        spacing = to_pixels(values["letter-spacing"])
        indented = indented or (spacing is not None and spacing <= MAX_LETTER_SPACING)
    opacity = state.opacity * min(parse_fraction(values["opacity"]), 1.0) if "opacity" in values else state.opacity
    scale = state.scale if SCALE_PROPERTIES.isdisjoint(values) else state.scale * _find_scale(values)
    colours = state.foreground, state.background, state.background_known
    if not COLOUR_PROPERTIES.isdisjoint(values):
        colours = _inherit_colours(values, state)
    return State(visible, tiny, indented, *colours, opacity, scale)


def _find_scale(values: dict[str, str]) -> float:
    """Return the product of the scales and the zoom that the element declares."""
    found = parse_fraction(values.get("zoom", ""))
    scales = [inside for name, inside in FUNCTION_CALL.findall(values.get("transform", "")) if name in SCALES]
    for inside in (*scales, values.get("scale", "")):
        factors = [abs(parse_fraction(part)) for part in inside.replace(",", " ").split()]
        found *= min(factors, default=1.0)
    return found


def _is_indented(values: dict[str, str]) -> bool:
    """Return whether the first line starts off screen; for a clipped single line, its full width is enough."""
    indent = to_pixels(values["text-indent"])
    if indent is None:
        return False
    is_one_line = "nowrap" in values.get("white-space", "") and "hidden" in values.get("overflow", "")
    found = LENGTH.match(values["text-indent"])
    unit = found.group(2) if found is not None else ""
    hidden_from = 100 * PIXELS[unit] if is_one_line and unit in ("%", "vw") else -4 * OFF_SCREEN
    return indent <= OFF_SCREEN or indent >= hidden_from


def find_hiding_inherited_property(below: State, values: dict[str, str]) -> str:
    """Return the property that hides text below an element; "" if it is not one of `values`."""
    if not below.visible:
        names: tuple[str, ...] = ("visibility",)
    elif below.tiny:
        names = ("font-size", "font", "font-size-adjust")
    elif below.indented:
        names = ("text-indent", "letter-spacing")
    elif below.opacity <= MAX_INVISIBLE_FRACTION:
        names = ("opacity",)
    elif below.scale <= MAX_INVISIBLE_FRACTION:
        names = ("transform", "scale", "zoom")
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
    background, known = inherit_background(values, state)
    clipped = "text" in values.get("background-clip", "") + values.get("-webkit-background-clip", "")
    if clipped and known and background is not state.background:  # the text is painted in its background's colour
        return background, state.background, state.background_known
    if (
        clipped
        and _has_no_ground(values)
        and _inherit_text_colour(values.get("color", "inherit"), foreground) == INVISIBLE
    ):
        return INVISIBLE, background, known
    for name in TEXT_COLOUR_PROPERTIES:
        if name in values:
            foreground = None if clipped else _inherit_text_colour(values[name], foreground)
    return foreground, background, known


def inherit_background(values: dict[str, str], state: State) -> Background:
    """Return the background inside an element."""
    declared = values.get("background-color") or values.get("background")
    image = values.get("background-image", declared or "")
    if "url(" not in image and "gradient(" in image:
        colour = find_only_colour(image)
        return colour, colour is not None
    if "background-image" in values or "url(" in image:
        return None, False
    if not declared or declared in ("none", "inherit", "initial", "unset"):
        return state.background, state.background_known
    if declared == "currentcolor":
        return _inherit_text_colour(values.get("color", "inherit"), state.foreground), True
    colour = parse_colour(declared)
    if colour == INVISIBLE:
        return state.background, state.background_known
    return colour, colour is not None


def _has_no_ground(values: dict[str, str]) -> bool:
    """Return whether an element says that it has neither a colour nor an image behind its text."""
    grounds = [values[name] for name in ("background", "background-color", "background-image") if name in values]
    return bool(grounds) and all(ground in ("none", "transparent") for ground in grounds)


def _inherit_text_colour(text: str, before: Colour | None) -> Colour | None:
    return before if text in ("inherit", "currentcolor", "unset") else parse_colour(text)
