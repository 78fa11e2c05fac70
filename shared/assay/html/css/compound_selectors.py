"""Matching of elements against the compound selectors of a complex selector. https://www.w3.org/TR/selectors-4/"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from assay.html.css.ancestor_filter import AncestorBloom, filter_bits
from assay.html.parser.html_element import HtmlElement

MAX_CANDIDATES = 60  # ancestors or siblings tried per combinator


class MatchBudget:
    """The number of selector tests left for a document, with its caches; at 0 nothing matches."""

    __slots__ = ("ancestors", "class_sets", "elements_by_name", "has_matches", "positions", "remaining")

    def __init__(self, remaining: int) -> None:
        self.remaining = remaining
        self.ancestors = AncestorBloom()
        self.class_sets: dict[str | None, frozenset[str]] = {None: frozenset()}
        # All elements by tag, `.class` and `#id`, filled when first needed.
        self.elements_by_name: dict[str, list[HtmlElement]] = {}
        self.has_matches: dict[Test, set[HtmlElement]] = {}  # by the test of a `:has()`: the elements that match it
        self.positions: dict[tuple[HtmlElement | None, bool, object], dict[HtmlElement, int]] = {}

    def class_names(self, name: str | None) -> frozenset[str]:
        """Return the classes in a class attribute."""
        found = self.class_sets.get(name)
        if found is None:
            found = self.class_sets[name] = frozenset((name or "").split())
        return found

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


@dataclass(slots=True)
class Compound:
    """A compound selector, with the combinator before it."""

    combinator: str = " "  # between this step and the one before
    tag: str = ""
    hash: str = ""
    classes: set[str] = field(default_factory=set)
    attributes: list[tuple[str, str, str]] = field(default_factory=list)  # name, operator, value
    tests: list[Test] = field(default_factory=list)
    alternatives: list[list["Compound"]] = field(default_factory=list)  # the alternatives of the first `:is()`
    weight: tuple[int, int, int] = (0, 0, 0)  # specificity of the pseudo-classes

    def matches(self, element: HtmlElement, budget: MatchBudget) -> bool:
        budget.remaining -= 1
        if self.tag and element.tag != self.tag:
            return False
        attributes = element.attributes
        if self.classes and not self.classes <= budget.class_names(attributes.get("class")):
            return False
        if self.hash and attributes.get("id") != self.hash:
            return False
        return self.matches_details(element, budget) if self.attributes or self.tests else budget.remaining > 0

    def may_match(self, tag: str, classes: frozenset[str], identity: str | None) -> bool:
        """Return whether an element of this tag, these classes and this id can match."""
        return (
            (not self.tag or tag == self.tag) and self.classes <= classes and (not self.hash or identity == self.hash)
        )

    def names(self) -> Iterator[str]:
        """Yield the tag, `.classes` and `#id` that a matching element must have."""
        if self.tag:
            yield self.tag
        if self.hash:
            yield f"#{self.hash}"
        for name in self.classes:
            yield f".{name}"
        if len(self.alternatives) == 1:
            yield from self.alternatives[0][-1].names()

    def matches_details(self, element: HtmlElement, budget: MatchBudget) -> bool:
        """Return whether the attribute selectors and pseudo-classes match."""
        for attribute in self.attributes:
            if not _has_attribute(element, *attribute):
                return False
        if budget.remaining <= 0:
            return False
        for test in self.tests:  # noqa: SIM110 -- a generator costs more than the tests
            if not test(element, budget):
                return False
        return True


def matches(steps: list[Compound], element: HtmlElement, budget: MatchBudget) -> bool:
    return steps[-1].matches(element, budget) and (len(steps) == 1 or matches_preceding(steps, element, budget))


def matches_preceding(steps: list[Compound], element: HtmlElement, budget: MatchBudget, position: int = -1) -> bool:
    """Return whether the elements around `element`, which matches the step at `position`, match the steps before it."""
    return next(find_leading(steps, element, budget, position), None) is not None


def find_leading(steps: list[Compound], element: HtmlElement, budget: MatchBudget, position: int = -1) -> Iterator[Any]:
    """Yield the elements that match the first step, given that `element` matches the step at `position`.

    Each of several candidates for a step is tried in turn.
    """
    if len(steps) == -position:
        yield element
        return
    combinator, step = steps[position].combinator, steps[position - 1]
    current: Any = element
    for _ in range(1 if combinator in ">+" else MAX_CANDIDATES):
        current = current.previous if combinator in "+~" else current.parent
        if current is None or budget.remaining <= 0:
            return
        if step.matches(current, budget):
            yield from find_leading(steps, current, budget, position - 1)


def specificity(steps: list[Compound]) -> tuple[int, int, int]:
    """Return (ids, classes and attributes, tags). https://www.w3.org/TR/selectors-4/#specificity-rules"""
    hashes = classes = tags = 0
    for step in steps:
        one, two, three = step.weight
        hashes += one + bool(step.hash)
        classes += two + len(step.classes) + len(step.attributes)
        tags += three + bool(step.tag)
    return hashes, classes, tags


def ancestor_bits(steps: list[Compound]) -> int:
    """Return the filter bits that the ancestors of a matching element must have; 0 with sibling combinators."""
    if any(step.combinator in "+~" for step in steps[1:]):
        return 0
    return filter_bits(name for step in steps[:-1] for name in step.names())


def _has_attribute(element: HtmlElement, name: str, operator: str, value: str) -> bool:
    actual = element.attributes.get(name)
    if actual is None:
        return False
    if operator[-1:] == "i":  # case-insensitive
        return _attribute_matches(actual.lower(), operator[:-1], value)
    return _attribute_matches(actual, operator, value)


def _attribute_matches(actual: str, operator: str, value: str) -> bool:
    match operator:
        case "":
            return True
        case "=":
            return actual == value
        case "^=":
            return bool(value) and actual.startswith(value)
        case "$=":
            return bool(value) and actual.endswith(value)
        case "*=":
            return bool(value) and value in actual
        case "~=":
            return value in actual.split()
    return actual == value or actual.startswith(value + "-")
