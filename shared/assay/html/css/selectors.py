"""A parser for the selectors of style rules (Selectors Level 4) that can be evaluated on a static document."""

import re

from lxml.html import HtmlElement

from assay.html.css.compound_selectors import Compound, MatchBudget, Test, matches
from assay.html.css.css_escapes import unescape
from assay.html.css.relational_selectors import make_has_test

MAX_STEPS = 40  # steps per selector
MAX_DEPTH = 4  # nesting of selectors in functional pseudo-classes

COMMA = re.compile(r",(?![^()\[\]]{0,200}[)\]])")
NAME = r"(?:[\w-]|[^\x00-\x7f]|\\[0-9a-fA-F]{1,6}\s?|\\[^\n])++"
INSIDE = r"(?:[^()]++|\((?:[^()]++|\((?:[^()]++|\([^()]*+\))*+\))*+\))*+"
SELECTOR_PART = re.compile(
    rf"""(?P<space>\s*[>+~]\s*|\s+)|(?P<star>\*?\||\*|&)|(?P<hash>\#{NAME})|(?P<class>\.{NAME})|(?P<tag>{NAME})
    |\[\s*(?P<attribute>[\w:-]+)\s*(?:(?P<operator>[~|^$*]?=)\s*(?P<value>"[^"]*"|'[^']*'|[^\]\s]+)\s*(?P<case>[is])?\s*)?\]
    |:(?P<call>[a-z-]+)\(\s*(?P<inside>{INSIDE})\)|:(?P<place>[a-z-]+)""",
    re.VERBOSE | re.IGNORECASE,
)
AN_PLUS_B = re.compile(r"(?:(?P<step>[+-]?\d{0,6})n\s*)?(?P<start>[+-]?\s*\d{1,6})?")
# Pseudo-classes that depend on user interaction or history and never match a static document.
INTERACTIVE_PSEUDO_CLASSES = frozenset(
    (
        *("hover", "active", "focus", "focus-visible", "focus-within", "visited", "target", "target-within"),
        *("fullscreen", "modal", "popover-open", "user-invalid", "user-valid", "playing", "autofill", "indeterminate"),
    )
)
NTH_PSEUDO_CLASSES = {"nth-child": (False, False), "nth-last-child": (True, False)}
NTH_PSEUDO_CLASSES |= {"nth-of-type": (False, True), "nth-last-of-type": (True, True)}
END_PSEUDO_CLASSES = {
    "first-child": NTH_PSEUDO_CLASSES["nth-child"],
    "last-child": NTH_PSEUDO_CLASSES["nth-last-child"],
}
END_PSEUDO_CLASSES |= {
    "first-of-type": NTH_PSEUDO_CLASSES["nth-of-type"],
    "last-of-type": NTH_PSEUDO_CLASSES["nth-last-of-type"],
}


def split_selectors(selectors: str) -> list[str]:
    """Split a selector list at its top-level commas."""
    if "(" not in selectors and "[" not in selectors:
        return selectors.split(",")
    if selectors.count("(") < 2:
        return COMMA.split(selectors)
    pieces, depth, begun = [], 0, 0
    for found in re.finditer(r"[(),]", selectors):
        depth = max(0, depth + {"(": 1, ")": -1, ",": 0}[found.group()])
        if found.group() == "," and not depth:
            pieces.append(selectors[begun : found.start()])
            begun = found.end()
    return [*pieces, selectors[begun:]]


def parse_selector(text: str, depth: int = 0) -> list[Compound] | None:
    """Parse one selector into its steps.

    None if it contains a pseudo-element or a pseudo-class that is not supported.
    """
    steps = [Compound()]
    position, text = 0, text.strip()
    while position < len(text):
        part = SELECTOR_PART.match(text, position)
        if part is None or len(steps) > MAX_STEPS:
            return None
        position = part.end()
        if part["space"]:
            steps.append(Compound(combinator=part["space"].strip() or " "))
        elif not _read_part(steps[-1], part, depth):
            return None
    return steps


