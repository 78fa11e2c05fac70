"""Which rules match an element, with the fields of rules and of the steps of their selectors.

`_rule_matching.c` has the same, with the same answers; this serves machines where that is not built.
"""

from collections.abc import Iterable, Iterator
from typing import Any
from zlib import crc32

from assay.html.parser.html_element import HtmlElement
from assay.text.short_text_cache import cache_short

MAX_CANDIDATES = 60  # ancestors or siblings tried per combinator
FILTER_BITS = 1024


class StepFields:
    """What an element must have to match a compound selector, and the combinator before that."""

    __slots__ = ("attributes", "classes", "combinator", "hash", "tag", "tests")

    combinator: str  # between this step and the one before
    tag: str
    hash: str
    classes: set[str]
    attributes: list[tuple[str, str, str]]  # name, operator, value
    tests: list[Any]


class RuleFields:
    """The steps of a rule's selector, and what is known about the elements that match them."""

    __slots__ = ("ancestor_bits", "has_paint", "matches_by_parent", "steps")

    steps: list[Any]
    # By parent: whether the preceding steps match. Shared between rules.
    matches_by_parent: dict[HtmlElement | None, bool]
    has_paint: bool  # whether it declares a colour, a background or a custom property

    def __init__(self) -> None:
        self.ancestor_bits: int | None = None  # filter bits that the ancestors must have, when they have been needed


class RuleIndexFields:
    """Rules by the name that their last step requires; `parse_rules` parses those of a name that is needed."""

    __slots__ = ("attributes", "parsed", "rules_by_element", "unparsed")

    unparsed: dict[str, list[Any]]
    parsed: dict[str, list[Any]]
    attributes: set[str]  # the attributes by which rules are indexed
    rules_by_element: dict[tuple[str, str | None, str | None], list[Any]]  # by tag, class and id

    def has_match(self, element: HtmlElement, budget: Any, /) -> bool:
        """Return whether a rule matches an element."""
        return bool(match_rules(self, element, budget, False, True))


class BudgetFields:
    """The number of selector tests left for a document, and what is known of its elements."""

    __slots__ = ("bits_by_element", "class_sets", "remaining")

    remaining: int
    class_sets: dict[str | None, frozenset[str]]  # by class attribute

    def __init__(self) -> None:
        self.bits_by_element: dict[HtmlElement, int] = {}  # filter bits of the element and its ancestors


def match_rules(index: Any, element: HtmlElement, budget: Any, only_paint: bool, only_first: bool, /) -> list[Any]:
    """Return the rules of the index that match an element: all, those with `has_paint`, or the first that is found.

    A rule with alternatives may occur more than once.
    """
    rules = _find_rules(index, element, budget)
    if only_paint:
        rules = [rule for rule in rules if rule.has_paint]
    found: list[Any] = []
    for rule in rules:
        budget.remaining -= 1
        if budget.remaining <= 0:
            break
        if _passes_filter(rule, element, budget) and _match_rule(rule, element, budget):
            found.append(rule)
            if only_first:
                break
    return found


def _find_rules(index: Any, element: HtmlElement, budget: Any) -> list[Any]:
    """Return the rules whose last step can match the element's tag, class and id, or tests one of its attributes."""
    attributes = element.attributes
    key = element.tag, attributes.get("class"), attributes.get("id")
    found: list[Any] | None = index.rules_by_element.get(key)
    if found is None:
        names = [key[0], "*", *[f".{word}" for word in class_names(budget, element)]]
        if key[2] is not None:
            names.append(f"#{key[2]}")
        found = index.rules_by_element[key] = _find_by_names(index, names, element, budget)
    if index.attributes and not index.attributes.isdisjoint(attributes):
        names = [f"[{name}]" for name in attributes if name in index.attributes]
        return found + _find_by_names(index, names, element, budget)
    return found


def _find_by_names(index: Any, names: Iterable[str], element: HtmlElement, budget: Any) -> list[Any]:
    found: list[Any] = []
    for name in names:
        if name in index.unparsed:
            index.parse_rules(name)
        rules = index.parsed.get(name)
        if rules is not None:
            budget.remaining -= len(rules)
            if budget.remaining <= 0:
                break
            found += [rule for rule in rules if _may_match(rule.steps[-1], element, budget)]
    return found


def _may_match(step: Any, element: HtmlElement, budget: Any) -> bool:
    """Return whether an element has the tag, classes and id of the step."""
    return (
        (not step.tag or element.tag == step.tag)
        and step.classes <= class_names(budget, element)
        and (not step.hash or element.attributes.get("id") == step.hash)
    )


def class_names(budget: Any, element: HtmlElement) -> frozenset[str]:
    """Return the classes of an element."""
    name = element.attributes.get("class")
    found: frozenset[str] | None = budget.class_sets.get(name)
    if found is None:
        found = budget.class_sets[name] = frozenset((name or "").split())
    return found


def _passes_filter(rule: Any, element: HtmlElement, budget: Any) -> bool:
    """Return whether the elements around may have all names that the rule requires there."""
    if rule.ancestor_bits is None:
        rule.ancestor_bits = _find_ancestor_bits(rule.steps)
    bits: int = rule.ancestor_bits
    return not bits or bits & _collect_bits(element.parent, budget) == bits


