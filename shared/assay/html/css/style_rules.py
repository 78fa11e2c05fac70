"""The style rules of a document, found by what an element is called, and read no sooner than they are asked for."""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass

from lxml.html import HtmlElement

from assay.html.css.compound_selectors import STEPS, Compound, MatchBudget, fits_before, signs_above
from assay.html.css.declarations import Declarations, declarations
from assay.html.css.selectors import never, of_root, selector, specificity, split_selectors

RULES = 20_000  # kept of one document
SELECTORS = 100_000  # looked at in one document
UNREAD = re.compile(r"(?<!\\):(?::|hover|focus|active|visited|before|after|placeholder)")
WORDS = re.compile(r"[.#][\w\x80-\U0010ffff-]+")
WORDS_OUTSIDE = re.compile(WORDS.pattern + r"(?![^\[]*\])")  # of brackets
LAST = re.compile(r"[\s>+~]")
LAST_ATTRIBUTE = re.compile(r"(?:^|[\s>+~])\[([\w:-]+)(?:[~|^$*]?=[^\[\]()]{0,200})?\]$")
CALLED = re.compile(r"\([^()]*\)")

type Waiting = tuple[str, str, int]  # a selector, a body, and the place in the order of all
type Look = tuple[str, str | None, str | None]  # tag, class and id


@dataclass(slots=True)
class Rule:
    steps: list[Compound]
    declarations: Declarations
    weight: tuple[int, int, int, int]  # specificity, then order
    known: dict[HtmlElement | None, bool]  # parents: whether the steps before fit above; rules may share it
    signs: int  # of what must stand above

    def fits(self, element: HtmlElement, purse: MatchBudget) -> bool:
        """Whether it matches an element that is called what its last step asks for."""
        steps = self.steps
        last = steps[-1]
        purse.left -= 1
        if purse.left <= 0 or (self.signs and self.signs & ~purse.lineage.of(element.getparent())):
            return False
        if (last.attributes or last.tests) and not last.holds(element, purse):
            return False
        if len(steps) == 1:
            return True
        if last.combinator in "+~":
            return fits_before(steps, element, purse)
        parent = element.getparent()
        found = self.known.get(parent)
        if found is None:
            far = len(steps) > 2 or last.combinator == ">"
            found = self.known[parent] = fits_before(steps, element, purse) if far else self._hangs_below(parent, purse)
        return found

    def _hangs_below(self, parent: HtmlElement | None, purse: MatchBudget) -> bool:
        """Whether the parent or what is above it fits the one step before; kept for all on the way."""
        passed: list[HtmlElement] = []
        current, found = parent, False
        while current is not None and not found and len(passed) < STEPS:
            if current in self.known:
                found = self.known[current]
                break
            passed.append(current)
            found = self.steps[0].matches(current, purse)
            current = current.getparent()
        self.known.update(dict.fromkeys(passed, found))
        return found