def _read_part(step: Compound, part: re.Match[str], depth: int) -> bool:
    if part["hash"]:
        step.hash = unescape(part["hash"][1:])
    elif part["class"]:
        step.classes.add(unescape(part["class"][1:]))
    elif part["tag"]:
        step.tag = part["tag"].lower()
    elif part["attribute"]:
        step.attributes.append(_parse_attribute(part))
    elif part["call"]:
        return _read_function(step, part["call"].lower(), part["inside"], depth)
    elif part["place"]:
        return _read_pseudo_class(step, part["place"].lower())
    return True


def _parse_attribute(part: re.Match[str]) -> tuple[str, str, str]:
    value = unescape((part["value"] or "").strip("\"'"))
    if part["operator"] and (part["case"] or "").lower() == "i":
        return part["attribute"].lower(), f"{part['operator']}i", value.lower()
    return part["attribute"].lower(), part["operator"] or "", value


def _read_pseudo_class(step: Compound, name: str) -> bool:
    if name in END_PSEUDO_CLASSES:
        test = _at_end(*END_PSEUDO_CLASSES[name])
    elif name in INTERACTIVE_PSEUDO_CLASSES:
        test = _matches_nothing
    elif name in STATIC_PSEUDO_CLASSES:
        test = STATIC_PSEUDO_CLASSES[name]
    else:
        return False
    _add_specificity(step, (0, 1, 0))
    step.tests.append(test)
    return True


def _at_end(last: bool, typed: bool) -> Test:
    return lambda element, _: _is_at_end(element, last, typed)


def _is_at_end(element: HtmlElement, last: bool, typed: bool) -> bool:
    return next(element.itersiblings(element.tag if typed else None, preceding=not last), None) is None


def _matches_nothing(_: HtmlElement, __: MatchBudget) -> bool:
    return False


def never_matches(steps: list[Compound]) -> bool:
    """Return whether the selector cannot match in a document without user interaction."""
    return any(_matches_nothing in step.tests for step in steps)


def is_root_selector(step: Compound) -> bool:
    """Return whether the step has `:root` or `:scope`."""
    return _is_root in step.tests


def _matches_all(_: HtmlElement, __: MatchBudget) -> bool:
    return True


def _is_root(element: HtmlElement, _: MatchBudget) -> bool:
    return element.getparent() is None


def _is_empty(element: HtmlElement, _: MatchBudget) -> bool:
    return not len(element) and not element.text


def _is_link(element: HtmlElement, _: MatchBudget) -> bool:
    return element.tag in ("a", "area") and element.get("href") is not None


def _is_checked(element: HtmlElement, _: MatchBudget) -> bool:
    return element.get("checked") is not None or element.get("selected") is not None


FORM_CONTROLS = frozenset(("button", "input", "select", "textarea", "optgroup", "option", "fieldset"))


def _is_disabled(element: HtmlElement, _: MatchBudget) -> bool:
    return element.tag in FORM_CONTROLS and element.get("disabled") is not None


def _is_enabled(element: HtmlElement, _: MatchBudget) -> bool:
    return element.tag in FORM_CONTROLS and element.get("disabled") is None


def _is_only(typed: bool) -> Test:
    return lambda element, _: all(_is_at_end(element, last, typed) for last in (False, True))


STATIC_PSEUDO_CLASSES: dict[str, Test] = {
    "root": _is_root,
    "scope": _is_root,
    "empty": _is_empty,
    "link": _is_link,
    "any-link": _is_link,
    "checked": _is_checked,
    "disabled": _is_disabled,
    "enabled": _is_enabled,
    "only-child": _is_only(typed=False),
    "only-of-type": _is_only(typed=True),
    "defined": _matches_all,  # scripts usually define custom elements
}


def _read_function(step: Compound, name: str, inside: str, depth: int) -> bool:
    if name in NTH_PSEUDO_CLASSES:
        return _read_nth(step, inside, depth, *NTH_PSEUDO_CLASSES[name])
    if name in ("lang", "dir"):
        return _read_language(step, name, inside)
    if name == "has":
        return _read_has(step, inside, depth)
    if name not in ("is", "where", "matches", "any", "-webkit-any", "-moz-any", "not") or depth >= MAX_DEPTH:
        return False
    found = [parse_selector(text, depth + 1) for text in split_selectors(inside) if text.strip()]
    inner = [steps for steps in found if steps is not None]
    if not inner or (name == "not" and len(inner) < len(found)):
        return False  # an unsupported alternative narrows `:is()`, but would widen `:not()`
    if name != "where":
        _add_specificity(step, max(specificity(steps) for steps in inner))
    if name != "not" and not step.alternatives:
        step.alternatives = inner
    step.tests.append(_make_list_test(inner, name))
    return True


