"""Matching of elements against the compound selectors of a complex selector. https://www.w3.org/TR/selectors-4/"""

from collections import Counter
from collections.abc import Callable

from assay.html.css.compiled_rule_matching import BudgetFields, StepFields
from assay.html.css.shadow_trees import ShadowTrees
from assay.html.parser.html_element import HtmlElement


class MatchBudget(BudgetFields):
    """The number of selector tests left for a document, with its caches; at 0 nothing matches."""

    __slots__ = ("elements_by_name", "has_matches", "positions", "trees")

    def __init__(self, remaining: int, trees: ShadowTrees | None = None) -> None:
        super().__init__()
        self.trees = trees or ShadowTrees()
        self.remaining = remaining
        self.class_sets = {}
        # All elements by tag, `.class` and `#id`, filled when first needed.
        self.elements_by_name: dict[str, list[HtmlElement]] = {}
        self.has_matches: dict[Test, set[HtmlElement]] = {}  # by the test of a `:has()`: the elements that match it
        self.positions: dict[tuple[HtmlElement | None, bool, object], dict[HtmlElement, int]] = {}

    def position(self, element: HtmlElement, is_last: bool, is_typed: bool, filtered: "Test | None" = None) -> int:
        """Return the element's 1-based position among its siblings, its siblings of the same tag, or those that match
        `filtered`; 0 if it does not match `filtered` itself. `is_last` counts from the end.

        All siblings are numbered at once, because numbering them one by one takes quadratic time.
        """
        parent = element.getparent()
        found = self.positions.get((parent, is_last, filtered or is_typed))
        if found is None:
            found = self.positions[parent, is_last, filtered or is_typed] = {}
            counts: Counter[str] = Counter()
            for sibling in [element] if parent is None else parent.iterchildren(reversed=is_last):
                if filtered is not None and not filtered(sibling, self):
                    continue
                tag = str(sibling.tag) if is_typed else ""
                counts[tag] += 1
                found[sibling] = counts[tag]
            self.remaining -= len(found) // 8
        return found.get(element, 0)


type Test = Callable[[HtmlElement, MatchBudget], bool]


class Compound(StepFields):
    """A compound selector, with the combinator before it."""

    __slots__ = ("alternatives", "weight")

    def __init__(self, combinator: str = " ") -> None:
        self.combinator = combinator
        self.tag = self.hash = ""
        self.classes = set()
        self.attributes = []
        self.tests = []
        self.alternatives: list[list[Compound]] = []  # the alternatives of the first `:is()`
        self.weight = (0, 0, 0)  # specificity of the pseudo-classes


def specificity(steps: list[Compound]) -> tuple[int, int, int]:
    """Return (ids, classes and attributes, tags). https://www.w3.org/TR/selectors-4/#specificity-rules"""
    hashes = classes = tags = 0
    for step in steps:
        one, two, three = step.weight
        hashes += one + bool(step.hash)
        classes += two + len(step.classes) + len(step.attributes)
        tags += three + bool(step.tag)
    return hashes, classes, tags
