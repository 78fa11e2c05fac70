"""Style declarations and the rules of a sheet (CSS Syntax Module Level 3), limited to what can hide text.

tinycss2 parses every body with an escape or an unusual bracket; the others are split here, in a tenth of the time.
"""

import re
from collections.abc import Iterator, Mapping
from operator import itemgetter
from typing import NamedTuple

import tinycss2

from assay.html.css import media_queries
from assay.html.css.cascade_layers import UNLAYERED, Layer, LayerOrder
from assay.html.css.compiled_rule_scan import cut_rules
from assay.html.css.conditions import evaluate_condition
from assay.html.css.css_syntax import (
    MAX_TOKENIZED,
    find_brace,
    format_value,
    split_list,
    strip_comments,
    strip_whitespace,
    tokenize,
)
from assay.html.css.rule_scan import PLAIN_CONTENT, PLAIN_PARENTHESES, PLAIN_TEXT, STRING
from assay.html.css.value_validity import is_valid
from assay.text.lengths import evaluate_math
from assay.text.short_text_cache import cache_short

MAX_CHARACTERS = 2_000_000  # characters of style read per document
MAX_NESTED_SELECTORS = 400  # characters of the selectors of a nested rule

HTML_COMMENT_MARKS = re.compile(r"\s*(?:(?:<!--|-->)\s*)+")  # old convention that hid styles from browsers without CSS
# An at-rule that opens a block after no other statement, or the end of a block.
PLAIN_BRACE = re.compile(rf"\s*+(?:(?P<prelude>@(?:[^{{}}()\[\]\"'\\;]++|{PLAIN_PARENTHESES})*+)\{{|\}})")
# What a block that does not apply holds, as a whole: declarations, and rules within each other on two levels.
SKIPPED_CONTENT = re.compile(rf"(?:{PLAIN_CONTENT}|\{{(?:{PLAIN_CONTENT}|\{{(?:{PLAIN_CONTENT})*+\}})*+\}})*+\}}")
# A body that a cut at semicolons parses, once its strings are empty.
PLAIN_ARGUMENT = r""""[^"\\\n()]*+"|'[^'\\\n()]*+'|[^{}()\[\]"'\\;]++"""
PLAIN_BODY = re.compile(
    rf"(?:{PLAIN_TEXT}++|{STRING}|\((?:{PLAIN_ARGUMENT}|\((?:{PLAIN_ARGUMENT}|\((?:{PLAIN_ARGUMENT})*+\))*+\))*+\))*+"
)
QUOTED = re.compile(STRING)
# Its semicolons, as those of embedded images, separate nothing.
PLAIN_URL = re.compile(r"(?<![^\0-,./:-@\[-\^`{-\x7f])url\([^\0-\x20\"'()\\\x7f]*+\)", re.IGNORECASE)
LOWERABLE = re.compile(r"--[\w-]+|[A-Z]+")
SCOPE = re.compile(r"\s*\(((?:[^()]|\([^()]*\)){1,400})\)")
CONTAINER = re.compile(r"^\s*(?!not\b)[\w-]+\s+(?=\()")
AT_RULE = re.compile(r"@([a-zA-Z-]+)\s*(.*)", re.DOTALL)
SUPPORTED_DECLARATION = re.compile(r"\(\s*([a-z-]+)\s*:\s*(.*)\)")
MATH_PROPERTIES = frozenset(
    ("font-size", "opacity", "zoom", "height", "width", "max-height", "max-width", "block-size", "inline-size")
)
# A variable of the browser that there is not, with what to use instead.
UNKNOWN_ENVIRONMENT = re.compile(
    r"\benv\(\s*(?!safe-area|titlebar-area|keyboard-inset|viewport-segment)[\w-]+\s*,\s*([^()]{1,200})\)"
)
IMPORTANT = re.compile(r"!\s*important\s*$", re.IGNORECASE)

type Declarations = Mapping[str, tuple[str, bool]]  # property: (value, is important), both in lower case


@cache_short(2048)  # the same bodies recur in a document, in those of a site, and in those of a publishing system
def parse_declarations(body: str) -> Declarations:
    """Parse the declarations of a rule or style attribute; the later of two wins unless the earlier is important."""
    found: dict[str, tuple[str, bool]] = {}
    pieces = _split_plain(body)
    for declaration in _parse_with_tokens(body) if pieces is None else map(parse_declaration, pieces):
        if declaration is not None:
            name, value = declaration
            if value[1] or name not in found or not found[name][1]:
                found[name] = value
    return found


