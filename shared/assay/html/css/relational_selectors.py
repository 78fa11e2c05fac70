"""`:has()` (Selectors Level 4, section 4.5): the elements with a matching relative, found in one pass per document."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import cast

from assay.html.css.compound_selectors import Compound, MatchBudget, Test
from assay.html.css.rule_matching import class_names, find_leading, match_step
from assay.html.parser.html_element import HtmlElement, HtmlRoot

type Relatives = Callable[[HtmlElement], Iterator[HtmlElement]]


def _parent(element: HtmlElement) -> Iterator[HtmlElement]:
    parent = element.getparent()
    if parent is not None:
        yield parent


def _before(element: HtmlElement) -> Iterator[HtmlElement]:
    previous = element.getprevious()
    if previous is not None:
        yield previous


# From a matching relative to the elements that have it; `True`: the walk stops where another has passed.
RELATIVES: dict[str, tuple[Relatives, bool]] = {
    " ": (HtmlElement.iterancestors, True),
    ">": (_parent, False),
    "~": (lambda element: element.itersiblings(preceding=True), True),
    "+": (_before, False),
}


def make_has_test(relative_selectors: list[tuple[str, list[Compound]]]) -> Test:
    """Return the test of `:has()`, given its relative selectors, each with its leading combinator."""

    def has_one(element: HtmlElement, budget: MatchBudget) -> bool:
        found = budget.has_matches.get(has_one)
        if found is None:
            found = budget.has_matches[has_one] = _find_holders(_find_root(element), relative_selectors, budget)
        return element in found

    return has_one


def _find_root(element: HtmlElement) -> HtmlRoot:
    while element.parent is not None:
        element = element.parent
    return cast("HtmlRoot", element)


def _find_holders(
    root: HtmlRoot, relative_selectors: list[tuple[str, list[Compound]]], budget: MatchBudget
) -> set[HtmlElement]:
    found: set[HtmlElement] = set()
    for combinator, steps in relative_selectors:
        around, is_transitive = RELATIVES[combinator]
        passed: set[HtmlElement] = set()
        for element in _find_candidates(root, steps[-1], budget):
            if not match_step(steps[-1], element, budget):
                continue
            for leading in find_leading(steps, element, budget):
                for holder in around(leading):
                    if is_transitive and holder in passed:
                        break
                    passed.add(holder)
        found |= passed
    return found


def _find_candidates(root: HtmlRoot, step: Compound, budget: MatchBudget) -> list[HtmlElement]:
    """Return the elements that have the id, a class or the tag that the step requires."""
    if not budget.elements_by_name:
        budget.elements_by_name = _index(root, budget)
    name = next(iter(sorted(f".{word}" for word in step.classes)), f"#{step.hash}" if step.hash else step.tag or "*")
    return budget.elements_by_name.get(name, [])


def _index(root: HtmlRoot, budget: MatchBudget) -> dict[str, list[HtmlElement]]:
    """Index the elements by tag, `.class` and `#id`; all of them under `*`."""
    index = defaultdict(list, root.by_tag)
    index["*"] = root.elements
    for element in root.list_with("class"):
        for word in class_names(budget, element):
            index[f".{word}"].append(element)
    for element in root.list_with("id"):
        index[f"#{element.attributes['id']}"].append(element)
    return index
