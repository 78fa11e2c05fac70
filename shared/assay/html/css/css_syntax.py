"""The syntax of style sheets (CSS Syntax Module Level 3): tokens from tinycss2, and how a text is cut before.

A sheet is cut into rules, and a list at its commas, by regular expressions that know strings, escapes, unquoted URLs
and brackets. Tokens of a whole sheet take up to 270 times its size in memory, so only single selectors, declarations
and conditions become tokens.
"""

import re
from collections.abc import Iterable
from typing import Any

import tinycss2

MAX_TOKENIZED = 20_000  # characters of a text that becomes tokens
MAX_DEPTH = 20  # nesting of functions and blocks in a value

ESCAPE_OR_STRING = r"""\\.|"(?:[^"\\\n]|\\.)*+"?|'(?:[^'\\\n]|\\.)*+'?"""
UNQUOTED_URL = r"""\((?<=[^\w\\-][uU][rR][lL]\()(?!\s*+["'])(?:[^)\\]|\\.)*+\)?"""
# Begins with a literal, as all other alternatives do: `re` then skips to their first characters.
COMMENT = r"/\*.*?(?:\*/|\Z)(?:/\*.*?(?:\*/|\Z))*+"
COMMENT_OR_TEXT = re.compile(f"{ESCAPE_OR_STRING}|{UNQUOTED_URL}|{COMMENT}", re.DOTALL)
# Single alternatives in place of a character class, so that `re` skips to the first characters of one of them.
BRACKET = re.compile(rf"{ESCAPE_OR_STRING}|{UNQUOTED_URL}|\{{|\}}|\(|\)|\[|\]", re.DOTALL)
BRACKET_OR_SEPARATOR = re.compile(rf"{ESCAPE_OR_STRING}|{UNQUOTED_URL}|\{{|\}}|\(|\)|\[|\]|,|;", re.DOTALL)
NAME_END = re.compile(r"[\w\\<!-]")
NAME_START = re.compile(r"[\w\\<!(-]")
NESTING = re.compile(r"""[\\"'(\[{]""")
CLOSING = {"(": ")", "[": "]", "{": "}"}

type Tokens = list[Any]  # component values of tinycss2


def strip_comments(css: str) -> str:
    """Return a text without comments; an empty one stays where the text around it would grow together."""
    return COMMENT_OR_TEXT.sub(_replace_comment, css) if "/*" in css else css


def _replace_comment(found: re.Match[str]) -> str:
    if found[0][:2] != "/*":
        return found[0]
    start, end = found.span()
    return "/**/" if NAME_END.match(found.string, start - 1) and NAME_START.match(found.string, end) else ""


def find_brace(css: str, position: int) -> int:
    """Return the position of the next brace outside other brackets; the end of the text if there is none."""
    closing: list[str] = []
    for found in BRACKET.finditer(css, position):
        text = found[0]
        if closing:
            if text == closing[-1]:
                closing.pop()
            elif text in CLOSING:
                closing.append(CLOSING[text])
        elif text in "{}":
            return found.start()
        elif text in CLOSING:
            closing.append(CLOSING[text])
    return len(css)


def split_list(text: str, separator: str = ",") -> list[str]:
    """Split a text at the separators outside strings and brackets."""
    if separator not in text or NESTING.search(text) is None:
        return text.split(separator)
    pieces: list[str] = []
    closing: list[str] = []
    start = 0
    for found in BRACKET_OR_SEPARATOR.finditer(text):
        token = found[0]
        if closing and token == closing[-1]:
            closing.pop()
        elif token in CLOSING:
            closing.append(CLOSING[token])
        elif token == separator and not closing:
            pieces.append(text[start : found.start()])
            start = found.end()
    return [*pieces, text[start:]]


def tokenize(text: str) -> Tokens:
    """Return the tokens of a selector, value or condition, with nested blocks; none if it is too long."""
    if len(text) > MAX_TOKENIZED:
        return []
    found: Tokens = tinycss2.parse_component_value_list(text, skip_comments=True)
    return found


def strip_whitespace(tokens: Iterable[Any]) -> Tokens:
    """Return the tokens that are not whitespace."""
    return [token for token in tokens if token.type not in ("whitespace", "comment")]


def format_value(tokens: Iterable[Any], depth: int = 0) -> str:
    """Return the text of tokens in lower case, without escapes and the contents of strings."""
    return "".join(_format_token(token, depth) for token in tokens).strip()


def _format_token(token: Any, depth: int) -> str:
    match token.type:
        case "ident":
            return str(token.value if token.value.startswith("--") else token.lower_value)
        case "string":
            return '""'
        case "url":
            return "url()"
        case "function" if depth < MAX_DEPTH:
            return f"{token.lower_name}({format_value(token.arguments, depth + 1)})"
        case "() block" | "[] block" | "{} block" if depth < MAX_DEPTH:
            return f"{token.type[0]}{format_value(token.content, depth + 1)}{token.type[1]}"
        case "function" | "() block" | "[] block" | "{} block":
            return "()"
        case "whitespace":
            return " "
    return str(token.serialize()).lower()