def read_custom_declarations(body: str) -> Mapping[str, str]:
    """Return the custom properties that a body declares."""
    pieces = None if "!" in body else _split_plain(body)
    if pieces is None:
        return {name: value for name, (value, _) in parse_declarations(body).items() if name[:2] == "--"}
    found = {}
    for piece in pieces:
        if "--" in piece:
            name, colon, value = piece.partition(":")
            if colon and (name := name.strip())[:2] == "--":
                found[name] = to_lower(value.strip())
    return found


def _split_plain(body: str) -> list[str] | None:
    """Return the declarations of a body that a cut at semicolons parses; None for another body."""
    if len(body) <= MAX_TOKENIZED and not _is_plain(body):
        body = PLAIN_URL.sub("url()", body) if "/*" not in body else body
        if not _is_plain(body):
            return None
    if '"' in body or "'" in body:
        body = QUOTED.sub('""', body)
    return body.split(";")


def _is_plain(body: str) -> bool:
    return "/*" not in body and PLAIN_BODY.fullmatch(body) is not None


@cache_short(8192)  # far fewer declarations than bodies are distinct
def parse_declaration(text: str) -> tuple[str, tuple[str, bool]] | None:
    """Return the property, its value and whether it is important; None for an invalid declaration."""
    name, colon, value = text.partition(":")
    if not colon:
        return None
    plain_value, important = _split_important(value.strip())
    return _check_declaration(to_lower(name).strip(), to_lower(plain_value), important)


def _check_declaration(name: str, value: str, important: bool) -> tuple[str, tuple[str, bool]] | None:
    if "(" in value:
        value = UNKNOWN_ENVIRONMENT.sub(r"\1", value) if "env(" in value else value
        value = evaluate_math(value) if name in MATH_PROPERTIES else value
    return (name, (value, important)) if is_valid(name, value) else None


def to_lower(text: str) -> str:
    """Return a text in lower case, except custom properties, whose names are case-sensitive."""
    lowered = text.lower()
    if lowered == text or "--" not in text:
        return lowered
    return LOWERABLE.sub(lambda found: found[0] if found[0][0] == "-" else found[0].lower(), text)


def _split_important(value: str) -> tuple[str, bool]:
    """Return a value without `!important`, and whether it had it."""
    if "!" not in value:
        return value, False
    plain = IMPORTANT.sub("", value)
    return plain.strip(), plain != value


def _parse_with_tokens(body: str) -> Iterator[tuple[str, tuple[str, bool]] | None]:
    for node in tinycss2.parse_blocks_contents(body, skip_comments=True, skip_whitespace=True):
        if node.type == "declaration":
            name = node.name if node.name.startswith("--") else node.lower_name
            yield _check_declaration(name, format_value(node.value), node.important)


HAS_SELECTORS = itemgetter(0)


class OpenRuleBlock(NamedTuple):
    """A block whose end is still to come."""

    selectors: str | None  # "" for a transparent block, None for a skipped one
    layer: Layer


OUTERMOST = OpenRuleBlock("", UNLAYERED)


def list_rules(css: str, layers: LayerOrder | None = None) -> list[tuple[str, str, Layer]]:
    """Return (selector list, body, layer) of every style rule that applies on the assumed screen."""
    css = strip_comments(css[:MAX_CHARACTERS])
    layers = LayerOrder() if layers is None else layers
    found: list[tuple[str, str, Layer]] = []
    open_blocks: list[OpenRuleBlock] = []
    codes = css.encode("ascii", "replace")
    has_marks = "<!--" in css or "-->" in css
    start = 0
    while start < len(css):
        outer = open_blocks[-1] if open_blocks else OUTERMOST
        rules, start = cut_rules(css, codes, start, outer.layer)
        if outer.selectors != "" or has_marks:
            rules = [(_effective_selectors(rule[0], outer.selectors) or "", *rule[1:]) for rule in rules]
        found += filter(HAS_SELECTORS, rules)
        if start < len(css):
            start, selectors, body = _cut_at_brace(css, start, open_blocks, layers)
            start = _skip_block(css, start, open_blocks)
            if selectors and body and not body.isspace():
                found.append((selectors, body, outer.layer))
    return found


