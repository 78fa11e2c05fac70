"""A parser for the selectors of style rules (Selectors Level 4) that can be evaluated on a static document."""

import re
from typing import Any

from tinycss2.nth import parse_nth

from assay.html.css.compiled_rule_matching import match_steps
from assay.html.css.compound_selectors import Compound, MatchBudget, Test, specificity
from assay.html.css.css_syntax import Tokens, split_list, strip_whitespace, tokenize
from assay.html.css.pseudo_classes import (
    CHILD_POSITIONS,
    find_static_test,
    make_language_test,
    make_position_test,
    matches_nothing,
)
from assay.html.css.relational_selectors import make_has_test
from assay.html.css.selector_text import NAME_CHARACTER, protect_escapes, restore_escapes
from assay.html.parser.html_element import HtmlElement
from assay.text.word_lists import parse_words

MAX_STEPS = 40  # steps per selector
# Attributes whose values selectors compare without regard to case (HTML Standard, section 4.16.2), those in use.
CASELESS_ATTRIBUTES = parse_words("type lang dir rel align valign color bgcolor media method target")
MAX_DEPTH = 20  # nesting of selectors in functional pseudo-classes
LEGACY_PSEUDO_ELEMENTS = frozenset(("before", "after", "first-line", "first-letter"))  # with a single colon
ANY_OF = frozenset(("is", "where", "matches", "any", "-webkit-any", "-moz-any"))
# Selectors that most are: cut without tokens, in a tenth of the time.
NAME = rf"-?[^\0-@\[-\^`{{-\x7f]{NAME_CHARACTER}*+"  # which begins with no digit
SPACE = r"[ \t\n\r\f]"
STRING = r""""[^"\\\n\r\f]*+"|'[^'\\\n\r\f]*+'"""
PLAIN_ARGUMENTS = r"""(?:[^()"'\\]++|\([^()"'\\]*+\))*+"""
PLAIN_FUNCTION = rf":(?:is|where|not)\({PLAIN_ARGUMENTS}\)"
PLAIN_PART = rf"{PLAIN_FUNCTION}|[.#]{NAME}|:{NAME}(?!\()|\[{NAME}(?:[~|^$*]?=(?:{NAME}|{STRING}))?+\]"
PLAIN_STEP = rf"(?:{NAME}|\*)(?:{PLAIN_PART})*+|(?:{PLAIN_PART})++"
PLAIN_COMBINATOR = rf"{SPACE}*+[>+~]{SPACE}*+|{SPACE}++"
PLAIN_SELECTOR = re.compile(rf"(?:{PLAIN_STEP})(?:(?:{PLAIN_COMBINATOR})(?:{PLAIN_STEP}))*+")
SIMPLE_SELECTOR = re.compile(
    rf"(?P<combinator>{PLAIN_COMBINATOR})|:(?P<function>is|where|not)\((?P<arguments>{PLAIN_ARGUMENTS})\)"
    rf"|(?P<sign>[.#:]?)(?P<name>{NAME}|\*)"
    rf"|\[(?P<attribute>{NAME})(?:(?P<operator>[~|^$*]?=)(?P<value>{NAME}|{STRING}))?+\]"
)
MAX_PLAIN = 500  # characters


def parse_selector(text: str) -> list[Compound] | None:
    """Parse one selector into its steps; None if it is not valid or has a pseudo-element."""
    return _parse_text(text, 0)


def _parse_text(text: str, depth: int) -> list[Compound] | None:
    plain = protect_escapes(text.strip(" \t\n\r\f"))
    if len(plain) <= MAX_PLAIN and not ("(" in plain and "\\" in text) and PLAIN_SELECTOR.fullmatch(plain):
        return _cut_plain_selector(plain, depth)
    return _parse_steps(tokenize(text), depth)


def _cut_plain_selector(text: str, depth: int) -> list[Compound] | None:
    steps = [Compound()]
    for combinator, function, arguments, sign, name, attribute, operator, value in SIMPLE_SELECTOR.findall(text):
        step = steps[-1]
        if combinator:
            steps.append(Compound(combinator=combinator.strip() or " "))
        elif attribute:
            unquoted = restore_escapes(value[1:-1] if value[:1] in ('"', "'") else value)
            step.attributes.append(_make_attribute(restore_escapes(attribute).lower(), operator, unquoted))
        elif function:
            if not _add_alternatives(step, function, [_parse_text(part, depth + 1) for part in split_list(arguments)]):
                return None
        elif not _add_simple_selector(step, sign, restore_escapes(name)):
            return None
    return steps if len(steps) <= MAX_STEPS else None


