"""Which parts of a document are invisible to a reader, by attributes, inline style and style sheets in the document.

External style sheets are not available here. Closed `details` are part of the page's text, and browsers search them;
`assay.html.reader.disclosures` decides about other content that a click shows.
"""

import re
from copy import copy
from operator import attrgetter
from typing import NamedTuple

from assay.html.css import declarations
from assay.html.css.animations import Animations
from assay.html.css.compound_selectors import MatchBudget
from assay.html.css.computed_visibility import find_hiding_property
from assay.html.css.custom_properties import CustomProperties, resolve_variables
from assay.html.css.declarations import Declarations
from assay.html.css.document_styles import collect_names, collect_sheets, is_external
from assay.html.css.inherited_visibility import (
    INITIAL_STATE,
    TEXT_COLOUR_PROPERTIES,
    Background,
    State,
    find_hiding_inherited_property,
    inherit_background,
    inherit_state,
    with_background,
    with_unknown_background,
)
from assay.html.css.presentational_attributes import MATH_PROPERTIES, add_presentational_attributes, has_colour
from assay.html.css.shadow_trees import ShadowTrees, find_shadow_roots, find_unslotted
from assay.html.css.streamed_content import find_places
from assay.html.css.style_rules import (
    DocumentSelectors,
    Rule,
    StyleRules,
    UnparsedRule,
    Weight,
    select_candidates,
)
from assay.html.css.stylesheet import StyleSheet, parse_sheets
from assay.html.css.visibility_properties import declares_one, find_hiding_words
from assay.html.parser.html_element import HtmlElement, HtmlRoot
from assay.text.word_lists import parse_words

MAX_MATCHES = 200_000  # selector tests per document, longer selectors count more; only a hostile page needs more
MAX_CASCADES = 5_000  # kept at once
# Attributes that can affect visibility.
STYLING_ATTRIBUTES = parse_words("style hidden popover bgcolor color") | MATH_PROPERTIES.keys()
CLOSING_PROPERTIES = frozenset(  # those that hide a section until a click opens it
    ("display", "visibility", "content-visibility", "opacity", "height", "max-height", "block-size", "max-block-size")
)
CHECKED = re.compile(r":not\(\s*:checked\s*\)|:checked")

NOT_KNOWN: Background = (None, False)

type CascadedValue = tuple[str, bool, Weight | None]  # value, whether it is important, its rule (not for attributes)


class Cascade(NamedTuple):
    """The declared values of all elements that the same rules and the same style attribute apply to."""

    declared: dict[str, CascadedValue]
    values: dict[str, str]  # with custom properties replaced
    hiding_property: str | None  # the property that hides the elements entirely


NOTHING_DECLARED = Cascade({}, {}, None)


