"""Selectors of style rules, read: all that a still page can be told by."""

import re

from lxml.html import HtmlElement

from assay.html.css.compound_selectors import Compound, MatchBudget, Test, matches
from assay.html.css.css_escapes import unescape
from assay.html.css.relational_selectors import has

NESTING = 40  # steps of one selector
DEPTH = 4  # selectors within selectors

COMMA = re.compile(r",(?![^()\[\]]{0,200}[)\]])")
NAME = r"(?:[\w-]|[^\x00-\x7f]|\\[0-9a-fA-F]{1,6}\s?|\\[^\n])++"
INSIDE = r"(?:[^()]++|\((?:[^()]++|\((?:[^()]++|\([^()]*+\))*+\))*+\))*+"
PART = re.compile(
    rf"""(?P<space>\s*[>+~]\s*|\s+)|(?P<star>\*?\||\*|&)|(?P<hash>\#{NAME})|(?P<class>\.{NAME})|(?P<tag>{NAME})
    |\[\s*(?P<attribute>[\w:-]+)\s*(?:(?P<operator>[~|^$*]?=)\s*(?P<value>"[^"]*"|'[^']*'|[^\]\s]+)\s*(?P<case>[is])?\s*)?\]
    |:(?P<call>[a-z-]+)\(\s*(?P<inside>{INSIDE})\)|:(?P<place>[a-z-]+)""",
    re.VERBOSE | re.IGNORECASE,
)
FORMULA = re.compile(r"(?:(?P<step>[+-]?\d{0,6})n\s*)?(?P<start>[+-]?\s*\d{1,6})?")
# What depends on a pointer, a keyboard or a history, and so holds of nothing on a page that nobody touches.
NEVER = frozenset(
    (
        *("hover", "active", "focus", "focus-visible", "focus-within", "visited", "target", "target-within"),
        *("fullscreen", "modal", "popover-open", "user-invalid", "user-valid", "playing", "autofill", "indeterminate"),
    )
)
COUNTED = {"nth-child": (False, False), "nth-last-child": (True, False)}
COUNTED |= {"nth-of-type": (False, True), "nth-last-of-type": (True, True)}
ENDS = {"first-child": COUNTED["nth-child"], "last-child": COUNTED["nth-last-child"]}
ENDS |= {"first-of-type": COUNTED["nth-of-type"], "last-of-type": COUNTED["nth-last-of-type"]}


def split_selectors(selectors: str) -> list[str]:
    """The selectors of a list."""
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


def selector(text: str, depth: int = 0) -> list[Compound] | None:
    """The steps of one selector, or None when it needs a pointer, a pseudo-element or what we do not read."""
    steps = [Compound()]
    position, text = 0, text.strip()
    while position < len(text):
        part = PART.match(text, position)
        if part is None or len(steps) > NESTING:
            return None
        position = part.end()
        if part["space"]:
            steps.append(Compound(combinator=part["space"].strip() or " "))
        elif not _read(steps[-1], part, depth):
            return None
    return steps


def _read(step: Compound, part: re.Match[str], depth: int) -> bool:
    if part["hash"]:
        step.hash = unescape(part["hash"][1:])
    elif part["class"]:
        step.classes.add(unescape(part["class"][1:]))
    elif part["tag"]:
        step.tag = part["tag"].lower()
    elif part["attribute"]:
        step.attributes.append(_attribute(part))
    elif part["call"]:
        return _read_call(step, part["call"].lower(), part["inside"], depth)
    elif part["place"]:
        return _read_place(step, part["place"].lower())
    return True


def _attribute(part: re.Match[str]) -> tuple[str, str, str]:
    value = unescape((part["value"] or "").strip("\"'"))
    if part["operator"] and (part["case"] or "").lower() == "i":
        return part["attribute"].lower(), f"{part['operator']}i", value.lower()
    return part["attribute"].lower(), part["operator"] or "", value


def _read_place(step: Compound, name: str) -> bool:
    if name in ENDS:
        test = _at_end(*ENDS[name])
    elif name in NEVER:
        test = _never
    elif name in STANDING:
        test = STANDING[name]
    else:
        return False
    _weigh(step, (0, 1, 0))
    step.tests.append(test)
    return True


def _at_end(last: bool, typed: bool) -> Test:
    return lambda element, _: _is_at_end(element, last, typed)


def _is_at_end(element: HtmlElement, last: bool, typed: bool) -> bool:
    return next(element.itersiblings(element.tag if typed else None, preceding=not last), None) is None


def _never(_: HtmlElement, __: MatchBudget) -> bool:
    return False


def never(steps: list[Compound]) -> bool:
    """Whether nothing on a still page can match."""
    return any(_never in step.tests for step in steps)


def of_root(step: Compound) -> bool:
    return _is_root in step.tests


def _always(_: HtmlElement, __: MatchBudget) -> bool:
    return True


def _is_root(element: HtmlElement, _: MatchBudget) -> bool:
    return element.getparent() is None


def _is_empty(element: HtmlElement, _: MatchBudget) -> bool:
    return not len(element) and not element.text


def _is_link(element: HtmlElement, _: MatchBudget) -> bool:
    return element.tag in ("a", "area") and element.get("href") is not None


