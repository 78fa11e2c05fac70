"""Which parts of a document a reader would not see: attributes, inline style and style blocks.

What an external style sheet hides is out of reach here.
"""

import re
from typing import cast

from lxml.etree import XPath
from lxml.html import HtmlElement

from assay.text import css, media
from assay.text.colours import INVISIBLE, Colour, colour
from assay.text.compounds import Purse
from assay.text.css import Declarations
from assay.text.listed import listed
from assay.text.rules import Rules
from assay.text.sight import START, UNGROUNDED, WHITE, State, could_hide, inherited, out_of_sight

MATCHES = 200_000  # selector tests in one document, longer selectors for more; a page that needs more is built to hurt
SMALL_SHEET = 20_000  # characters: only of such are the grounds looked up
GROUNDS = 40

# Only rules that hide can set the search going; all others are read when one of these has matched.
HIDING = (
    *("visibility", "transparent", "opacity", "clip", "indent", "scale", "matrix", "rotate", "zoom", "translate", "\\"),
    *("text-fill-color", "-100%"),
)
HIDING_WITH = (  # a word that is found quickly, and what else must stand around it
    ("none", re.compile(r"display\s*:\s*none")),
    ("color", re.compile(r"(?:^|[;{\s])color\s*:")),
    ("font", re.compile(r"font(?:-size)?\s*:[^;]*(?:\b[01](?![\d%.])|(?<!\d)0?\.\d)")),
    ("height", re.compile(r"height\s*:\s*(?:0|\.|1(?:px)?\s*(?:[;!}]|$))")),
    ("width", re.compile(r"width\s*:\s*(?:0|\.|1(?:px)?\s*(?:[;!}]|$))")),
    ("var(", re.compile(r"(?:display|opacity|font-size)\s*:\s*var\(")),
    ("em", re.compile(r"\d{3}r?em")),
    ("v", re.compile(r"\d{3}v[wh]")),
    ("-", re.compile(r"-(?:\s*\d{3}|\d{2,}(?:em|rem|v[wh]))")),
)
LONG_NUMBER = re.compile(r"\d{4}")
PROPERTY = re.compile(
    r"\b(display|visibility|content-visibility|opacity|font|color|background|text-indent|text-fill-color|clip|clip-path|overflow"
    r"|height|width|position|left|right|top|bottom|inset|margin|transform|scale|translate|rotate|zoom|filter|line-height)\b"
)
PAINTED = listed("font body table tbody thead tr td th div p")
NAMES = XPath("//@class", smart_strings=False)
IDENTITIES = XPath("//@id", smart_strings=False)


