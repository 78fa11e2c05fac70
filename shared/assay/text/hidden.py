"""Which parts of a document a reader would not see: attributes, inline style and style blocks.

What an external style sheet hides is out of reach here.
"""

import re
from collections import defaultdict
from typing import NamedTuple

from lxml.html import HtmlElement

from assay.text import css, media
from assay.text.colours import INVISIBLE, Colour, alike, colour
from assay.text.css import Declarations, Rule
from assay.text.listed import listed
from assay.text.selectors import Purse

MATCHES = 200_000  # selector tests in one document, longer selectors for more; a page that needs more is built to hurt
SMALL_SHEET = 20_000  # characters: only of such are the grounds looked up
GROUNDS = 40
OFF_SCREEN = -500.0  # pixels
WHITE: Colour = (255, 255, 255)

# Only rules that hide can set the search going; all others are read when one of these has matched.
SUSPECT = re.compile(
    r"display\s*:\s*none|visibility\s*:|transparent|opacity|clip|indent|scale|matrix|rotate|zoom|translate"
    r"|font(?:-size)?\s*:[^;]*\b[01](?![\d%.])|font(?:-size)?\s*:[^;]*(?<!\d)0?\.\d|(?:height|width)\s*:\s*[01](?:px)?\s*(?:[;!}]|$)"
    r"|-\s*\d{3}|-\d{2,}(?:em|rem|v[wh])|-100%|\d{4}|\\|(?:^|[;{\s])color\s*:|text-fill-color",
    re.IGNORECASE,
)
PROPERTY = re.compile(
    r"\b(display|visibility|content-visibility|opacity|font|color|background|text-indent|text-fill-color|clip|clip-path|overflow"
    r"|height|width|position|left|right|top|bottom|inset|margin|transform|scale|zoom|filter|line-height)\b"
)
LENGTH = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)\s*([a-z%]*)")
CALL = re.compile(r"([a-z0-9-]+)\(([^()]*(?:\([^()]*\)[^()]*)*)\)")
SIZE = re.compile(r"(?:^|\s)((?:\d+\.?\d*|\.\d+)(?:[a-z%]+)?)\s*(?:/|\s|$)")
PIXELS = {"": 1.0, "px": 1.0, "pt": 1.33, "pc": 16.0, "em": 16.0, "rem": 16.0, "ex": 8.0, "ch": 8.0, "in": 96.0}
PIXELS |= {"cm": 37.8, "mm": 3.78, "vw": 14.0, "vh": 9.0, "%": 10.0, "vmin": 9.0, "vmax": 14.0, "q": 0.94}
EDGES = ("left", "right", "top", "bottom", "inset", "inset-inline-start", "inset-block-start")
PAINTED = listed("font body table tbody thead tr td th div p")
MARGINS = ("margin-left", "margin-top", "margin-right", "margin")
NEEDS_WHOLE = ("color", "-webkit-text-fill-color")


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


