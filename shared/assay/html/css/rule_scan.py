"""The loops over the text of a style sheet: its cut into rules, and the choice of those that may concern a document.

`_rule_scan.c` has the same functions, with the same answers; these serve machines where that is not built.
"""

import re
from collections.abc import Callable, Iterable

from assay.html.css.cascade_layers import Layer

PLAIN_TEXT = r"""[^{}()\[\]"'\\]"""
ESCAPE = r"\\[^\n\r\f]"
STRING = rf""""(?:[^"\\\n]++|{ESCAPE})*+"|'(?:[^'\\\n]++|{ESCAPE})*+'"""
# In parentheses, where a URL without quotation marks may contain them.
PLAIN_STRING = r""""[^"{}()\[\]\\\n]*+"|'[^'{}()\[\]\\\n]*+'"""
PLAIN_BRACKETS = rf"\[(?:{PLAIN_TEXT}++|{PLAIN_STRING})*+\]"
PLAIN_ARGUMENTS = f"{PLAIN_TEXT}++|{PLAIN_STRING}|{PLAIN_BRACKETS}"
PLAIN_PARENTHESES = rf"\((?:{PLAIN_ARGUMENTS}|\((?:{PLAIN_ARGUMENTS}|\((?:{PLAIN_ARGUMENTS})*+\))*+\))*+\)"
PLAIN_CONTENT = f"{PLAIN_TEXT}++|{PLAIN_PARENTHESES}|{STRING}|{PLAIN_BRACKETS}|{ESCAPE}"
# A rule that no bracket makes ambiguous: found without a look at every character.
PLAIN_RULE = re.compile(
    rf"((?:[^{{}}()\[\]\"'\\;@]++|{PLAIN_BRACKETS}|{PLAIN_PARENTHESES}|{ESCAPE})*+)\{{((?:{PLAIN_CONTENT})*+)\}}"
)
# A name with the colon after it, if there is one: what begins within the name is not tried again.
DECLARED = re.compile(r"(--[\w-]++)\s*+(:?)")


def cut_rules(
    css: str,
    codes: bytes,  # noqa: ARG001
    start: int,
    layer: Layer,
    /,
) -> tuple[list[tuple[str, str, Layer]], int]:
    """Return (selectors, body, layer) of the plain rules from `start` that declare something, and the position after
    the last rule. `codes` are those of the sheet's characters in ASCII, with question marks for others.
    """
    found: list[tuple[str, str, Layer]] = []
    while rule := PLAIN_RULE.match(css, start):
        start = rule.end()
        prelude, body = rule.groups()
        if body and not body.isspace():
            found.append((prelude.strip(), body, layer))
    return found, start


def find_declared(body: str, /) -> set[str]:
    """Return the custom properties that the body of a rule declares; the compiled one takes ASCII bodies only."""
    return {name for name, colon in DECLARED.findall(body) if colon}


def group_by_declared(
    rules: list[tuple[str, str, Layer]], read_names: Callable[[str], Iterable[str]], /
) -> dict[str, list[tuple[str, str]]]:
    """Return the selectors and bodies of the rules that may declare a custom property, by its name.

    `read_names` finds the names in the body of a rule; the compiled function asks it about unusual bodies only.
    """
    found: dict[str, list[tuple[str, str]]] = {}
    for selectors, body, _ in rules:
        for name in read_names(body) if "--" in body else ():
            found.setdefault(name, []).append((selectors, body))
    return found


def find_concerned(
    rules: list[tuple[str, str, Layer]],
    names: set[str],
    max_selectors: int,
    max_rules: int,
    split_list: Callable[[str], list[str]],
    may_concern: Callable[[str, set[str]], bool],
    /,
) -> dict[tuple[str, str, Layer], int]:
    """Return (selector, body, layer) of the rules that may concern a document with these names, with the place of the
    last of equal ones among all selectors.
    """
    order = 0
    found: dict[tuple[str, str, Layer], int] = {}
    for selectors, body, layer in rules:
        for text in split_list(selectors) if "," in selectors else (selectors,):
            if order >= max_selectors or len(found) > max_rules:
                return found
            order += 1
            if may_concern(text, names):
                found[text, body, layer] = order
    return found
