"""The style that a document carries itself: style elements, and sheets linked or imported through `data:` URLs."""

import base64
import binascii
import re
from urllib.parse import unquote

from lxml.html import HtmlElement

from assay.html.css import declarations, media_queries

MAX_IMPORTS = 40  # imported sheets per document
MAX_IMPORT_DEPTH = 4  # nesting of imports
DATA_URL = re.compile(r"\s*data:\s*text/css\s*(?P<more>(?:;[^,;]{0,80}){0,4}),(?P<body>.*)", re.IGNORECASE | re.DOTALL)
BASE64 = re.compile(r";\s*base64\s*$", re.IGNORECASE)
# What may precede an import, and an import: its URL and its conditions (CSS Cascade Level 5, section 2).
BEFORE_IMPORT = re.compile(r"\s*(?:@charset\s[^;{}]{0,80};|@layer\s[^;{}]{0,400};)", re.IGNORECASE)
IMPORT = re.compile(
    r"""\s*@import\s*(?:url\(\s*(?:"(?P<quoted>[^"]*)"|'(?P<single>[^']*)'|(?P<bare>[^)"']*))\s*\)|"(?P<text>[^"]*)"|'(?P<other>[^']*)')"""
    r"(?P<conditions>[^;{}]{0,500})(?:;|\Z)",
    re.IGNORECASE,
)
LAYER = re.compile(r"\blayer(?:\s*\([^()]*\)|\b)|\bsupports\s*\((?:[^()]|\([^()]*\))*\)", re.IGNORECASE)


def is_external(link: HtmlElement) -> bool:
    """Return whether the link refers to a style sheet that the document does not contain."""
    return "stylesheet" in (link.get("rel") or "").lower() and not DATA_URL.match((link.get("href") or "")[:200])


def collect_style_text(root: HtmlElement) -> str:
    """Return the text of all style sheets in document order."""
    budget = [MAX_IMPORTS]
    texts = (_sheet_text(element, budget) for element in root.iter("style", "link") if _applies(element))
    return "\n}\n".join(text for text in texts if text)


def _sheet_text(element: HtmlElement, budget: list[int]) -> str:
    text = (element.text or "") if element.tag == "style" else _decode_data_url(element.get("href") or "")
    return _with_imports(declarations.strip_comments(text), budget, MAX_IMPORT_DEPTH)


def _with_imports(text: str, budget: list[int], levels: int) -> str:
    """Return a style sheet preceded by the sheets it imports through `data:` URLs."""
    if "@import" not in text[: declarations.MAX_CHARACTERS].lower():
        return text
    parts: list[str] = []
    place = 0
    while opening := BEFORE_IMPORT.match(text, place) or IMPORT.match(text, place):
        place = opening.end()
        if opening.re is IMPORT and levels and budget[0] > 0:
            budget[0] -= 1
            names = ("quoted", "single", "bare", "text", "other")
            address = next((opening[name] for name in names if opening[name]), "")
            if media_queries.matches_screen(LAYER.sub(" ", opening["conditions"]).strip()):
                parts.append(_with_imports(declarations.strip_comments(_decode_data_url(address)), budget, levels - 1))
    return "\n}\n".join([*parts, text[place:]])


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


def _applies(element: HtmlElement) -> bool:
    """Return whether a style or link element applies on a screen."""
    parent = element.getparent()
    while parent is not None:
        if parent.tag in ("noscript", "svg", "template"):
            return False
        parent = parent.getparent()
    if not media_queries.matches_screen(element.get("media") or ""):
        return False
    if element.tag == "style":
        return (element.get("type") or "text/css").strip().lower() == "text/css"
    rel = (element.get("rel") or "").lower().split()
    return "stylesheet" in rel and "alternate" not in rel and element.get("disabled") is None
