"""Which parts of a document a reader would not see: attributes, inline style and style blocks.

What an external style sheet hides is out of reach here. What a click shows is kept: closed `details` are part of what a
page says to its readers, and browsers search them.
"""

import re
from operator import attrgetter
from typing import cast

from lxml.etree import XPath
from lxml.html import HtmlElement

from assay.html.css import declarations
from assay.html.css.compound_selectors import MatchBudget
from assay.html.css.computed_visibility import (
    START,
    UNGROUNDED,
    State,
    inherit_state,
    out_of_sight,
    unseen_by,
    with_unknown_background,
)
from assay.html.css.declarations import Declarations
from assay.html.css.document_styles import is_external, style_of
from assay.html.css.style_rules import Rule, StyleRules, Waiting, candidates
from assay.html.css.stylesheet import Sheet, sheet
from assay.text.word_lists import parse_words

MATCHES = 200_000  # selector tests in one document, longer selectors for more; a page that needs more is built to hurt
PROPERTY = re.compile(
    r"\b(display|visibility|content-visibility|opacity|font|color|background|text-indent|text-fill-color|clip|clip-path|overflow"
    r"|height|width|position|left|right|top|bottom|inset|margin|transform|scale|translate|rotate|zoom|filter|line-height|mask|backface-visibility|contain|letter-spacing|white-space)\b"
)
SAYING = frozenset(("style", "hidden", "popover", "bgcolor", "color"))  # attributes that may decide what is seen
PAINTED = parse_words("font body table tbody thead tr td th div p")
NAMES = XPath("//@class", smart_strings=False)
IDENTITIES = XPath("//@id", smart_strings=False)

type Declared = tuple[str, bool, object]  # a value, whether it is important, and who says so