class Curtain:
    """The styles of one document. `ignored` are rules and elements whose hiding is a trick, not meant."""

    def __init__(self, root: HtmlElement, ignored: frozenset[object] = frozenset()) -> None:
        self.ignored = ignored
        self.external = any("stylesheet" in (link.get("rel") or "").lower() for link in root.iter("link"))
        self.bodies: list[tuple[str, str]] = []
        self.hiding: defaultdict[str, list[Rule]] = defaultdict(list)
        self.rules: defaultdict[str, list[Rule]] | None = None  # all that have a say, once one that hides has matched
        self.properties: set[str] = set()
        self.purse = Purse(MATCHES)
        self.names: set[str] = set()
        self.slots: set[str] | None = None
        self.inline: dict[str, Declarations] = {}
        self.dropped_by: object = None
        self._read(root)

    def _read(self, root: HtmlElement) -> None:
        sheet = "\n}\n".join(css.bare(style.text or "") for style in root.iter("style") if _applies(style))
        if not SUSPECT.search(sheet):
            return
        self.bodies = list(css.blocks(sheet))
        suspects = [(selectors, body) for selectors, body in self.bodies if SUSPECT.search(body)]
        grounds = _grounds(self.bodies) if len(sheet) < SMALL_SHEET else [WHITE]
        self.names = names_in(root)
        for rule in css.rules_of(suspects, self.names):
            if could_hide(rule.declarations, grounds):
                self.hiding[css.key(rule.steps)].append(rule)
                self.properties.update(PROPERTY.findall(" ".join(rule.declarations)))

    def _all_rules(self) -> defaultdict[str, list[Rule]]:
        if self.rules is None:
            self.rules = defaultdict(list)
            wanted = self.properties | {"background", "overflow", "position"}
            bodies = [
                (selectors, body)
                for selectors, body in self.bodies
                if "\\" in body or not wanted.isdisjoint(PROPERTY.findall(body.lower()))
            ]
            for rule in css.rules_of(bodies, self.names):
                self.rules[css.key(rule.steps)].append(rule)
        return self.rules

    def enter(self, element: HtmlElement, state: State, name: str | None) -> State | None:
        """What the children of the element, of class `name`, inherit; None when the whole of it is out of sight.

        `dropped_by` then tells why: a rule's weight, or the element itself.
        """
        style, hidden = element.get("style"), element.get("hidden")
        suspected = (self.hiding or not state.shows) and self._suspected(element, name, state)
        coloured = element.tag in PAINTED and (element.get("bgcolor") or element.get("color"))
        if style is None and hidden is None and not suspected and not coloured:
            if self.external and state.ground_known and (name or element.get("id")):
                return state._replace(ground_known=False)
            return state
        if self.ignored and element in self.ignored:
            return state
        if hidden is not None and self._streams(element):
            return state
        if suspected and self.purse.left <= 0:  # nobody can tell any more: better no text than hidden text
            self.dropped_by = None
            return None
        return self._resolved(element, state, style or "", hidden, bool(suspected))

    def _streams(self, element: HtmlElement) -> bool:
        """Whether a script of the page will move what is hidden to its place: the way React sends a page in parts."""
        name = element.get("id") or ""
        if self.slots is None:
            self.slots = {slot.removeprefix("B:") for slot in element.xpath("//template/@id") if slot.startswith("B:")}
        return name.startswith("S:") and name[2:] in self.slots

    def _resolved(
        self, element: HtmlElement, state: State, style: str, hidden: str | None, suspected: bool
    ) -> State | None:
        found = self._cascade(element) if suspected else {}
        if style:
            given = self.inline.get(style)
            if given is None:
                given = self.inline[style] = css.declarations(style)
            for name, (value, important) in given.items():
                if important or name not in found or not found[name][1]:
                    found[name] = (value, important, element)
        values = {name: value for name, (value, _, _) in found.items()}
        _attributes(element, values)
        if hidden is not None and (hidden.lower() == "until-found" or "display" not in values):
            self.dropped_by = element
            return None
        cause = out_of_sight(values) if values else None
        if cause is not None:
            self.dropped_by = found[cause][2]
            return None
        if self.external and state.ground_known and (element.get("class") or element.get("id")):
            state = state._replace(ground_known=False)
        return inherited(values, state) if values else state

    def _suspected(self, element: HtmlElement, name: str | None, state: State) -> bool:
        """Whether a rule that hides matches; below text that is hidden already, any rule may show it again."""
        if not state.shows:
            return True
        hiding = self.hiding
        for key in _lookups(element, name):
            if key in hiding and any(self._tries(rule, element) for rule in hiding[key]):
                return True
        return False

    def _cascade(self, element: HtmlElement) -> dict[str, tuple[str, bool, object]]:
        rules = self._all_rules()
        matched = [
            rule
            for key in _lookups(element, element.get("class"))
            if key in rules
            for rule in rules[key]
            if self._tries(rule, element)
        ]
        matched.sort(key=lambda rule: rule.weight)
        found: dict[str, tuple[str, bool, object]] = {}
        for rule in matched:
            if rule.weight in self.ignored:
                continue
            for name, (value, important) in rule.declarations.items():
                if important or name not in found or not found[name][1]:
                    found[name] = (value, important, rule.weight)
        return found

    def _tries(self, rule: Rule, element: HtmlElement) -> bool:
        return self.purse.left > 0 and rule.matches(element, self.purse)


def _applies(style: HtmlElement) -> bool:
    parent = style.getparent()
    while parent is not None:
        if parent.tag in ("noscript", "svg", "template"):
            return False
        parent = parent.getparent()
    return media.holds(style.get("media") or "") and (style.get("type") or "text/css").strip().lower() == "text/css"


def _lookups(element: HtmlElement, name: str | None) -> list[str]:
    keys = [element.tag, "*"]
    if name:
        keys += [f".{word}" for word in set(name.split())]
    if identity := element.get("id"):
        keys.append(f"#{identity}")
    return keys


def names_in(root: HtmlElement) -> set[str]:
    """The classes of a document, and its ids behind a `#`."""
    names = {f"#{identity}" for identity in root.xpath("//@id")}
    names.update(*(set(value.split()) for value in set(root.xpath("//@class"))))
    return names


def _grounds(bodies: list[tuple[str, str]]) -> list[Colour]:
    """The colours that a sheet paints grounds in."""
    found = {WHITE}
    for _, body in bodies:
        if "background" in body:
            for name, (value, _) in css.declarations(body).items():
                shade = colour(value) if name in ("background", "background-color") else None
                if shade is not None and shade != INVISIBLE:
                    found.add(shade)
    return list(found)[:GROUNDS]


def could_hide(declared: Declarations, grounds: list[Colour]) -> bool:
    """Whether these declarations hide text by themselves, or with what other rules may add to them."""
    values = {"overflow": "hidden", "position": "absolute"} | {name: value for name, (value, _) in declared.items()}
    if out_of_sight(values) is not None:
        return True
    state = inherited(values, START)
    if not state.visible or state.tiny or state.indented:
        return True
    ink = state.foreground
    return ink is not None and (ink == INVISIBLE or any(alike(ink, ground) for ground in grounds))


