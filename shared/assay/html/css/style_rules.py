"""The style rules of a document, indexed by the tag, class, id or attribute of their last step and parsed on demand."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from assay.html.css.cascade_layers import Layer
from assay.html.css.compiled_rule_matching import RuleFields, RuleIndexFields, match_rules
from assay.html.css.compiled_rule_scan import find_concerned
from assay.html.css.compound_selectors import Compound, MatchBudget, specificity
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


class Rule(RuleFields):
    """A parsed style rule."""

    __slots__ = ("declarations", "weight")

    def __init__(self, selector: "ParsedSelector", declared: Declarations, has_paint: bool, order: Order) -> None:
        super().__init__()
        self.steps = selector.steps
        self.matches_by_parent = selector.matches_by_parent
        self.has_paint = has_paint
        self.declarations = declared
        self.weight: Weight = (order[0], *selector.specificity, order[1])


class ParsedSelector(NamedTuple):
    """A selector that may match in a static document."""

    steps: list[Compound]
    specificity: tuple[int, int, int]
    matches_by_parent: dict[HtmlElement | None, bool]  # shared between selectors with the same preceding steps


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
        return ParsedSelector(steps, specificity(steps), known)


class StyleRules(RuleIndexFields):
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
        self.rules_by_element = {}
        for text, body, order in candidates:
            name = self.selectors.find_key(text)
            if name is not None:
                self.unparsed[name].append((text, body, order))
            elif (rule := self._parse_rule(text, body, order)) is not None:
                for name in index_keys(rule.steps):
                    self.parsed[name].append(rule)
        self.attributes = {name[1:-1] for name in (*self.unparsed, *self.parsed) if name[0] == "["}

    def _parse_rule(self, text: str, body: str, order: Order) -> Rule | None:
        if body not in self.bodies:
            declared = parse_declarations(body) if self.is_relevant(body) else None
            self.bodies[body] = (declared, _has_paint(declared)) if declared else None
        found = self.bodies[body]
        selector = self.selectors.parse(text) if found else None
        return None if not found or selector is None else Rule(selector, *found, order)

    def iter_rules(self) -> Iterator[Rule]:
        for name in [*self.unparsed, *self.parsed]:
            if name in self.unparsed:
                self.parse_rules(name)
            yield from self.parsed.get(name, ())

    def parse_rules(self, name: str) -> None:
        """Parse the rules under a name that has not been needed before."""
        for unparsed in self.unparsed.pop(name):
            if (rule := self._parse_rule(*unparsed)) is not None:
                self.parsed[name].append(rule)

    def match(self, element: HtmlElement, budget: MatchBudget, *, only_paint: bool = False) -> list[Rule]:
        """Return the rules that match an element; a rule with alternatives may occur more than once."""
        return match_rules(self, element, budget, only_paint, False)


def _has_paint(declared: Declarations) -> bool:
    return any(name in PAINT_PROPERTIES or name[:2] == "--" for name in declared)


def select_candidates(rules: list[tuple[str, str, Layer]], names: set[str]) -> list[UnparsedRule]:
    """Return the rules, from (selector list, body, layer), that may concern a document with these `names`.

    `names` are its classes as `.class` and its ids as `#id`. Of equal rules the last decides.
    """
    found = find_concerned(rules, names, MAX_SELECTORS, MAX_RULES, split_list, may_concern)
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
