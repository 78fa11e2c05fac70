"""The style rules of a document, indexed by the tag, class, id or attribute of their last step and parsed on demand."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from assay.html.css.cascade_layers import Layer
from assay.html.css.compiled_rule_scan import find_concerned
from assay.html.css.compound_selectors import (
    MAX_CANDIDATES,
    Compound,
    MatchBudget,
    ancestor_bits,
    matches_preceding,
    specificity,
)
from assay.html.css.css_syntax import split_list
from assay.html.css.declarations import Declarations, parse_declarations
from assay.html.css.pseudo_classes import is_root_selector, never_matches
from assay.html.css.selector_text import cut_last_step, find_key, may_concern
from assay.html.css.selectors import parse_selector
from assay.html.parser.html_element import HtmlElement

MAX_RULES = 20_000  # rules kept per document
MAX_SELECTORS = 100_000  # selectors examined per document
# What decides about the background of an element, together with custom properties.
PAINT_PROPERTIES = frozenset(("background", "background-color", "background-image", "color"))

type Order = tuple[Layer, int]  # layer, and position among all rules
type UnparsedRule = tuple[str, str, Order]  # selector, body, and place in the cascade
type Weight = tuple[Layer, int, int, int, int]  # layer, specificity, position
type ElementKey = tuple[str, str | None, str | None]  # tag, class and id


@dataclass(slots=True, eq=False)
class Rule:
    """A parsed style rule."""

    steps: list[Compound]
    declarations: Declarations
    weight: Weight
    matches_by_parent: dict[
        HtmlElement | None, bool
    ]  # by parent: whether the preceding steps match; shared between rules
    ancestor_bits: int  # filter bits that the ancestors must have
    has_paint: bool  # whether it declares a colour, a background or a custom property

    def matches(self, element: HtmlElement, budget: MatchBudget) -> bool:
        """Return whether the rule matches an element that has the names of its last step, among the names around it."""
        steps = self.steps
        last = steps[-1]
        parent = element.parent
        found = self.matches_by_parent.get(parent)
        if found is False or ((last.attributes or last.tests) and not last.matches_details(element, budget)):
            return False
        if found or len(steps) == 1:
            return True
        if last.combinator in "+~":
            return matches_preceding(steps, element, budget)
        far = len(steps) > 2 or last.combinator == ">"
        found = self.matches_by_parent[parent] = (
            matches_preceding(steps, element, budget) if far else self._has_matching_ancestor(parent, budget)
        )
        return found

    def _has_matching_ancestor(self, parent: HtmlElement | None, budget: MatchBudget) -> bool:
        """Return whether the parent or an ancestor matches the only preceding step; cached along the path."""
        passed: list[HtmlElement] = []
        current, found = parent, False
        while current is not None and not found and len(passed) < MAX_CANDIDATES:
            if current in self.matches_by_parent:
                found = self.matches_by_parent[current]
                break
            passed.append(current)
            found = self.steps[0].matches(current, budget)
            current = current.getparent()
        self.matches_by_parent.update(dict.fromkeys(passed, found))
        return found


def iter_matching(rules: Iterable[Rule], element: HtmlElement, budget: MatchBudget) -> Iterator[Rule]:
    """Yield those of the rules from `StyleRules.find_rules` that match the element."""
    around = budget.ancestors.collect_bits(element.parent)
    for rule in rules:
        budget.remaining -= 1
        if budget.remaining <= 0:
            return
        if around & rule.ancestor_bits == rule.ancestor_bits and rule.matches(element, budget):
            yield rule


class ParsedSelector(NamedTuple):
    """A selector that may match in a static document."""

    steps: list[Compound]
    specificity: tuple[int, int, int]
    matches_by_parent: dict[HtmlElement | None, bool]  # shared between selectors with the same preceding steps
    ancestor_bits: int


class DocumentSelectors:
    """The selectors of a document's rules, each examined once whatever the rules it is needed for."""

    def __init__(self) -> None:
        self.keys: dict[str, str | None] = {}
        self.parsed: dict[str, ParsedSelector | None] = {}
        self.matches_by_parent: dict[str, dict[HtmlElement | None, bool]] = {}  # by the text before the last step

    def find_key(self, text: str) -> str | None:
        if text not in self.keys:
            self.keys[text] = find_key(text)
        return self.keys[text]

    def parse(self, text: str) -> ParsedSelector | None:
        """Return the parsed selector; None if it is not valid or never matches."""
        if text not in self.parsed:
            steps = parse_selector(text)
            self.parsed[text] = None if steps is None or never_matches(steps) else self._build_selector(text, steps)
        return self.parsed[text]

    def _build_selector(self, text: str, steps: list[Compound]) -> ParsedSelector:
        before = cut_last_step(text)
        known = {} if before is None else self.matches_by_parent.setdefault(before, {})
        return ParsedSelector(steps, specificity(steps), known, ancestor_bits(steps))