def _add_simple_selector(step: Compound, sign: str, name: str) -> bool:
    """Add a tag, class, id or pseudo-class to a step; return whether the selector is still valid."""
    match sign:
        case ".":
            step.classes.add(name)
        case "#":
            step.hash = name
        case ":":
            return _add_pseudo_class(step, name.lower())
        case _ if name != "*":
            step.tag = name.lower()
    return True


def _parse_steps(tokens: Tokens, depth: int) -> list[Compound] | None:
    steps: list[Compound] = [Compound()]
    is_empty = True  # the last step has no part yet
    position = 0
    tokens = _trim(tokens)
    while position < len(tokens):
        token = tokens[position]
        if token.type == "whitespace" or token in (">", "+", "~"):
            if is_empty or len(steps) >= MAX_STEPS:
                return None
            end = position
            while end < len(tokens) and (tokens[end].type == "whitespace" or tokens[end] in (">", "+", "~")):
                end += 1
            signs = strip_whitespace(tokens[position:end])
            if len(signs) > 1:
                return None
            steps.append(Compound(combinator=signs[0].value if signs else " "))
            is_empty, position = True, end
            continue
        count = _parse_part(steps[-1], tokens[position : position + 3], is_empty, depth)
        if not count:
            return None
        is_empty, position = False, position + count
    return None if is_empty else steps


def _trim(tokens: Tokens) -> Tokens:
    """Return the tokens without whitespace at either end."""
    start, end = 0, len(tokens)
    while start < end and tokens[start].type == "whitespace":
        start += 1
    while end > start and tokens[end - 1].type == "whitespace":
        end -= 1
    return tokens[start:end]


def _parse_part(step: Compound, tokens: Tokens, is_first: bool, depth: int) -> int:
    """Add the simple selector at the start of `tokens` to the step; return the number of its tokens, 0 if invalid."""
    first = tokens[0]
    following = tokens[1] if len(tokens) > 1 else first
    if is_first and (first.type == "ident" or first in ("*", "|")):
        return _parse_type(step, tokens)
    if first == ":":
        return 2 if _parse_pseudo_class(step, following, depth) else 0
    if first == "." and following.type == "ident":
        step.classes.add(following.value)
        return 2
    if first.type == "hash" and first.is_identifier:
        step.hash = first.value
    elif first.type == "[] block" and (attribute := _parse_attribute(strip_whitespace(first.content))):
        step.attributes.append(attribute)
    elif first != "&":
        return 0
    return 1


def _parse_pseudo_class(step: Compound, name: Any, depth: int) -> bool:
    if name.type == "function":
        return _parse_function(step, name, depth)
    return name.type == "ident" and _add_pseudo_class(step, name.lower_value)


def _add_pseudo_class(step: Compound, name: str) -> bool:
    if name in LEGACY_PSEUDO_ELEMENTS:
        return False
    _add_test(step, find_static_test(name))
    return True


def _parse_type(step: Compound, tokens: Tokens) -> int:
    """Parse a tag or `*`, after an optional namespace, which does not matter in a tree of HTML."""
    end = 0
    if tokens[0] == "|":
        end = 1
    elif len(tokens) > 1 and tokens[1] == "|":
        end = 2
    if end >= len(tokens) or not (tokens[end] == "*" or tokens[end].type == "ident"):
        return 0
    step.tag = "" if tokens[end] == "*" else tokens[end].lower_value
    return end + 1


def _parse_attribute(tokens: Tokens) -> tuple[str, str, str] | None:
    """Return the name, operator and value of an attribute selector; the operator ends in `i` if case is ignored."""
    if "|" in tokens[:2]:  # a namespace
        tokens = tokens[tokens.index("|") + 1 :]
    if not tokens or tokens[0].type != "ident":
        return None
    name, *rest = tokens
    if not rest:
        return name.lower_value, "", ""
    operator, value, flag = rest[0], rest[1] if len(rest) > 1 else None, rest[2:]
    if operator not in ("=", "~=", "|=", "^=", "$=", "*=") or value is None or value.type not in ("ident", "string"):
        return None
    if len(flag) > 1 or (flag and (flag[0].type != "ident" or flag[0].lower_value not in ("i", "s"))):
        return None
    return _make_attribute(name.lower_value, operator.value, value.value, flag[0].lower_value if flag else "")


