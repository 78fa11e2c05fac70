"""The style that a document carries itself: style elements, and sheets linked or imported through `data:` URLs."""

import base64
import binascii
import re
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import unquote

import tinycss2

from assay.html.css import declarations, media_queries
from assay.html.css.css_syntax import (
    ESCAPE_OR_STRING,
    UNQUOTED_URL,
    find_brace,
    split_list,
    strip_comments,
    tokenize,
)
from assay.html.css.shadow_trees import ShadowTrees
from assay.html.parser.html_element import HtmlElement, HtmlRoot

MAX_IMPORTS = 40  # imported sheets per document
MAX_IMPORT_DEPTH = 4  # nesting of imports
DATA_URL = re.compile(r"\s*data:\s*text/css\s*(?P<more>(?:;[^,;]{0,80}){0,4}),(?P<body>.*)", re.IGNORECASE | re.DOTALL)
BASE64 = re.compile(r";\s*base64\s*$", re.IGNORECASE)
MAX_CONDITIONS = 500  # characters of the conditions of an import
MAX_KEYWORD = 100  # characters of the keyword of an at-rule, with its escapes
AT_RULE_FIRST = re.compile(r"\s*+@")  # imports come before all rules
ADDRESS = re.compile(rf"{ESCAPE_OR_STRING}|[uU][rR][lL]{UNQUOTED_URL}", re.DOTALL)
LAYER = re.compile(r"\blayer(?:\s*\([^()]*\)|\b)|\bsupports\s*\((?:[^()]|\([^()]*\))*\)", re.IGNORECASE)


def is_external(link: HtmlElement) -> bool:
    """Return whether the link refers to a style sheet that the document does not contain."""
    return "stylesheet" in (link.get("rel") or "").lower() and not DATA_URL.match((link.get("href") or "")[:200])


class Sheet(NamedTuple):
    """The text of a style sheet, and the number of the shadow trees that it is for."""

    text: str
    tree: int | None = None  # None for the document


def collect_sheets(root: HtmlElement, trees: ShadowTrees) -> tuple[Sheet, ...]:
    """Return every style sheet in document order; one that several shadow trees have is in it once."""
    budget = [MAX_IMPORTS, declarations.MAX_CHARACTERS]
    sheets: list[Sheet] = []
    for element in root.iter("style", "link"):
        if _applies(element, trees.shadow_roots):
            text = (element.text or "") if element.tag == "style" else _decode_data_url(element.get("href") or "")
            shadow_root = next(element.iterancestors("template"), None)
            number = None if shadow_root is None else trees.add_sheet(text, shadow_root)
            if shadow_root is None or number is not None:
                _add_sheet(sheets, Sheet(text, number), budget, MAX_IMPORT_DEPTH)
    return tuple(sheets)


def collect_names(root: HtmlRoot) -> set[str]:
    """Return the classes of a document as `.class` and its ids as `#id`."""
    return {"." + name for name in root.class_names} | {"#" + name for name in root.collect_values("id")}


def _add_sheet(sheets: list[Sheet], sheet: Sheet, budget: list[int], levels: int) -> None:
    """Add a sheet after those it imports through `data:` URLs; `budget` has the imports and characters left."""
    text = strip_comments(sheet.text[: budget[1]])
    budget[1] -= len(text)
    if levels and AT_RULE_FIRST.match(text):
        for statement in _leading_statements(text):
            if (address := _imported_address(statement)) and budget[0] > 0:
                budget[0] -= 1
                _add_sheet(sheets, Sheet(_decode_data_url(address), sheet.tree), budget, levels - 1)
    if text and not text.isspace():
        sheets.append(Sheet(text, sheet.tree))


def _leading_statements(text: str) -> Iterator[str]:
    """Yield the at-rules before the first rule with a block."""
    for statement in split_list(text[: find_brace(text, 0)], ";"):
        if not statement.lstrip().startswith("@"):
            return
        yield statement.strip()


def _imported_address(statement: str) -> str:
    """Return the address in an `@import` that applies; "" for another at-rule (CSS Cascade Level 5, section 2)."""
    found = ADDRESS.search(statement)
    while found and found[0][0] == "\\":  # an escape in the keyword
        found = ADDRESS.search(statement, found.end())
    if found is None or found.start() > MAX_KEYWORD:
        return ""
    keyword, _, before = statement[: found.start()].partition("(")  # `url(` before a string
    words = tokenize(keyword.lower().removesuffix("url"))
    if not words or words[0].type != "at-keyword" or words[0].lower_value != "import" or before.strip():
        return ""
    conditions = statement[found.end() :].lstrip().removeprefix(")" if "(" in statement[: found.start()] else "")
    if not media_queries.matches_screen(LAYER.sub(" ", conditions[:MAX_CONDITIONS]).strip()):
        return ""
    return str(getattr(tinycss2.parse_one_component_value(found[0]), "value", ""))


def _decode_data_url(address: str) -> str:
    """Return the style sheet in a `data:` URL (RFC 2397), "" for any other URL."""
    found = DATA_URL.match(address[: declarations.MAX_CHARACTERS])
    if found is None:
        return ""
    body = unquote(found["body"])
    if not BASE64.search(found["more"]):
        return body
    try:
        return base64.b64decode("".join(body.split()) + "==").decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        return ""


def _applies(element: HtmlElement, shadow_roots: frozenset[HtmlElement]) -> bool:
    """Return whether a style or link element applies on a screen."""
    attributes = element.attributes
    if element.tag == "style":
        if (attributes.get("type") or "text/css").strip().lower() != "text/css":
            return False
    else:
        rel = (attributes.get("rel") or "").lower().split()
        if "stylesheet" not in rel or "alternate" in rel or "disabled" in attributes:
            return False
    if not media_queries.matches_screen(attributes.get("media") or ""):
        return False
    return all(around in shadow_roots for around in element.iterancestors("noscript", "svg", "template"))