def _is_checked(element: HtmlElement, _: MatchBudget) -> bool:
    return element.get("checked") is not None or element.get("selected") is not None


CONTROLS = frozenset(("button", "input", "select", "textarea", "optgroup", "option", "fieldset"))


def _is_disabled(element: HtmlElement, _: MatchBudget) -> bool:
    return element.tag in CONTROLS and element.get("disabled") is not None


def _is_enabled(element: HtmlElement, _: MatchBudget) -> bool:
    return element.tag in CONTROLS and element.get("disabled") is None


def _is_only(typed: bool) -> Test:
    return lambda element, _: all(_is_at_end(element, last, typed) for last in (False, True))


STANDING: dict[str, Test] = {
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
    "defined": _always,  # scripts define what a page names itself
}


def _read_call(step: Compound, name: str, inside: str, depth: int) -> bool:
    if name in COUNTED:
        return _read_count(step, inside, depth, *COUNTED[name])
    if name in ("lang", "dir"):
        return _read_language(step, name, inside)
    if name == "has":
        return _read_has(step, inside, depth)
    if name not in ("is", "where", "matches", "any", "-webkit-any", "-moz-any", "not") or depth >= DEPTH:
        return False
    found = [selector(text, depth + 1) for text in split_selectors(inside) if text.strip()]
    inner = [steps for steps in found if steps is not None]
    if not inner or (name == "not" and len(inner) < len(found)):
        return False  # what is not read of `:is()` is only one way less; of `:not()` it would be one too many
    if name != "where":
        _weigh(step, max(specificity(steps) for steps in inner))
    if name != "not" and not step.ways:
        step.ways = inner
    step.tests.append(_among(inner, name))
    return True


def _read_has(step: Compound, inside: str, depth: int) -> bool:
    """Of a selector with several steps that begins with a combinator nothing is read."""
    wanted: list[tuple[str, list[Compound]]] = []
    for text in split_selectors(inside):
        combinator, rest = (text.strip()[:1], text.strip()[1:]) if text.strip()[:1] in (">", "+", "~") else (" ", text)
        steps = selector(rest, depth + 1) if rest.strip() and depth < DEPTH else None
        if steps is not None and (combinator == " " or len(steps) == 1):
            wanted.append((combinator, steps))
    if not wanted:
        return False
    _weigh(step, max(specificity(steps) for _, steps in wanted))
    step.tests.append(has(wanted))
    return True


def _read_language(step: Compound, name: str, inside: str) -> bool:
    """`:lang()` and `:dir()`, by the nearest attribute above; what says nothing is written from left to right."""
    wanted = [text.strip().strip("\"'").lower() for text in inside.split(",")]

    def is_so(element: HtmlElement, purse: MatchBudget) -> bool:
        around = next((one for one in (element, *element.iterancestors()) if one.get(name) is not None), None)
        purse.left -= 1
        said = (around.get(name) if around is not None else "ltr" if name == "dir" else "").strip().lower()
        return any(said == text or (name == "lang" and text and said.startswith(text + "-")) for text in wanted)

    _weigh(step, (0, 1, 0))
    step.tests.append(is_so)
    return True


def _among(inner: list[list[Compound]], name: str) -> Test:
    def any_of(element: HtmlElement, purse: MatchBudget) -> bool:
        for steps in inner:  # noqa: SIM110 -- a generator costs more than the tests
            if matches(steps, element, purse):
                return True
        return False

    def none_of(element: HtmlElement, purse: MatchBudget) -> bool:
        return not any_of(element, purse)

    return none_of if name == "not" else any_of


def _read_count(step: Compound, inside: str, depth: int, last: bool, typed: bool) -> bool:
    inside, _, of = inside.partition(" of ")
    among = [steps for text in split_selectors(of) if of and (steps := selector(text, depth + 1)) is not None]
    fits = _among(among, "is") if among else None
    if of and (fits is None or depth >= DEPTH):
        return False
    text = {"odd": "2n+1", "even": "2n"}.get(inside.strip().lower(), inside.strip().lower())
    found = FORMULA.fullmatch(text)
    if found is None or not text:
        return False
    sign = found["step"]
    every = 0 if sign is None else int(f"{sign}1") if sign in ("", "+", "-") else int(sign)
    start = int((found["start"] or "0").replace(" ", ""))
    _weigh(step, (0, 1, 0))
    if every == 1 and start <= 1 and fits is None:
        return True  # all of them

    def matches_count(element: HtmlElement, purse: MatchBudget) -> bool:
        number = purse.place(element, last, typed, fits)
        if not number:
            return False
        rest = number - start
        return rest == 0 if every == 0 else rest % every == 0 and rest // every >= 0

    step.tests.append(matches_count)
    return True


def _weigh(step: Compound, more: tuple[int, int, int]) -> None:
    one, two, three = step.weight
    step.weight = one + more[0], two + more[1], three + more[2]


def specificity(steps: list[Compound]) -> tuple[int, int, int]:
    """What decides between rules: ids, then classes and their like, then tags."""
    hashes = sum(bool(step.hash) + step.weight[0] for step in steps)
    classes = sum(len(step.classes) + len(step.attributes) + step.weight[1] for step in steps)
    return hashes, classes, sum(bool(step.tag) + step.weight[2] for step in steps)