def _make_attribute(name: str, operator: str, value: str, flag: str = "") -> tuple[str, str, str]:
    if operator and (flag == "i" or (not flag and name in CASELESS_ATTRIBUTES)):
        return name, f"{operator}i", value.lower()
    return name, operator, value


def _parse_function(step: Compound, function: Any, depth: int) -> bool:
    name, arguments = function.lower_name, function.arguments
    if depth >= MAX_DEPTH:
        return False
    if name in CHILD_POSITIONS:
        return _parse_nth(step, arguments, depth, *CHILD_POSITIONS[name])
    if name in ("lang", "dir"):
        values = [token.value.lower() for token in arguments if token.type in ("ident", "string")]
        _add_test(step, make_language_test(name, values))
    elif name == "has":
        return _parse_has(step, arguments, depth)
    elif name in ANY_OF or name == "not":
        parts = _split_list(arguments)
        return _add_alternatives(step, name, [_parse_steps(part, depth + 1) for part in parts])
    else:  # no other function, such as `:state()` or `:host()`, matches an element of a static document
        _add_test(step, matches_nothing)
    return True


def _add_alternatives(step: Compound, name: str, found: list[list[Compound] | None]) -> bool:
    """Add `:not()` or a list of alternatives, parsed to `found`; return whether the selector is still valid."""
    inner = [steps for steps in found if steps is not None]
    if name == "not":
        if len(inner) < len(found):
            return False
    elif not step.alternatives:
        step.alternatives = inner
    step.tests.append(_make_list_test(inner, is_negated=name == "not"))
    if name != "where":
        _add_specificity(step, max((specificity(steps) for steps in inner), default=(0, 0, 0)))
    return True


def _parse_has(step: Compound, arguments: Tokens, depth: int) -> bool:
    relative_selectors: list[tuple[str, list[Compound]]] = []
    for part in _split_list(arguments):
        tokens = _trim(part)
        has_combinator = bool(tokens) and tokens[0] in (">", "+", "~")
        steps = _parse_steps(tokens[1:] if has_combinator else tokens, depth + 1)
        if steps is None:
            return False
        relative_selectors.append((tokens[0].value if has_combinator else " ", steps))
    step.tests.append(make_has_test(relative_selectors))
    _add_specificity(step, max(specificity(steps) for _, steps in relative_selectors))
    return True


def _split_list(tokens: Tokens) -> list[Tokens]:
    parts: list[Tokens] = [[]]
    for value in tokens:
        if value == ",":
            parts.append([])
        else:
            parts[-1].append(value)
    return parts


def _make_list_test(inner: list[list[Compound]], is_negated: bool) -> Test:
    def matches_any(element: HtmlElement, budget: MatchBudget) -> bool:
        for steps in inner:  # noqa: SIM110 -- a generator costs more than the tests
            if match_steps(steps, element, budget):
                return True
        return False

    def matches_none(element: HtmlElement, budget: MatchBudget) -> bool:
        return not matches_any(element, budget)

    return matches_none if is_negated else matches_any


def _parse_nth(step: Compound, arguments: Tokens, depth: int, is_last: bool, is_typed: bool) -> bool:
    words = [token.lower_value if token.type == "ident" else "" for token in arguments]
    split = words.index("of") if "of" in words else len(words)
    try:
        formula = parse_nth(arguments[:split])
    except (AttributeError, StopIteration):  # tinycss2 expects a number or a name after a sign
        formula = None
    if formula is None:
        return False
    filtered: Test | None = None
    if split < len(words):
        inner = [_parse_steps(part, depth + 1) for part in _split_list(arguments[split + 1 :])]
        valid = [steps for steps in inner if steps is not None]
        if len(valid) < len(inner):
            return False
        filtered = _make_list_test(valid, is_negated=False)
        _add_specificity(step, max(specificity(steps) for steps in valid))
    every, start = formula
    _add_specificity(step, (0, 1, 0))
    if every != 1 or start > 1 or filtered is not None:  # else it matches every element
        step.tests.append(make_position_test(every, start, is_last, is_typed, filtered))
    return True


def _add_test(step: Compound, test: Test) -> None:
    step.tests.append(test)
    _add_specificity(step, (0, 1, 0))


def _add_specificity(step: Compound, more: tuple[int, int, int]) -> None:
    one, two, three = step.weight
    step.weight = one + more[0], two + more[1], three + more[2]
