"""What the declarations of one element say about whether text in it can be seen."""

import re
from typing import NamedTuple

from assay.html.css.css_colors import INVISIBLE, Colour, alike, colour
from assay.html.css.declarations import Declarations
from assay.html.css.transforms import MOVING, find_hiding_transform
from assay.text.lengths import CALL, LENGTH, OFF_SCREEN, PIXELS, pixels
from assay.text.lengths import lengths as _lengths

WHITE: Colour = (255, 255, 255)
SIZE = re.compile(r"(?:^|\s)((?:\d+\.?\d*|\.\d+)(?:[a-z%]+)?)\s*(?:/|\s|$)")
EDGES = (
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
MARGINS = ("margin-left", "margin-top", "margin-right", "margin", "margin-inline-start", "margin-block-start")
MASKS = ("mask", "mask-image", "mask-size", "-webkit-mask", "-webkit-mask-image", "-webkit-mask-size")
SHADE = re.compile(r"#[0-9a-f]{3,8}\b|(?:rgb|hsl)a?\([^()]{0,80}\)|[a-z]{3,20}")
OVERLAPPING = -12.0  # pixels between letters, all of which lie on each other then
PAINTED_WITHIN = re.compile(r"\b(?:strict|content|paint)\b")
BLURRED = 20.0  # pixels from which no word can be read
CALCULATED = re.compile(r"^(?:calc|min|max)\(")
NEEDS_WHOLE = ("color", "-webkit-text-fill-color")
# The properties that decide anything, so that an element without any of them costs one look.
REMOVING = frozenset(
    (
        *("display", "content-visibility", "opacity", "zoom", "filter", "clip", "clip-path", *MARGINS),
        *("overflow", "overflow-x", "overflow-y", "contain", "position", "-webkit-clip-path", *MASKS, *MOVING),
    )
)
INHERITED = frozenset(
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
        *NEEDS_WHOLE,
    )
)


class State(NamedTuple):
    """What an element hands down to its children."""

    visible: bool = True
    tiny: bool = False
    indented: bool = False
    foreground: Colour | None = None  # None: not said
    background: Colour | None = None
    ground_known: bool = True  # False where a style sheet we cannot read may colour the ground

    @property
    def shows(self) -> bool:
        """Whether text directly in such an element can be seen."""
        if not self.visible or self.tiny or self.indented:
            return False
        if self.foreground is None:
            return True
        if self.foreground == INVISIBLE:
            return False
        ground = self.background or (WHITE if self.ground_known else None)
        return ground is None or not alike(self.foreground, ground)


START = State()
UNGROUNDED = State(ground_known=False)


def with_unknown_background(state: State) -> State:
    """The state on a ground that nobody here knows."""
    return UNGROUNDED if state is START else state._replace(ground_known=False)


def could_hide(declared: Declarations, grounds: list[Colour]) -> bool:
    """Whether these declarations hide text by themselves, or with what other rules may add to them."""
    values = {"overflow": "hidden", "position": "absolute"} | {name: value for name, (value, _) in declared.items()}
    if out_of_sight(values) is not None:
        return True
    state = inherit_state(values, START)
    if not state.visible or state.tiny or state.indented:
        return True
    ink = state.foreground
    return ink is not None and (ink == INVISIBLE or any(alike(ink, ground) for ground in grounds))


def out_of_sight(values: dict[str, str]) -> str | None:
    """The property that takes an element and all it holds out of sight, or None."""
    if REMOVING.isdisjoint(values):
        return None
    if values.get("display") == "none":
        return "display"
    if values.get("content-visibility") == "hidden":
        return "content-visibility"
    for name in ("opacity", "zoom"):
        if name in values and _share(values[name]) <= 0.05:
            return name
    for test in (_filter_reason, _clip_reason, _collapse_reason, _offset_reason, _mask_reason, find_hiding_transform):
        if cause := test(values):
            return cause
    return None


def _share(text: str) -> float:
    found = LENGTH.match(CALCULATED.sub("", text))
    if found is None:
        return 1.0
    return float(found.group(1)) / (100 if found.group(2) == "%" else 1)


def _filter_reason(values: dict[str, str]) -> str | None:
    for name, inside in CALL.findall(values.get("filter", "")):
        if name == "opacity" and _share(inside.strip()) <= 0.05:
            return "filter"
        if name == "blur" and (pixels(inside) or 0) >= BLURRED:
            return "filter"
    return None


def _clip_reason(values: dict[str, str]) -> str | None:
    for name, inside in CALL.findall(values.get("clip", "")):
        numbers = [float(number) for number, _ in LENGTH.findall(inside)]
        if name == "rect" and len(numbers) == 4 and (numbers[2] - numbers[0] <= 1 or numbers[1] - numbers[3] <= 1):
            return "clip"
    return _clipped_by_path(values)