def _skip_block(css: str, start: int, open_blocks: list[OpenRuleBlock]) -> int:
    """Return the position after a block that has just been opened, if it does not apply and its end is plain.

    Tried once for each block, so that the time grows with the sheet alone.
    """
    if open_blocks and open_blocks[-1].selectors is None and css[start - 1 : start] == "{":
        skipped = SKIPPED_CONTENT.match(css, start)
        if skipped:
            open_blocks.pop()
            return skipped.end()
    return start


def _cut_at_brace(
    css: str, start: int, open_blocks: list[OpenRuleBlock], layers: LayerOrder
) -> tuple[int, str | None, str]:
    """Open or close a block at the next brace; return the position after it, and the declarations before it after their
    selectors.
    """
    outer = open_blocks[-1] if open_blocks else OUTERMOST
    if (plain := PLAIN_BRACE.match(css, start)) and (open_blocks or plain["prelude"]):
        if plain["prelude"]:
            open_blocks.append(_open_block(plain["prelude"], outer, layers))
        else:
            open_blocks.pop()
        return plain.end(), outer.selectors, ""
    brace = find_brace(css, start)
    while not open_blocks and css[brace : brace + 1] == "}":  # a brace that closes nothing belongs to the next selector
        brace = find_brace(css, brace + 1)
    text = css[start:brace]
    if "@" in text and outer.selectors == "":
        for statement in split_list(text, ";")[:-1]:
            layers.declare(outer.layer, statement)
    if css[brace : brace + 1] == "{":
        *declared, prelude = split_list(text, ";")
        open_blocks.append(_open_block(prelude, outer, layers))
        text = ";".join(declared)
    elif open_blocks:
        open_blocks.pop()
    return brace + 1, outer.selectors, text


def _open_block(prelude: str, outer: OpenRuleBlock, layers: LayerOrder) -> OpenRuleBlock:
    selectors = _effective_selectors(prelude, outer.selectors)
    at = AT_RULE.match(prelude.strip()) if selectors is not None and "layer" in prelude.lower() else None
    is_layer = at is not None and at[1].lower() == "layer"
    return OpenRuleBlock(selectors, layers.enter(outer.layer, at[2]) if at and is_layer else outer.layer)


def _effective_selectors(prelude: str, outer: str | None) -> str | None:
    if outer is None:
        return None
    prelude = prelude.strip()
    if not outer and ("<!--" in prelude or "-->" in prelude) and (marks := HTML_COMMENT_MARKS.match(prelude)):
        prelude = prelude[marks.end() :]
    if prelude.startswith("@") and (at := AT_RULE.match(prelude)):
        if at[1].lower() == "scope" and (limits := SCOPE.match(at[2])):
            return _nest_selectors(outer, limits[1])
        return outer if _applies(at[1].lower(), at[2].strip()) else None
    return _nest_selectors(outer, prelude)


def _nest_selectors(outer: str, prelude: str) -> str | None:
    """Return the selectors of a rule combined with the rules around it. https://www.w3.org/TR/css-nesting-1/"""
    if not outer:
        return prelude
    if len(outer) + len(prelude) > MAX_NESTED_SELECTORS:
        return None
    return ",".join(
        _replace_nesting_selector(inner, before) if "&" in inner else f"{before} {inner.strip()}"
        for before in split_list(outer)
        for inner in split_list(prelude)
    )


def _replace_nesting_selector(inner: str, outer: str) -> str:
    """Return a selector with `&` replaced by the selector around it, in `:is()` where the two would grow together."""
    if inner.lstrip().startswith("&") and inner.count("&") == 1:
        return inner.replace("&", outer.strip())
    return inner.replace("&", f":is({outer.strip()})")


def _applies(name: str, condition: str) -> bool:
    """Return whether the content of an at-rule applies."""
    if name == "media":
        return media_queries.matches_screen(condition)
    if name == "container":  # treated as wide as the screen, since no layout is computed
        condition = CONTAINER.sub("", condition).replace("inline-size", "width").replace("block-size", "height")
        return media_queries.matches_screen(condition)
    if name == "supports":
        return _is_supported_condition(condition)
    return name in ("layer", "scope")


@cache_short(256)
def _is_supported_condition(condition: str) -> bool:
    return evaluate_condition(strip_whitespace(tokenize(condition)), _is_supported) is not False


def _is_supported(text: str) -> bool:
    """Return whether a browser supports the feature; only values that are known to be invalid are not supported."""
    found = SUPPORTED_DECLARATION.fullmatch(text)
    return found is None or is_valid(found[1], found[2].strip())
