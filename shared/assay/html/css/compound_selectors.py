"""Whether an element and what stands around it fit the steps of a selector."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from lxml.html import HtmlElement

from assay.html.css.ancestor_filter import AncestorBloom, signs

STEPS = 60  # ancestors or siblings tried for one combinator


class MatchBudget:
    """How many tests may still be made in a document; when it is empty nothing matches."""

    __slots__ = ("called", "holders", "known", "left", "lineage", "places")

    def __init__(self, left: int) -> None:
        self.left = left
        self.lineage = AncestorBloom()
        self.known: dict[str | None, frozenset[str]] = {None: frozenset()}
        self.called: dict[str, list[HtmlElement]] = {}  # all elements by what they are called, once somebody asks
        self.holders: dict[Test, set[HtmlElement]] = {}  # by the test of a `:has()`: the elements that pass it
        self.places: dict[tuple[HtmlElement | None, bool, object], dict[HtmlElement, int]] = {}

    def words(self, name: str | None) -> frozenset[str]:
        """The classes in a class attribute."""
        found = self.known.get(name)
        if found is None:
            found = self.known[name] = frozenset((name or "").split())
        return found

    def place(self, element: HtmlElement, last: bool, typed: bool, fits: "Test | None" = None) -> int:
        """The element's number among its siblings, or those of its tag, or those that fit, from 1, from the front or
        the end; 0 where it does not fit itself.

        All siblings are counted at once: one by one each count would pass over all before it.
        """
        parent = element.getparent()
        found = self.places.get((parent, last, fits or typed))
        if found is None:
            found = self.places[parent, last, fits or typed] = {}
            counts: Counter[str] = Counter()
            for sibling in [element] if parent is None else parent.iterchildren(reversed=last):
                if fits is not None and not fits(sibling, self):
                    continue
                kind = str(sibling.tag) if typed else ""
                counts[kind] += 1
                found[sibling] = counts[kind]
            self.left -= len(found) // 8
        return found.get(element, 0)


type Test = Callable[[HtmlElement, MatchBudget], bool]


@dataclass(slots=True)
class Compound:
    """One step of a selector: all that an element itself must be."""

    combinator: str = " "  # how it hangs on the step before it
    tag: str = ""
    hash: str = ""
    classes: set[str] = field(default_factory=set)
    attributes: list[tuple[str, str, str]] = field(default_factory=list)  # name, operator, value
    tests: list[Test] = field(default_factory=list)
    ways: list[list["Compound"]] = field(default_factory=list)  # one of which must fit, as the first `:is()` asks
    weight: tuple[int, int, int] = (0, 0, 0)  # specificity of what the tests hold

    def matches(self, element: HtmlElement, purse: MatchBudget) -> bool:
        purse.left -= 1
        if self.tag and element.tag != self.tag:
            return False
        if self.classes and not self.classes <= purse.words(element.get("class")):
            return False
        if self.hash and element.get("id") != self.hash:
            return False
        return self.holds(element, purse) if self.attributes or self.tests else purse.left > 0

    def is_called(self, tag: str, classes: frozenset[str], identity: str | None) -> bool:
        """Whether an element of this tag, these classes and this id fits, as far as they can tell."""
        return (
            (not self.tag or tag == self.tag) and self.classes <= classes and (not self.hash or identity == self.hash)
        )

    def names(self) -> Iterator[str]:
        """What an element must be called, with the marks that selectors have."""
        if self.tag:
            yield self.tag
        if self.hash:
            yield f"#{self.hash}"
        for name in self.classes:
            yield f".{name}"

    def holds(self, element: HtmlElement, purse: MatchBudget) -> bool:
        """Whether the rest is so: attributes, and what pseudo-classes ask."""
        for wanted in self.attributes:
            if not _has(element, *wanted):
                return False
        if purse.left <= 0:
            return False
        for test in self.tests:  # noqa: SIM110 -- a generator costs more than the tests
            if not test(element, purse):
                return False
        return True


def matches(steps: list[Compound], element: HtmlElement, purse: MatchBudget) -> bool:
    return steps[-1].matches(element, purse) and (len(steps) == 1 or fits_before(steps, element, purse))


def fits_before(steps: list[Compound], element: HtmlElement, purse: MatchBudget, position: int = -1) -> bool:
    """Whether what stands around `element`, which fits the step at `position`, fits all the steps before.

    Where several ancestors or siblings fit, each is tried in its turn.
    """
    if len(steps) == -position:
        return True
    combinator, step = steps[position].combinator, steps[position - 1]
    is_first = len(steps) == 1 - position
    current: Any = element
    for _ in range(1 if combinator in ">+" else STEPS):
        current = current.getprevious() if combinator in "+~" else current.getparent()
        if current is None or purse.left <= 0:
            return False
        if (
            isinstance(current.tag, str)
            and step.matches(current, purse)
            and (is_first or fits_before(steps, current, purse, position - 1))
        ):
            return True
    return False


def signs_above(steps: list[Compound]) -> int:
    """The signs that what stands above an element must bear for all steps to fit, as far as the steps lie above it."""
    if any(step.combinator in "+~" for step in steps[1:]):
        return 0
    return signs(name for step in steps[:-1] for name in step.names())


def _has(element: HtmlElement, name: str, operator: str, value: str) -> bool:
    got: str | None = element.get(name)
    if got is None:
        return False
    if operator[-1:] == "i":  # whatever the case of the letters
        return _compares(got.lower(), operator[:-1], value)
    return _compares(got, operator, value)


def _compares(got: str, operator: str, value: str) -> bool:
    match operator:
        case "":
            return True
        case "=":
            return got == value
        case "^=":
            return bool(value) and got.startswith(value)
        case "$=":
            return bool(value) and got.endswith(value)
        case "*=":
            return bool(value) and value in got
        case "~=":
            return value in got.split()
    return got == value or got.startswith(value + "-")
