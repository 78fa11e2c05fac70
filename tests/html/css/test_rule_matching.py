"""The compiled matching of rules and its twin in Python find the same rules with the same number of tests."""

from itertools import product
from random import Random
from types import SimpleNamespace

import pytest

from assay.html.css import _rule_matching as compiled
from assay.html.css import rule_matching as pure
from assay.html.css.compound_selectors import Compound, MatchBudget
from assay.html.css.declarations import list_rules
from assay.html.css.selectors import parse_selector
from assay.html.css.style_rules import StyleRules, select_candidates
from assay.html.parser.html_tree import parse_html

NAMES = {".a", ".b", ".c", ".é", ".\ud800", "#i", "#j", "#None"}
STARTS = [
    "<div>",
    "<p>",
    "<b class=a>",
    "<b class='b a'>",
    "<i id=i>",
    "<i id=j class=c>",
    "<p data-x='one two'>",
    "<div class=é lang=en-GB>",
]
MORE = [
    "<a href='/x.png' type=TEXT class='a b c'>",
    "<span id=None>",
    "<span class>",
    "<input checked>",
    "<b data-x>",
    "<q data-x=on-e></q>",
]
STEPS = [
    "div",
    "p",
    "b",
    "i",
    "*",
    ".a",
    ".b",
    ".a.b",
    ".é",
    "#i",
    "#j",
    "p.c",
    "b.a",
    "span#None",
    "[data-x]",
    "[data-x=one]",
    "[data-x~=two]",
]
STEPS += [
    "[data-x^=o]",
    "[data-x$=two]",
    "[data-x*='e t']",
    "[data-x*='']",
    "[lang|=en]",
    "[data-x|=on]",
    "[href$='.PNG' i]",
    "[type=text]",
]
STEPS += [
    ":first-child",
    "b:nth-child(2n)",
    ":not(.a)",
    ":is(.a, #i) ",
    "p:has(> b)",
    ":root",
    "i:not([data-x])",
    ":is(div .b)",
    ":empty",
]
COMBINATORS = [" ", " ", " > ", " + ", " ~ "]


def make_page(rng: Random) -> str:
    return "".join(
        rng.choice([*STARTS, *MORE, "</p>", "</div>", "</b></b></i>", "text"]) for _ in range(rng.randint(1, 60))
    )


def make_selector(rng: Random) -> str:
    steps = [rng.choice(STEPS) for _ in range(rng.randint(1, 4))]
    return "".join(f"{rng.choice(COMBINATORS)}{step}" for step in steps).lstrip(" >+~")


def make_sheet(rng: Random) -> str:
    bodies = ["display:none", "color:red", "opacity:0"]
    return "".join(f"{make_selector(rng)}{{{rng.choice(bodies)}}}" for _ in range(rng.randint(1, 40)))


def copy_rules(rules: StyleRules) -> SimpleNamespace:
    """Return an index of the same rules with the fields of the twin."""
    copies: dict[int, pure.RuleFields] = {}
    shared: dict[int, dict[object, bool]] = {}
    for rule in rules.iter_rules():
        copy = copies.setdefault(id(rule), pure.RuleFields())
        copy.steps, copy.has_paint = rule.steps, rule.has_paint
        copy.matches_by_parent = shared.setdefault(id(rule.matches_by_parent), {})
    parsed = {name: [copies[id(rule)] for rule in found] for name, found in rules.parsed.items()}
    return SimpleNamespace(unparsed={}, parsed=parsed, attributes=rules.attributes, rules_by_element={})


class PureBudget(MatchBudget):
    """A budget with the fields of the twin as well."""

    def __init__(self, remaining: int) -> None:
        super().__init__(remaining)
        self.bits_by_element: dict[object, int] = {}


def describe(rules: list[compiled.RuleFields]) -> list[tuple[int, bool]]:
    return [(id(rule.steps), rule.has_paint) for rule in rules]