class Curtain:
    """The styles of one document. `ignored` are rules and elements whose hiding is a trick, not meant."""

    def __init__(self, root: HtmlElement, ignored: frozenset[object] = frozenset()) -> None:
        self.root = root
        self.ignored = ignored
        self.external = any("stylesheet" in (link.get("rel") or "").lower() for link in root.iter("link"))
        self.bodies: list[tuple[str, str]] = []
        self.hiding: Rules | None = None
        self.rules: Rules | None = None  # all that have a say, once one that hides has matched
        self.purse = Purse(MATCHES)
        self.names: set[str] = set()
        self.slots: set[str] | None = None
        self.inline: dict[str, Declarations] = {}
        self.dropped_by: object = None
        self.custom: dict[str, str] = {}  # what the sheets say of properties of their own
        self._read(root)

    def _read(self, root: HtmlElement) -> None:
        sheet = "\n}\n".join(css.bare(style.text or "") for style in root.iter("style") if _applies(style))
        if not sheet or not is_suspect(sheet):
            return
        self.bodies = list(css.blocks(sheet))
        grounds = _grounds(self.bodies) if len(sheet) < SMALL_SHEET else [WHITE]
        if "var(" in sheet:
            self.custom = css.custom(self.bodies)
        hides = {body: could_hide(self._declared(body), grounds) for _, body in self.bodies if is_suspect(body)}
        suspects = [(selectors, body) for selectors, body in self.bodies if hides.get(body)]
        if suspects:
            self.names = names_in(root)
            self.hiding = Rules(suspects, self.names, bool)

    def _declared(self, body: str) -> Declarations:
        declared = css.declarations(body)
        values = css.with_custom({name: value for name, (value, _) in declared.items()}, self.custom)
        return {name: (values[name], important) for name, (_, important) in declared.items()}

    def _all_rules(self) -> Rules:
        if self.rules is None:
            wanted = {"background", "overflow", "position"}
            for rule in self.hiding.all() if self.hiding else ():
                wanted.update(PROPERTY.findall(" ".join(rule.declarations)))
            self.rules = Rules(
                self.bodies,
                self.names or names_in(self.root),
                lambda body: "\\" in body or not wanted.isdisjoint(PROPERTY.findall(body.lower())),
            )
        return self.rules

    def enter(self, element: HtmlElement, state: State, name: str | None) -> State | None:
        """What the children of the element, of class `name`, inherit; None when the whole of it is out of sight.

        `dropped_by` then tells why: a rule's weight, or the element itself.
        """
        style, hidden = element.get("style"), element.get("hidden")
        if hidden is None:
            hidden = element.get("popover")  # which opens at a click
        suspected = (state is not START and state is not UNGROUNDED and not state.shows) or (
            self.hiding is not None and self._is_suspected(self.hiding, element, name)
        )
        coloured = element.tag in PAINTED and (element.get("bgcolor") or element.get("color"))
        if style is None and hidden is None and not suspected and not coloured:
            if self.external and state.ground_known and (name or element.get("id")):
                return UNGROUNDED if state is START else state._replace(ground_known=False)
            return state
        if self.ignored and element in self.ignored:
            return state
        if hidden is not None and self._streams(element):
            hidden = None
        if suspected and self.purse.left <= 0:  # nobody can tell any more: better no text than hidden text
            self.dropped_by = None
            return None
        return self._resolved(element, state, style or "", hidden, suspected)

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
        values = css.with_custom({name: value for name, (value, _, _) in found.items()}, self.custom)
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

    def _is_suspected(self, hiding: Rules, element: HtmlElement, name: str | None) -> bool:
        """Whether a rule that hides matches; below text that is hidden already, any rule may show it again."""
        purse = self.purse
        for rule in hiding.called(element, name, purse):  # noqa: SIM110 -- a generator costs more than the rules
            if rule.fits(element, purse):
                return True
        return False

    def _cascade(self, element: HtmlElement) -> dict[str, tuple[str, bool, object]]:
        if not self.bodies:
            return {}
        purse = self.purse
        rules = self._all_rules().called(element, element.get("class"), purse)
        matched = [rule for rule in rules if rule.fits(element, purse)]
        matched.sort(key=lambda rule: rule.weight)
        found: dict[str, tuple[str, bool, object]] = {}
        for rule in matched:
            if rule.weight in self.ignored:
                continue
            for name, (value, important) in rule.declarations.items():
                if important or name not in found or not found[name][1]:
                    found[name] = (value, important, rule.weight)
        return found


def _applies(style: HtmlElement) -> bool:
    parent = style.getparent()
    while parent is not None:
        if parent.tag in ("noscript", "svg", "template"):
            return False
        parent = parent.getparent()
    return media.holds(style.get("media") or "") and (style.get("type") or "text/css").strip().lower() == "text/css"


def names_in(root: HtmlElement) -> set[str]:
    """The classes of a document, and its ids behind a `#`."""
    names = {f"#{identity}" for identity in cast("list[str]", IDENTITIES(root))}
    names.update(*map(str.split, set(cast("list[str]", NAMES(root)))))
    return names


def is_suspect(body: str) -> bool:
    """A quick look at declarations, before they are read: whether they may hide."""
    text = body.lower()
    return (
        any(word in text for word in HIDING)
        or any(word in text and pattern.search(text) for word, pattern in HIDING_WITH)
        or LONG_NUMBER.search(text) is not None
    )


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


def _attributes(element: HtmlElement, values: dict[str, str]) -> None:
    """The old colouring attributes, weaker than any style."""
    if (ground := element.get("bgcolor")) and "background" not in values:
        values.setdefault("background-color", ground.lower())
    if element.tag == "font" and (ink := element.get("color")):
        values.setdefault("color", ink.lower())