def _find_ancestor_bits(steps: list[Any]) -> int:
    """Return the bits of all steps before the last; none where one of them is beside the next."""
    if any(step.combinator in "+~" for step in steps[1:]):
        return 0
    found = 0
    for step in steps[:-1]:
        found |= _find_bits(step.tag, step.classes, step.hash)
    return found


def _collect_bits(element: HtmlElement | None, budget: Any) -> int:
    """Return the bits of an element and its ancestors."""
    path: list[HtmlElement] = []
    while element is not None and element not in budget.bits_by_element:
        path.append(element)
        element = element.parent
    found: int = 0 if element is None else budget.bits_by_element[element]
    for ancestor in reversed(path):
        found |= _find_bits(ancestor.tag, class_names(budget, ancestor), ancestor.attributes.get("id"))
        budget.bits_by_element[ancestor] = found
    return found


def _find_bits(tag: str, classes: Iterable[str], identity: str | None) -> int:
    """Return the bits of names in a Bloom filter; several names may share one.

    Tags, classes and ids have different bits of their checksums.
    """
    found = 1 << find_checksum(tag) % FILTER_BITS if tag else 0
    for name in classes:
        found |= 1 << (find_checksum(name) >> 8) % FILTER_BITS
    return found | 1 << (find_checksum(identity) >> 16) % FILTER_BITS if identity else found


@cache_short(4096)
def find_checksum(name: str) -> int:
    try:
        return crc32(name.encode())
    except UnicodeEncodeError:  # half of a surrogate pair
        return 0


def _match_rule(rule: Any, element: HtmlElement, budget: Any) -> bool:
    """Return whether the rule matches an element that has the names of its last step, among the names around it."""
    steps = rule.steps
    last = steps[-1]
    parent = element.parent
    found: bool | None = rule.matches_by_parent.get(parent)
    if found is False or ((last.attributes or last.tests) and not _match_details(last, element, budget)):
        return False
    if found or len(steps) == 1:
        return True
    if last.combinator in "+~":
        return _match_preceding(steps, element, budget)
    far = len(steps) > 2 or last.combinator == ">"
    found = rule.matches_by_parent[parent] = (
        _match_preceding(steps, element, budget) if far else _has_matching_ancestor(rule, parent, budget)
    )
    return found


def _has_matching_ancestor(rule: Any, parent: HtmlElement | None, budget: Any) -> bool:
    """Return whether the parent or an ancestor matches the only preceding step; cached along the path."""
    passed: list[HtmlElement] = []
    current, found = parent, False
    while current is not None and not found and len(passed) < MAX_CANDIDATES:
        if current in rule.matches_by_parent:
            found = rule.matches_by_parent[current]
            break
        passed.append(current)
        found = match_step(rule.steps[0], current, budget)
        current = current.parent
    rule.matches_by_parent.update(dict.fromkeys(passed, found))
    return found


def match_step(step: Any, element: HtmlElement, budget: Any) -> bool:
    """Return whether an element matches a compound selector."""
    budget.remaining -= 1
    if not _may_match(step, element, budget):
        return False
    if step.attributes or step.tests:
        return _match_details(step, element, budget)
    return bool(budget.remaining > 0)


def _match_details(step: Any, element: HtmlElement, budget: Any) -> bool:
    """Return whether the attribute selectors and pseudo-classes match."""
    for attribute in step.attributes:
        if not _match_attribute(element, *attribute):
            return False
    if budget.remaining <= 0:
        return False
    for test in step.tests:  # noqa: SIM110 -- a generator costs more than the tests
        if not test(element, budget):
            return False
    return True


def _match_attribute(element: HtmlElement, name: str, operator: str, value: str) -> bool:
    actual = element.attributes.get(name)
    if actual is None:
        return False
    if operator[-1:] == "i":  # case-insensitive
        return _compare_values(actual.lower(), operator[:-1], value)
    return _compare_values(actual, operator, value)


def _compare_values(actual: str, operator: str, value: str) -> bool:
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


def match_steps(steps: list[Any], element: HtmlElement, budget: Any, /) -> bool:
    """Return whether an element matches a complex selector."""
    return match_step(steps[-1], element, budget) and _match_preceding(steps, element, budget)


def _match_preceding(steps: list[Any], element: HtmlElement, budget: Any) -> bool:
    """Return whether the elements around `element`, which matches the last step, match the steps before it."""
    return next(find_leading(steps, element, budget), None) is not None


def find_leading(steps: list[Any], element: HtmlElement, budget: Any, position: int = -1) -> Iterator[HtmlElement]:
    """Yield the elements that match the first step, given that `element` matches the step at `position`.

    Each of several candidates for a step is tried in turn.
    """
    if len(steps) == -position:
        yield element
        return
    combinator, step = steps[position].combinator, steps[position - 1]
    for _ in range(1 if combinator in ">+" else MAX_CANDIDATES):
        around = element.previous if combinator in "+~" else element.parent
        if around is None or budget.remaining <= 0:
            return
        element = around
        if match_step(step, element, budget):
            yield from find_leading(steps, element, budget, position - 1)