class VisibilityResolver:
    """The styles of one document."""

    def __init__(self, root: HtmlRoot) -> None:
        self.root = root
        self.ignored: frozenset[object] = frozenset()  # rules and elements whose hiding is temporary
        self.external = any(is_external(link) for link in root.iter("link"))
        self.shadow_roots = find_shadow_roots(root)
        trees = ShadowTrees(self.shadow_roots)
        self.sheet: StyleSheet | None = parse_sheets(collect_sheets(root, trees), trees)
        self.candidates: list[UnparsedRule] = []
        self.selectors = DocumentSelectors()
        self.hiding_bodies: set[str] = set()
        self.hiding: StyleRules | None = None
        self.checked_rules: StyleRules | None = None  # rules for `:checked`, as if all boxes were checked
        self.rules: StyleRules | None = None  # all relevant rules, built when a hiding rule first matches
        self.budget = MatchBudget(MAX_MATCHES, trees)
        self.cascades: dict[tuple[tuple[Rule, ...], str], Cascade] = {}  # by rules and style attribute
        self.custom = CustomProperties([]) if self.sheet is None else self.sheet.custom
        self.animations = Animations(()) if self.sheet is None else self.sheet.animations
        self.set_again: set[str] | None = None  # custom properties of style attributes, when they have been needed
        self.backgrounds: dict[HtmlElement, Background] = {}  # inside elements around coloured text
        self.places = find_places(root)  # of contents that a script moves there
        # Elements that a browser does not show where they stand.
        self.displaced = find_unslotted(self.shadow_roots) | self.places.keys()
        self.hidden_by: object = None
        if self.sheet is not None:
            self._select_candidates(self.sheet)

    def ignoring(self, causes: frozenset[object]) -> "VisibilityResolver":
        """Return a resolver of the same document for another walk, which disregards hiding by these causes."""
        other = copy(self)
        other.ignored = causes
        other.backgrounds, other.cascades = {}, {}
        other.hidden_by = None
        if self.budget.remaining > 0:  # else what it knows about the document is incomplete
            self.budget.remaining = MAX_MATCHES
        return other

    def _select_candidates(self, sheet: StyleSheet) -> None:
        self.candidates = select_candidates(sheet.rules, collect_names(self.root))
        self.hiding_bodies = set(filter(sheet.may_hide, {body for _, body, _ in self.candidates}))
        if self.hiding_bodies:
            hiding_rules = [rule for rule in self.candidates if rule[1] in self.hiding_bodies]
            self.hiding = StyleRules(hiding_rules, bool, self.selectors)

    def _build_relevant_rules(self) -> StyleRules:
        if self.rules is None:
            properties = {"background", "overflow", "position"}
            if self.animations.sheets:
                properties.add("animation")
            for body in self.hiding_bodies:
                properties.update(find_hiding_words(body))
            self.rules = StyleRules(
                self.candidates, lambda body: "\\" in body or declares_one(body, properties), self.selectors
            )
        return self.rules

    def resolve(self, element: HtmlElement, state: State, name: str | None) -> State | None:
        """Return the state for the children of the element with class `name`; None if the element is entirely hidden.

        `hidden_by` then holds the cause: a rule's weight, or the element itself.
        """
        if self.displaced and element in self.displaced:
            self.hidden_by = element
            return None
        matches = not state.shows or (self.hiding is not None and self.hiding.has_match(element, self.budget))
        return self.resolve_matched(element, state, name, matches)

    def resolve_matched(self, element: HtmlElement, state: State, name: str | None, is_suspected: bool) -> State | None:
        """Do the rest of `resolve`; `is_suspected` if text around is hidden or a rule that may hide matches."""
        attributes = element.attributes
        if is_suspected or not STYLING_ATTRIBUTES.isdisjoint(attributes):
            return self._resolve_styled(element, state, is_suspected)
        if self.external and state.background_known and (name or attributes.get("id")):
            return with_unknown_background(state)
        return state

    def _resolve_styled(self, element: HtmlElement, state: State, is_suspected: bool) -> State | None:
        """Resolve an element that has styling of its own or that a rule may hide."""
        attributes = element.attributes
        style, hidden = attributes.get("style"), attributes.get("hidden")
        if hidden is None:
            hidden = attributes.get("popover")  # a popover opens on a click
        if style is None and hidden is None and not is_suspected and not has_colour(element):
            return self._with_unknown_background(element, state)
        if self.ignored and element in self.ignored:
            return state
        if is_suspected and self.budget.remaining <= 0:  # undecidable: dropping text is safer than showing hidden text
            self.hidden_by = None
            return None
        return self._resolve_styles(element, state, style or "", hidden, is_suspected)

    def resolve_opened(self, element: HtmlElement, state: State) -> State | None:
        """Return the state for the children of a closed section as if it was open; None if it would stay hidden."""
        if self.budget.remaining <= 0:
            return None
        declared = self._cascade_declarations(element, element.get("style") or "").declared
        found = {name: value for name, (value, _, _) in declared.items() if name not in CLOSING_PROPERTIES}
        values = add_presentational_attributes(element, self._resolve_variables(found))
        if find_hiding_property(values) is not None:
            return None
        below = self._inherit_state(element, values, state)
        return below if below.shows else None

    def depends_on_check(self, element: HtmlElement) -> bool:
        """Return whether a rule shows or hides the element depending on a checkbox or radio button."""
        if self.checked_rules is None:
            relaxed = [
                (CHECKED.sub(":is(input)", text), body, order)
                for text, body, order in self.candidates
                if ":checked" in text
            ]
            self.checked_rules = StyleRules(relaxed, bool)
        found = self.checked_rules.match(element, self.budget)
        return any(not CLOSING_PROPERTIES.isdisjoint(rule.declarations) for rule in found)

    def _with_unknown_background(self, element: HtmlElement, state: State) -> State:
        """Return the state with an unknown background if an external sheet may style the element."""
        if self.external and state.background_known and (element.get("class") or element.get("id")):
            return with_unknown_background(state)
        return state

    def _resolve_styles(
        self, element: HtmlElement, state: State, style: str, hidden: str | None, is_suspected: bool
    ) -> State | None:
        cascade = self._cascade_declarations(element, style) if is_suspected else self._find_cascade((), style)
        declared = cascade.declared
        values = add_presentational_attributes(element, cascade.values)
        if hidden is not None and (hidden.lower() == "until-found" or "display" not in values):
            self.hidden_by = element
            return None
        cause = cascade.hiding_property
        if cause is not None:
            self.hidden_by = declared[cause][2] or element
            return None
        below = self._inherit_state(element, values, state)
        if not below.shows:
            hiding_name = find_hiding_inherited_property(below, values)
            self.hidden_by = (declared[hiding_name][2] if hiding_name in declared else None) or element
        return below

    def _inherit_state(self, element: HtmlElement, values: dict[str, str], state: State) -> State:
        if self.candidates and not values.keys().isdisjoint(TEXT_COLOUR_PROPERTIES):
            background = self._find_background(element.parent)
            if background != NOT_KNOWN or state.background is None:
                state = with_background(state, background)
        return inherit_state(values, self._with_unknown_background(element, state))

    def _find_background(self, element: HtmlElement | None) -> Background:
        """Return the background inside an element, without a colour where an external sheet may change it.

        Rules that hide nothing are looked up only when this needs them.
        """
        path = []
        while element is not None and element not in self.backgrounds:
            path.append(element)
            element = element.parent
        background = (None, True) if element is None else self.backgrounds[element]
        for inner in reversed(path):
            cascade = self._cascade_declarations(inner, inner.get("style") or "", is_for_paint=True)
            values = add_presentational_attributes(inner, cascade.values)
            state = self._with_unknown_background(inner, with_background(INITIAL_STATE, background))
            below = inherit_background(values, state)
            background = self.backgrounds[inner] = below if below[1] else NOT_KNOWN
        return background

    def _resolve_variables(self, values: dict[str, str]) -> dict[str, str]:
        return resolve_variables(values, self.custom.find_last, self._find_constant)

    def _find_constant(self, name: str) -> str | None:
        """Return the value of a custom property that no external sheet and no style attribute may set as well."""
        if self.external:
            return None
        if self.set_again is None:
            styles = [style for style in self.root.collect_values("style") if "--" in style]
            self.set_again = {name for style in styles for name in declarations.parse_declarations(style)}
        return None if name in self.set_again else self.custom.find_constant(name)

    def _cascade_declarations(self, element: HtmlElement, style: str, is_for_paint: bool = False) -> Cascade:
        return self._find_cascade(tuple(self._find_matching_rules(element, is_for_paint)), style)

    def _find_cascade(self, rules: tuple[Rule, ...], style: str) -> Cascade:
        """Return the values that the rules, in ascending order, and a style attribute declare."""
        found = self.cascades.get((rules, style)) if rules or style else NOTHING_DECLARED
        if found is None:
            declared: dict[str, CascadedValue] = {}
            for rule in rules:
                if rule.weight not in self.ignored:
                    _apply_declarations(rule.declarations, rule.weight, declared)
            _apply_declarations(declarations.parse_declarations(style), None, declared)
            values = self._resolve_variables({name: value for name, (value, _, _) in declared.items()})
            if self.animations.sheets:
                values = _hold_animations(self.animations.find_held(values), declared, values)
            found = Cascade(declared, values, find_hiding_property(values))
            if len(self.cascades) >= MAX_CASCADES:
                self.cascades.clear()
            self.cascades[rules, style] = found
        return found

    def _find_matching_rules(self, element: HtmlElement, is_for_paint: bool) -> list[Rule]:
        """Return the rules for an element, all or those for its background, in ascending order of specificity."""
        if not self.candidates:
            return []
        found = self._build_relevant_rules().match(element, self.budget, only_paint=is_for_paint)
        return sorted(found, key=attrgetter("weight"))


def _apply_declarations(declared: Declarations, source: Weight | None, values: dict[str, CascadedValue]) -> None:
    """Add the declarations of the next rule in ascending order; among important ones the first layer wins."""
    for name, (value, important) in declared.items():
        before = values.get(name)
        if before is None or not before[1] or (important and not _is_of_earlier_layer(before[2], source)):
            values[name] = (value, important, source)


def _hold_animations(
    held: dict[str, str], declared: dict[str, CascadedValue], values: dict[str, str]
) -> dict[str, str]:
    """Return the values with those that animations hold, which only important declarations withstand."""
    held = {name: value for name, value in held.items() if not (name in declared and declared[name][1])}
    source = next((declared[name][2] for name in declared if "animation" in name), None) if held else None
    declared |= {name: (value, False, source) for name, value in held.items()}
    return values | held


def _is_of_earlier_layer(source: Weight | None, other: Weight | None) -> bool:
    """Return whether both are weights of rules, and the first rule is in an earlier layer."""
    return source is not None and other is not None and source[0] < other[0]