class StyleRules:
    """Rules that may concern a document, from `select_candidates`. `is_relevant` takes a rule's body."""

    def __init__(
        self,
        candidates: Iterable[UnparsedRule],
        is_relevant: Callable[[str], bool],
        selectors: DocumentSelectors | None = None,
    ) -> None:
        self.is_relevant = is_relevant
        self.selectors = selectors or DocumentSelectors()
        self.bodies: dict[str, tuple[Declarations, bool] | None] = {}  # with `Rule.has_paint`
        self.unparsed: defaultdict[str, list[UnparsedRule]] = defaultdict(list)
        self.parsed: defaultdict[str, list[Rule]] = defaultdict(list)
        self.rules_by_element: dict[ElementKey, list[Rule]] = {}
        for text, body, order in candidates:
            name = self.selectors.find_key(text)
            if name is not None:
                self.unparsed[name].append((text, body, order))
            elif (rule := self._parse_rule(text, body, order)) is not None:
                for name in index_keys(rule.steps):
                    self.parsed[name].append(rule)
        self.names = self.unparsed.keys() | self.parsed.keys()
        self.attributes = {name[1:-1] for name in self.names if name[0] == "["}

    def _parse_rule(self, text: str, body: str, order: Order) -> Rule | None:
        if body not in self.bodies:
            declared = parse_declarations(body) if self.is_relevant(body) else None
            self.bodies[body] = (declared, _has_paint(declared)) if declared else None
        found = self.bodies[body]
        selector = self.selectors.parse(text) if found else None
        if not found or selector is None:
            return None
        steps, weight, known, bits = selector
        return Rule(steps, found[0], (order[0], *weight, order[1]), known, bits, found[1])

    def iter_rules(self) -> Iterator[Rule]:
        for name in [*self.unparsed, *self.parsed]:
            yield from self._parse_rules(name)

    def _parse_rules(self, name: str) -> list[Rule]:
        if name in self.unparsed:
            for unparsed in self.unparsed.pop(name):
                if (rule := self._parse_rule(*unparsed)) is not None:
                    self.parsed[name].append(rule)
        return self.parsed.get(name, [])

    def find_rules(self, key: ElementKey, attributes: Collection[str], budget: MatchBudget) -> list[Rule]:
        """Return the rules whose last step can match this tag, class and id, or tests one of these attributes.

        `iter_matching` decides whether they match. A rule with alternatives may occur more than once.
        """
        found = self.rules_by_element.get(key)
        if found is None:
            names = (key[0], "*", *[f".{word}" for word in budget.class_names(key[1])], f"#{key[2]}")
            found = self.rules_by_element[key] = self._find_by_names(names, key, budget)
        if self.attributes and not self.attributes.isdisjoint(attributes):
            names = tuple(f"[{name}]" for name in attributes if name in self.attributes)
            return found + self._find_by_names(names, key, budget)
        return found

    def _find_by_names(self, names: Iterable[str], key: ElementKey, budget: MatchBudget) -> list[Rule]:
        tag, class_attribute, identity = key
        words = budget.class_names(class_attribute)
        found: list[Rule] = []
        for name in names:
            if name in self.names:
                rules = self._parse_rules(name)
                budget.remaining -= len(rules)
                if budget.remaining <= 0:
                    break
                found += [rule for rule in rules if rule.steps[-1].may_match(tag, words, identity)]
        return found


def _has_paint(declared: Declarations) -> bool:
    return any(name in PAINT_PROPERTIES or name[:2] == "--" for name in declared)


def select_candidates(rules: Iterable[tuple[str, str, Layer]], names: set[str]) -> list[UnparsedRule]:
    """Return the rules, from (selector list, body, layer), that may concern a document with these `names`.

    `names` are its classes as `.class` and its ids as `#id`. Of equal rules the last decides.
    """
    found = find_concerned([*rules], names, MAX_SELECTORS, MAX_RULES, split_list, may_concern)
    return [(text, body, (layer, order)) for (text, body, layer), order in found.items()]


def index_keys(steps: list[Compound]) -> list[str]:
    """Return the names to index a rule under: the id, a class, the tag or an attribute of its last step, else `*`.

    A step with alternatives is indexed under each.
    """
    last = steps[-1]
    if last.hash:
        return [f"#{last.hash}"]
    if last.classes:
        return [f".{min(last.classes)}"]
    if last.tag:
        return [last.tag]
    if last.alternatives:
        found = [name for alternative in last.alternatives for name in index_keys(alternative)]
        if "*" not in found:
            return list(dict.fromkeys(found))
    if last.attributes:
        return [f"[{last.attributes[0][0]}]"]
    return ["html" if is_root_selector(last) else "*"]