class StyleRules:
    """Selectors that may concern a document, as `candidates` finds them, with their bodies. `wanted` tells by its body
    whether a rule has a say.
    """

    def __init__(self, found: Iterable[Waiting], wanted: Callable[[str], bool]) -> None:
        self.wanted = wanted
        self.bodies: dict[str, Declarations | None] = {}
        self.waiting: defaultdict[str, list[Waiting]] = defaultdict(list)
        self.ready: defaultdict[str, list[Rule]] = defaultdict(list)
        self.known: dict[str, dict[HtmlElement | None, bool]] = {}  # by what stands before the last step
        self.looks: dict[Look, list[Rule]] = {}
        for one in found:
            self._add(*one)
        self.attributes = {name[1:-1] for name in [*self.waiting, *self.ready] if name[0] == "["}

    def _add(self, text: str, body: str, order: int) -> None:
        name = _key(text)
        if name is not None:
            self.waiting[name].append((text, body, order))
        elif (rule := self._read(text, body, order)) is not None:
            for under in keys(rule.steps):
                self.ready[under].append(rule)

    def _read(self, text: str, body: str, order: int) -> Rule | None:
        if body not in self.bodies:
            self.bodies[body] = declarations(body) if self.wanted(body) else None
        found = self.bodies[body]
        steps = selector(text) if found else None
        if not found or steps is None or never(steps):
            return None
        before = _before(text)
        known = {} if before is None else self.known.setdefault(before, {})
        return Rule(steps, found, (*specificity(steps), order), known, signs_above(steps))

    def all(self) -> Iterator[Rule]:
        for name in [*self.waiting, *self.ready]:
            yield from self._under(name)

    def _under(self, name: str) -> list[Rule]:
        if name in self.waiting:
            for one in self.waiting.pop(name):
                if (rule := self._read(*one)) is not None:
                    self.ready[name].append(rule)
        return self.ready.get(name, [])

    def find_rules(self, look: Look, given: Collection[str], purse: MatchBudget) -> list[Rule]:
        """The rules whose last step asks for such a tag, class and id, or for one of the attributes that are given.

        Whether they fit is told by `Rule.fits`. A rule that asks for one of several may be there more than once.
        """
        found = self.looks.get(look)
        if found is None:
            keys = (look[0], "*", *[f".{word}" for word in purse.words(look[1])], f"#{look[2]}")
            found = self.looks[look] = self._find_by_keys(keys, look, purse)
        if self.attributes and not self.attributes.isdisjoint(given):
            return found + self._find_by_keys([f"[{name}]" for name in given if name in self.attributes], look, purse)
        return found

    def _find_by_keys(self, keys: Iterable[str], look: Look, purse: MatchBudget) -> list[Rule]:
        tag, name, identity = look
        words = purse.words(name)
        found: list[Rule] = []
        for under in keys:
            if under in self.waiting or under in self.ready:
                rules = self._under(under)
                purse.left -= len(rules)
                if purse.left <= 0:
                    break
                found += [rule for rule in rules if rule.steps[-1].is_called(tag, words, identity)]
        return found


def candidates(pairs: Iterable[tuple[str, str]], names: set[str]) -> Iterator[Waiting]:
    """Those of (selector list, body) pairs that may concern a document of these `names`: its classes behind a `.`, and
    its ids behind a `#`.
    """
    order = kept = 0
    seen: set[tuple[str, str]] = set()
    for selectors, body in pairs:
        for text in split_selectors(selectors):
            order += 1
            if order > SELECTORS or kept > RULES:
                return
            if text and _concerns(text, names) and (text, body) not in seen:
                seen.add((text, body))
                kept += 1
                yield text, body, order


def _concerns(text: str, names: set[str]) -> bool:
    """A quick look at a selector, before it is read."""
    if ":" in text and "(" not in text and UNREAD.search(text):
        return False
    if "\\" in text:
        return True
    if "(" in text:
        text = CALLED.sub("", CALLED.sub("", text))
        if "(" in text:
            return True
    words = WORDS_OUTSIDE if "[" in text else WORDS
    return names.issuperset(words.findall(text)) and not text.isspace() and text != ""


def _key(text: str) -> str | None:
    """What `keys` may say of a selector's steps, where it can be told without reading them."""
    if "\\" in text or "&" in text:
        return None
    text = text.strip()
    last = LAST.split(text)[-1]
    if last.isalnum():
        return last.lower()
    if attribute := LAST_ATTRIBUTE.search(text):
        return f"[{attribute[1].lower()}]"
    words = WORDS_OUTSIDE.findall(last)
    return words[-1] if words and last.endswith(words[-1]) else None


def _before(text: str) -> str | None:
    """What stands before the last step, with its combinator; None where it cannot be told by a quick look."""
    text = text.strip()
    last = LAST.split(text)[-1]
    return None if "\\" in text or not last or ")" in last or "]" in last else text[: -len(last)]


def keys(steps: list[Compound]) -> list[str]:
    """Under what a rule is looked up: the id, a class, the tag or an attribute that its last step asks for, else `*`.

    Where it asks for one of several, it is found under each.
    """
    last = steps[-1]
    if last.hash:
        return [f"#{last.hash}"]
    if last.classes:
        return [f".{min(last.classes)}"]
    if last.tag:
        return [last.tag]
    if last.ways:
        found = [name for way in last.ways for name in keys(way)]
        if "*" not in found:
            return list(dict.fromkeys(found))
    if last.attributes:
        return [f"[{last.attributes[0][0]}]"]
    return ["html" if of_root(last) else "*"]