@pytest.mark.parametrize("seed", range(60))
def test_the_same_rules_match_the_elements_of_a_page(seed):
    rng = Random(seed)
    root, sheet = parse_html(make_page(rng)), make_sheet(rng)
    fast = StyleRules(select_candidates(list_rules(sheet), NAMES), bool)
    tests = rng.choice((40, 400, 100_000))
    budget = MatchBudget(tests)
    slow, other = copy_rules(fast), PureBudget(tests)
    for element in rng.choices(root.elements, k=60):
        flags = rng.random() < 0.3, rng.random() < 0.5
        found = describe(compiled.match_rules(fast, element, budget, *flags))
        assert found == describe(pure.match_rules(slow, element, other, *flags)), (
            sheet,
            element.tag,
            element.attributes,
        )
        assert budget.remaining == other.remaining
    assert {key: describe(found) for key, found in fast.rules_by_element.items()} == {
        key: describe(found) for key, found in slow.rules_by_element.items()
    }


@pytest.mark.parametrize("seed", range(40))
def test_the_same_elements_match_a_selector(seed):
    rng = Random(seed)
    root = parse_html(make_page(rng))
    for _ in range(30):
        text, tests = make_selector(rng), rng.choice((1, 2, 10, 1_000))
        steps = parse_selector(text)
        assert steps is not None, text
        budget, other = MatchBudget(tests), PureBudget(tests)
        for element in root.elements:
            found = compiled.match_steps(steps, element, budget)
            assert found == pure.match_steps(steps, element, other), (text, element.tag, element.attributes)
            assert budget.remaining == other.remaining, text


@pytest.mark.parametrize("seed", range(10))
def test_names_that_no_ancestor_has_end_the_tests_of_a_rule(seed):
    page = parse_html(f"<div class=a>{'<i>' * 20}<b class=b>text")
    rules = StyleRules([(f".{name} p .b", "display:none", ((), seed)) for name in "acdefgh"], bool)
    budget = MatchBudget(1_000)
    assert rules.match(page.elements[-1], budget) == []
    assert budget.remaining > 950  # each of seven rules would try twenty ancestors


class Wrong(compiled.RuleFields):
    pass


def test_wrong_types_are_errors():
    element, budget, rules = parse_html("<p class=a>x").elements[-1], MatchBudget(100), StyleRules((), bool)
    wrong: list[tuple[object, ...]] = [(None, element, budget), (rules, None, budget), (rules, element, None)]
    for arguments in wrong:
        with pytest.raises(TypeError):
            compiled.match_rules(*arguments, False, False)
    for steps in ([None], [Compound(), None], None):
        with pytest.raises(TypeError):
            compiled.match_steps(steps, element, budget)
    for name, value in (("classes", []), ("attributes", None), ("tests", None), ("combinator", None)):
        step = Compound()
        setattr(step, name, value)
        with pytest.raises(TypeError):
            compiled.match_steps([Compound(), step] if name == "combinator" else [step], element, budget)
    for attribute in ((), ("class",), ("class", 1, "a"), ("class", "=", None)):
        step = Compound()
        step.attributes = [attribute]
        with pytest.raises(TypeError):
            compiled.match_steps([step], element, budget)
    for name, value in (("unparsed", None), ("parsed", ()), ("attributes", []), ("rules_by_element", None)):
        rules = StyleRules((), bool)
        setattr(rules, name, value)
        with pytest.raises(TypeError):
            compiled.match_rules(rules, element, budget, False, False)
    for place, found in product(("parsed", "rules_by_element"), ((), [None], [Wrong()])):
        rules = StyleRules((), bool)
        setattr(rules, place, {"p": found, ("p", "a", None): found})
        with pytest.raises(TypeError):
            compiled.match_rules(rules, element, budget, False, False)


def test_an_error_of_a_test_comes_through():
    def fail(element, budget):
        raise LookupError(element.tag)

    step = Compound()
    step.tests = [fail]
    with pytest.raises(LookupError, match="p"):
        compiled.match_steps([step], parse_html("<p>").elements[-1], MatchBudget(9))