def _read_has(step: Compound, inside: str, depth: int) -> bool:
    """Parse `:has()`. Alternatives with several steps that begin with a combinator are ignored."""
    relative_selectors: list[tuple[str, list[Compound]]] = []
    for text in split_selectors(inside):
        combinator, rest = (text.strip()[:1], text.strip()[1:]) if text.strip()[:1] in (">", "+", "~") else (" ", text)
        steps = parse_selector(rest, depth + 1) if rest.strip() and depth < MAX_DEPTH else None
        if steps is not None and (combinator == " " or len(steps) == 1):
            relative_selectors.append((combinator, steps))
    if not relative_selectors:
        return False
    _add_specificity(step, max(specificity(steps) for _, steps in relative_selectors))
    step.tests.append(make_has_test(relative_selectors))
    return True


def _read_language(step: Compound, name: str, inside: str) -> bool:
    """Parse `:lang()` or `:dir()`, decided by the nearest ancestor's attribute; the default direction is left to
    right.
    """
    values = [text.strip().strip("\"'").lower() for text in inside.split(",")]

    def is_so(element: HtmlElement, budget: MatchBudget) -> bool:
        around = next((one for one in (element, *element.iterancestors()) if one.get(name) is not None), None)
        budget.remaining -= 1
        declared = (around.get(name) if around is not None else "ltr" if name == "dir" else "").strip().lower()
        return any(declared == text or (name == "lang" and text and declared.startswith(text + "-")) for text in values)

    _add_specificity(step, (0, 1, 0))
    step.tests.append(is_so)
    return True


def _make_list_test(inner: list[list[Compound]], name: str) -> Test:
    def any_of(element: HtmlElement, budget: MatchBudget) -> bool:
        for steps in inner:  # noqa: SIM110 -- a generator costs more than the tests
            if matches(steps, element, budget):
                return True
        return False

    def none_of(element: HtmlElement, budget: MatchBudget) -> bool:
        return not any_of(element, budget)

    return none_of if name == "not" else any_of


def _read_nth(step: Compound, inside: str, depth: int, last: bool, typed: bool) -> bool:
    inside, _, of = inside.partition(" of ")
    among = [steps for text in split_selectors(of) if of and (steps := parse_selector(text, depth + 1)) is not None]
    fits = _make_list_test(among, "is") if among else None
    if of and (fits is None or depth >= MAX_DEPTH):
        return False
    text = {"odd": "2n+1", "even": "2n"}.get(inside.strip().lower(), inside.strip().lower())
    found = AN_PLUS_B.fullmatch(text)
    if found is None or not text:
        return False
    sign = found["step"]
    every = 0 if sign is None else int(f"{sign}1") if sign in ("", "+", "-") else int(sign)
    start = int((found["start"] or "0").replace(" ", ""))
    _add_specificity(step, (0, 1, 0))
    if every == 1 and start <= 1 and fits is None:
        return True  # matches every element

    def matches_count(element: HtmlElement, budget: MatchBudget) -> bool:
        number = budget.position(element, last, typed, fits)
        if not number:
            return False
        rest = number - start
        return rest == 0 if every == 0 else rest % every == 0 and rest // every >= 0

    step.tests.append(matches_count)
    return True


def _add_specificity(step: Compound, more: tuple[int, int, int]) -> None:
    one, two, three = step.weight
    step.weight = one + more[0], two + more[1], three + more[2]


def specificity(steps: list[Compound]) -> tuple[int, int, int]:
    """Return (ids, classes and attributes, tags). https://www.w3.org/TR/selectors-4/#specificity-rules"""
    hashes = sum(bool(step.hash) + step.weight[0] for step in steps)
    classes = sum(len(step.classes) + len(step.attributes) + step.weight[1] for step in steps)
    return hashes, classes, sum(bool(step.tag) + step.weight[2] for step in steps)