def _attributes(element: HtmlElement, values: dict[str, str]) -> None:
    """The old colouring attributes, weaker than any style."""
    if (ground := element.get("bgcolor")) and "background" not in values:
        values.setdefault("background-color", ground.lower())
    if element.tag == "font" and (ink := element.get("color")):
        values.setdefault("color", ink.lower())


def pixels(text: str) -> float | None:
    """A CSS length as pixels, roughly; None for what is none."""
    found = LENGTH.search(text)
    if found is None or found.group(2) not in PIXELS:
        return None
    return float(found.group(1)) * PIXELS[found.group(2)]


def out_of_sight(values: dict[str, str]) -> str | None:
    """The property that takes an element and all it holds out of sight, or None."""
    if values.get("display") == "none":
        return "display"
    if values.get("content-visibility") == "hidden":
        return "content-visibility"
    for name in ("opacity", "zoom", "scale"):
        if name in values and _share(values[name]) <= 0.05:
            return name
    for test in (_filtered, _clipped, _collapsed, _moved, _transformed):
        if cause := test(values):
            return cause
    return None


def _share(text: str) -> float:
    found = LENGTH.match(text)
    if found is None:
        return 1.0
    return float(found.group(1)) / (100 if found.group(2) == "%" else 1)


def _filtered(values: dict[str, str]) -> str | None:
    for name, inside in CALL.findall(values.get("filter", "")):
        if name == "opacity" and _share(inside.strip()) <= 0.05:
            return "filter"
    return None


def _clipped(values: dict[str, str]) -> str | None:
    for name, inside in CALL.findall(values.get("clip", "")):
        numbers = [float(number) for number, _ in LENGTH.findall(inside)]
        if name == "rect" and len(numbers) == 4 and (numbers[2] - numbers[0] <= 1 or numbers[1] - numbers[3] <= 1):
            return "clip"
    for name, inside in CALL.findall(values.get("clip-path", "")):
        numbers = [float(number) for number, _ in LENGTH.findall(inside)]
        if name == "inset" and numbers and (max(numbers) >= 100 or (len(numbers) == 1 and numbers[0] >= 50)):
            return "clip-path"
        if name == "inset" and len(numbers) > 1 and min(numbers) >= 50:
            return "clip-path"
        if name in ("circle", "ellipse") and numbers and numbers[0] == 0:
            return "clip-path"
        if name == "polygon" and len({" ".join(point.split()) for point in inside.split(",")}) == 1:
            return "clip-path"
    return None


def _collapsed(values: dict[str, str]) -> str | None:
    overflow = values.get("overflow", "") + values.get("overflow-y", "") + values.get("overflow-x", "")
    if "hidden" not in overflow and "clip" not in overflow:
        return None
    for name in ("height", "max-height", "width", "max-width", "block-size", "inline-size", "line-height"):
        size = pixels(values[name]) if name in values else None
        if size is not None and size <= 1 and "calc" not in values[name]:
            return name
    return None


def _moved(values: dict[str, str]) -> str | None:
    position = values.get("position")
    names: tuple[str, ...] = ()
    if position in ("absolute", "fixed"):
        names, least, most = EDGES, OFF_SCREEN, -10 * OFF_SCREEN
    elif position == "relative":
        names, least, most = EDGES, 4 * OFF_SCREEN, float("inf")
    for name in names:
        length = pixels(values[name]) if name in values else None
        if length is not None and not least < length < most:
            return name
    for name in MARGINS:
        length = pixels(values[name]) if name in values else None
        if length is not None and length <= 4 * OFF_SCREEN:
            return name
    return None


def _transformed(values: dict[str, str]) -> str | None:
    for name, inside in CALL.findall(values.get("transform", "") + " " + values.get("-webkit-transform", "")):
        numbers = [float(number) for number, _ in LENGTH.findall(inside)]
        if name.startswith("scale") and numbers and min(numbers[:2]) <= 0.05 and min(numbers[:2]) >= -0.05:
            return "transform"
        if name.startswith("matrix") and len(numbers) >= 4 and numbers[0] == 0 and numbers[1] == 0:
            return "transform"
        if name.startswith("translate") and any((pixels(part) or 0) <= 10 * OFF_SCREEN for part in inside.split(",")):
            return "transform"
        if name in ("rotatex", "rotatey") and numbers and abs(numbers[0]) == 90:
            return "transform"
    return None


def inherited(values: dict[str, str], state: State) -> State:
    """The state below an element that is itself in sight."""
    visible, tiny, indented = state.visible, state.tiny, state.indented
    visibility = values.get("visibility")
    if visibility is not None and visibility != "inherit":
        visible = visibility not in ("hidden", "collapse")
    if "font-size" in values or "font" in values:
        tiny = _tiny(values, tiny)
    if "text-indent" in values:
        indent = pixels(values["text-indent"])
        indented = indent is not None and (indent <= OFF_SCREEN or indent >= -4 * OFF_SCREEN)
    return State(visible, tiny, indented, *_colours(values, state))


def _tiny(values: dict[str, str], before: bool) -> bool:
    text = values.get("font-size")
    if text is None:
        found = SIZE.search(values["font"])
        text = found.group(1) if found else ""
    length = LENGTH.match(text.removeprefix("calc("))
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