def _clipped_by_path(values: dict[str, str]) -> str | None:
    property_name = "clip-path" if "clip-path" in values else "-webkit-clip-path"
    for name, inside in CALL.findall(values.get(property_name, "")):
        numbers = [float(number) for number, _ in LENGTH.findall(inside)]
        if _cuts_all_off(name, numbers, inside):
            return property_name
    return None


def _cuts_all_off(name: str, numbers: list[float], inside: str) -> bool:
    """Whether nothing lies within a shape."""
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
    """Whether the corners of a polygon are all one, or lie on a level or an upright line."""
    corners = [point for point in points if len(point) == 2]
    return bool(corners) and any(len({float(point[axis][0]) for point in corners}) == 1 for axis in (0, 1))


def _collapse_reason(values: dict[str, str]) -> str | None:
    overflow = values.get("overflow", "") + values.get("overflow-y", "") + values.get("overflow-x", "")
    if "hidden" not in overflow and "clip" not in overflow and not PAINTED_WITHIN.search(values.get("contain", "")):
        return None
    for name in ("height", "max-height", "width", "max-width", "block-size", "inline-size", "line-height"):
        size = pixels(values[name]) if name in values else None
        if size is not None and size <= 1 and "calc" not in values[name]:
            return name
    return None


def _offset_reason(values: dict[str, str]) -> str | None:
    position = values.get("position")
    names: tuple[str, ...] = ()
    if position in ("absolute", "fixed"):
        names, least, most = EDGES, OFF_SCREEN, -10 * OFF_SCREEN
    elif position == "relative":
        names, least, most = EDGES, 4 * OFF_SCREEN, float("inf")
    for name in names:
        if name in values and not all(least < length < most for length in _lengths(values[name])):
            return name
    for name in MARGINS:
        length = pixels(values[name]) if name in values else None
        if length is not None and length <= 4 * OFF_SCREEN:
            return name
    return None


def _mask_reason(values: dict[str, str]) -> str | None:
    """A mask that lets nothing through: of no size, or a gradient between colours that are all transparent."""
    for name in MASKS:
        value = values.get(name, "")
        if name.endswith("size"):
            sizes = _lengths(value)
            if sizes and not any(sizes):
                return name
        elif "gradient(" in value:
            shades = [shade for part in SHADE.findall(value) if (shade := colour(part)) is not None]
            if shades and all(shade == INVISIBLE for shade in shades):
                return name
    return None


def inherit_state(values: dict[str, str], state: State) -> State:
    """The state below an element that is itself in sight."""
    if INHERITED.isdisjoint(values):
        return state
    visible, tiny, indented = state.visible, state.tiny, state.indented
    visibility = values.get("visibility")
    if visibility is not None and visibility != "inherit":
        visible = visibility not in ("hidden", "collapse")
    if "font-size" in values or "font" in values:
        tiny = _tiny(values, tiny)
    if "text-indent" in values:
        indented = _is_indented(values)
    if "letter-spacing" in values:
        spacing = pixels(values["letter-spacing"])
        indented = indented or (spacing is not None and spacing <= OVERLAPPING)
    return State(visible, tiny, indented, *_colours(values, state))


def _is_indented(values: dict[str, str]) -> bool:
    """Whether the first line begins out of sight; of one line that clips what sticks out, a whole width is enough."""
    indent = pixels(values["text-indent"])
    if indent is None:
        return False
    is_one_line = "nowrap" in values.get("white-space", "") and "hidden" in values.get("overflow", "")
    least = 100 * PIXELS["%"] if is_one_line and "%" in values["text-indent"] else -4 * OFF_SCREEN
    return indent <= OFF_SCREEN or indent >= least


def unseen_by(below: State, values: dict[str, str]) -> str:
    """The property for which text below an element in sight does not show; "" where it is not one of `values`."""
    if not below.visible:
        names: tuple[str, ...] = ("visibility",)
    elif below.tiny:
        names = ("font-size", "font")
    elif below.indented:
        names = ("text-indent", "letter-spacing")
    else:
        names = ("-webkit-text-fill-color", "color", "background-color", "background")
    return next((name for name in names if name in values), "")


def _tiny(values: dict[str, str], before: bool) -> bool:
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
    ink, ground, known = state.foreground, state.background, state.ground_known
    painted = values.get("background-color") or values.get("background")
    if "background-image" in values or (painted and ("url(" in painted or "gradient" in painted)):
        ground, known = None, False
    elif painted:
        colour_of_ground = colour(painted)
        if colour_of_ground is None:
            if painted not in ("none", "inherit", "initial", "unset"):
                ground, known = None, False
        elif colour_of_ground != INVISIBLE:
            ground, known = colour_of_ground, True
    clipped = "text" in values.get("background-clip", "") + values.get("-webkit-background-clip", "")
    for name in NEEDS_WHOLE:
        if name in values:
            ink = None if clipped else _ink(values[name], ink)
    return ink, ground, known


def _ink(text: str, before: Colour | None) -> Colour | None:
    return before if text in ("inherit", "currentcolor", "unset") else colour(text)
