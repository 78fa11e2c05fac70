"""`:has()`: which elements of a document have a relative that fits a selector, told for all of them in one pass."""

from collections import defaultdict
from collections.abc import Callable, Iterator

from lxml.html import HtmlElement

from assay.html.css.compound_selectors import Compound, MatchBudget, Test, matches

type Around = Callable[[HtmlElement], Iterator[HtmlElement]]


def _parent(element: HtmlElement) -> Iterator[HtmlElement]:
    parent = element.getparent()
    if parent is not None:
        yield parent


def _before(element: HtmlElement) -> Iterator[HtmlElement]:
    previous = element.getprevious()
    if previous is not None:
        yield previous


# From the relative that fits to the elements that have it; those that go on stop where another has passed.
AROUND: dict[str, tuple[Around, bool]] = {
    " ": (HtmlElement.iterancestors, True),
    ">": (_parent, False),
    "~": (lambda element: element.itersiblings(preceding=True), True),
    "+": (_before, False),
}


def has(wanted: list[tuple[str, list[Compound]]]) -> Test:
    """The test of `:has()`, given its selectors, each behind the combinator that it begins with."""

    def has_one(element: HtmlElement, purse: MatchBudget) -> bool:
        found = purse.holders.get(has_one)
        if found is None:
            found = purse.holders[has_one] = _holders(element.getroottree().getroot(), wanted, purse)
        return element in found

    return has_one


def _holders(root: HtmlElement, wanted: list[tuple[str, list[Compound]]], purse: MatchBudget) -> set[HtmlElement]:
    found: set[HtmlElement] = set()
    for combinator, steps in wanted:
        around, goes_on = AROUND[combinator]
        passed: set[HtmlElement] = set()
        for element in _find_candidates(root, steps[-1], purse):
            if not matches(steps, element, purse):
                continue
            for holder in around(element):
                if goes_on and holder in passed:
                    break
                passed.add(holder)
        found |= passed
    return found


def _find_candidates(root: HtmlElement, step: Compound, purse: MatchBudget) -> list[HtmlElement]:
    """The elements of the document that are called what the step asks for, at least in part."""
    if not purse.called:
        purse.called = _index(root, purse)
    name = next(iter(sorted(f".{word}" for word in step.classes)), f"#{step.hash}" if step.hash else step.tag or "*")
    return purse.called.get(name, [])


def _index(root: HtmlElement, purse: MatchBudget) -> dict[str, list[HtmlElement]]:
    """The elements by their tags, their classes behind a `.`, their ids behind a `#`; all of them behind `*`."""
    index: defaultdict[str, list[HtmlElement]] = defaultdict(list)
    for element in root.iter():
        index["*"].append(element)
        index[element.tag].append(element)
        for word in purse.words(element.get("class")):
            index[f".{word}"].append(element)
        if identity := element.get("id"):
            index[f"#{identity}"].append(element)
    return index