class VisibilityResolver:
    """The styles of one document. `ignored` are rules and elements whose hiding is a trick, not meant."""

    def __init__(self, root: HtmlElement, ignored: frozenset[object] = frozenset()) -> None:
        self.root = root
        self.ignored = ignored
        self.external = any(is_external(link) for link in root.iter("link"))
        self.sheet: Sheet | None = sheet(style_of(root)[: declarations.BYTES])
        self.concerned: list[Waiting] = []
        self.hiding: StyleRules | None = None
        self.rules: StyleRules | None = None  # all that have a say, once one that hides has matched
        self.purse = MatchBudget(MATCHES)
        self.slots: set[str] | None = None
        self.inline: dict[str, dict[str, str]] = {}
        self.dropped_by: object = None
        if self.sheet is not None:
            self._look_up(self.sheet)

    def _look_up(self, given: Sheet) -> None:
        self.concerned = list(candidates(given.rules, names_in(self.root)))
        suspects = [one for one in self.concerned if given.hides(one[1])]
        if suspects:
            self.hiding = StyleRules(suspects, bool)

    def _all_rules(self) -> StyleRules:
        if self.rules is None:
            wanted = {"background", "overflow", "position"}
            for rule in self.hiding.all() if self.hiding else ():
                wanted.update(PROPERTY.findall(" ".join(rule.declarations)))
            self.rules = StyleRules(
                self.concerned, lambda body: "\\" in body or not wanted.isdisjoint(PROPERTY.findall(body.lower()))
            )
        return self.rules

    def resolve(self, element: HtmlElement, state: State, name: str | None) -> State | None:
        """What the children of the element, of class `name`, inherit; None when the whole of it is out of sight.

        `dropped_by` tells why it is, or why it shows nothing: a rule's weight, or the element itself.
        """
        given = element.keys()
        identity = element.get("id") if "id" in given else None
        suspected = state is not START and state is not UNGROUNDED and not state.shows
        if self.hiding is not None and not suspected:
            rules = self.hiding.find_rules((element.tag, name, identity), given, self.purse)
            suspected = bool(rules) and self._is_suspected(element, rules)
        if suspected or not SAYING.isdisjoint(given):
            return self._enter_styled(element, state, suspected)
        if self.external and state.ground_known and (name or identity):
            return with_unknown_background(state)
        return state

    def _enter_styled(self, element: HtmlElement, state: State, suspected: bool) -> State | None:
        """The same of an element that says something of its own or that a rule may hide."""
        style, hidden = element.get("style"), element.get("hidden")
        if hidden is None:
            hidden = element.get("popover")  # which opens at a click
        coloured = element.tag in PAINTED and (element.get("bgcolor") or element.get("color"))
        if style is None and hidden is None and not suspected and not coloured:
            return self._with_unknown_background(element, state)
        if self.ignored and element in self.ignored:
            return state
        if hidden is not None and self._streams(element):
            hidden = None
        if suspected and self.purse.left <= 0:  # nobody can tell any more: better no text than hidden text
            self.dropped_by = None
            return None
        return self._resolve_styles(element, state, style or "", hidden, suspected)

    def _with_unknown_background(self, element: HtmlElement, state: State) -> State:
        """The state, where a sheet that we do not have may colour what has a class or an id."""
        if self.external and state.ground_known and (element.get("class") or element.get("id")):
            return with_unknown_background(state)
        return state

    def _streams(self, element: HtmlElement) -> bool:
        """Whether a script of the page will move what is hidden to its place: the way React sends a page in parts."""
        name = element.get("id") or ""
        if self.slots is None:
            self.slots = {slot[2:] for slot in element.xpath("//template/@id") if slot.startswith(("B:", "P:"))}
        return name.startswith("S:") and name[2:] in self.slots

    def _resolve_styles(
        self, element: HtmlElement, state: State, style: str, hidden: str | None, suspected: bool
    ) -> State | None:
        found = self._cascade(element, style) if suspected else {}
        if suspected:
            values = self._with_custom({name: value for name, (value, _, _) in found.items()})
        else:
            values = self._own(style)
        values = _with_attributes(element, values)
        if hidden is not None and (hidden.lower() == "until-found" or "display" not in values):
            self.dropped_by = element
            return None
        cause = out_of_sight(values)
        if cause is not None:
            self.dropped_by = found[cause][2] if suspected else element
            return None
        below = inherit_state(values, self._with_unknown_background(element, state))
        if not below.shows:
            unseen = unseen_by(below, values)
            self.dropped_by = found[unseen][2] if unseen in found else element
        return below

    def _is_suspected(self, element: HtmlElement, rules: list[Rule]) -> bool:
        """Whether a rule that hides matches; below text that is hidden already, any rule may show it again."""
        for rule in rules:  # noqa: SIM110 -- a generator costs more than the rules
            if rule.fits(element, self.purse):
                return True
        return False

    def _own(self, style: str) -> dict[str, str]:
        """What an element's own style says, where no rule has a say."""
        found = self.inline.get(style)
        if found is None:
            found = {name: value for name, (value, _) in declarations.declarations(style).items()}
            found = self.inline[style] = self._with_custom(found)
        return found

    def _with_custom(self, values: dict[str, str]) -> dict[str, str]:
        return declarations.with_custom(values, self.sheet.custom if self.sheet else {})

    def _cascade(self, element: HtmlElement, style: str) -> dict[str, Declared]:
        found: dict[str, Declared] = {}
        for rule in self._matching(element):
            if rule.weight not in self.ignored:
                _declare(rule.declarations, rule.weight, found)
        _declare(declarations.declarations(style), element, found)
        return found

    def _matching(self, element: HtmlElement) -> list[Rule]:
        """All the rules for an element, the strongest last."""
        if not self.concerned:
            return []
        look = (element.tag, element.get("class"), element.get("id"))
        rules = self._all_rules().find_rules(look, element.keys(), self.purse)
        return sorted((rule for rule in rules if rule.fits(element, self.purse)), key=attrgetter("weight"))


def _declare(given: Declarations, by: object, found: dict[str, Declared]) -> None:
    for name, (value, important) in given.items():
        if important or name not in found or not found[name][1]:
            found[name] = (value, important, by)


def names_in(root: HtmlElement) -> set[str]:
    """The classes of a document behind a `.`, and its ids behind a `#`."""
    names = {f"#{identity}" for identity in cast("list[str]", IDENTITIES(root))}
    for classes in set(cast("list[str]", NAMES(root))):
        names.update(["." + name for name in classes.split()])
    return names


def _with_attributes(element: HtmlElement, values: dict[str, str]) -> dict[str, str]:
    """The values and the old colouring attributes, which are weaker than any style."""
    old: dict[str, str] = {}
    if (ground := element.get("bgcolor")) and "background" not in values:
        old["background-color"] = ground.lower()
    if element.tag == "font" and (ink := element.get("color")):
        old["color"] = ink.lower()
    return old | values if old else values
