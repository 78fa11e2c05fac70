"""Boolean conditions of at-rules: `not`, `and`, `or` and parentheses (Media Queries Level 4, section 3)."""

from collections.abc import Callable
from typing import Any

from assay.html.css.css_syntax import Tokens, format_value, strip_whitespace

MAX_DEPTH = 10  # nesting of parentheses

type Evaluate = Callable[[str], bool | None]  # of the text in the innermost parentheses; None: unknown


def evaluate_condition(tokens: Tokens, evaluate: Evaluate, depth: int = 0) -> bool | None:
    """Return the value of a condition in three-valued logic; None if it is unknown or not valid."""
    if not tokens or depth > MAX_DEPTH:
        return None
    if is_word(tokens[0], "not"):
        value = _evaluate_term(tokens[1], evaluate, depth) if len(tokens) == 2 else None
        return None if value is None else not value
    joints = tokens[1::2]
    if len(tokens) % 2 == 0 or not (
        all(is_word(one, "and") for one in joints) or all(is_word(one, "or") for one in joints)
    ):
        return None
    values = [_evaluate_term(term, evaluate, depth) for term in tokens[::2]]
    decisive = bool(joints) and is_word(joints[0], "or")
    if decisive in values:
        return decisive
    return None if None in values else not decisive


def _evaluate_term(token: Any, evaluate: Evaluate, depth: int) -> bool | None:
    if token.type == "function":
        return evaluate(f"{token.lower_name}({format_value(token.arguments)})")
    if token.type != "() block":
        return None
    inner = strip_whitespace(token.content)
    if inner and (inner[0].type == "() block" or is_word(inner[0], "not")):
        return evaluate_condition(inner, evaluate, depth + 1)
    return evaluate(f"({format_value(token.content)})")


def is_word(token: Any, word: str) -> bool:
    return bool(token.type == "ident" and token.lower_value == word)
