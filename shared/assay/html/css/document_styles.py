"""The style that a document itself carries: style blocks, and sheets in `data:` addresses that it links or imports."""

import base64
import binascii
import re
from urllib.parse import unquote

from lxml.html import HtmlElement

from assay.html.css import declarations, media_queries

IMPORTS = 40  # sheets that one document imports
LEVELS = 4  # of sheets that import sheets
DATA = re.compile(r"\s*data:\s*text/css\s*(?P<more>(?:;[^,;]{0,80}){0,4}),(?P<body>.*)", re.IGNORECASE | re.DOTALL)
BASE64 = re.compile(r";\s*base64\s*$", re.IGNORECASE)
# What may stand before an import, and an import: its address, and the conditions behind it.
OPENING = re.compile(r"\s*(?:@charset\s[^;{}]{0,80};|@layer\s[^;{}]{0,400};)", re.IGNORECASE)
IMPORT = re.compile(
    r"""\s*@import\s*(?:url\(\s*(?:"(?P<quoted>[^"]*)"|'(?P<single>[^']*)'|(?P<bare>[^)"']*))\s*\)|"(?P<text>[^"]*)"|'(?P<other>[^']*)')"""
    r"(?P<conditions>[^;{}]{0,500})(?:;|\Z)",
    re.IGNORECASE,
)
LAYER = re.compile(r"\blayer(?:\s*\([^()]*\)|\b)|\bsupports\s*\((?:[^()]|\([^()]*\))*\)", re.IGNORECASE)


def is_external(link: HtmlElement) -> bool:
    """Whether the link leads to a sheet that the document does not carry itself."""
    return "stylesheet" in (link.get("rel") or "").lower() and not DATA.match((link.get("href") or "")[:200])


def style_of(root: HtmlElement) -> str:
    """The text of all sheets, in the order of the document."""
    purse = [IMPORTS]
    texts = (_text(element, purse) for element in root.iter("style", "link") if _applies(element))
    return "\n}\n".join(text for text in texts if text)


def _text(element: HtmlElement, purse: list[int]) -> str:
    said = (element.text or "") if element.tag == "style" else _decode_data_url(element.get("href") or "")
    return _with_imports(declarations.bare(said), purse, LEVELS)


def _with_imports(text: str, purse: list[int], levels: int) -> str:
    """A sheet behind those that it imports and that are carried in the address itself."""
    if "@import" not in text[: declarations.BYTES].lower():
        return text
    parts: list[str] = []
    place = 0
    while opening := OPENING.match(text, place) or IMPORT.match(text, place):
        place = opening.end()
        if opening.re is IMPORT and levels and purse[0] > 0:
            purse[0] -= 1
            names = ("quoted", "single", "bare", "text", "other")
            address = next((opening[name] for name in names if opening[name]), "")
            if media_queries.holds(LAYER.sub(" ", opening["conditions"]).strip()):
                parts.append(_with_imports(declarations.bare(_decode_data_url(address)), purse, levels - 1))
    return "\n}\n".join([*parts, text[place:]])


def _decode_data_url(address: str) -> str:
    """The sheet in a `data:` address, "" for any other address."""
    found = DATA.match(address[: declarations.BYTES])
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
    """Whether the sheet of a style or link element counts for a reader at a screen."""
    parent = element.getparent()
    while parent is not None:
        if parent.tag in ("noscript", "svg", "template"):
            return False
        parent = parent.getparent()
    if not media_queries.holds(element.get("media") or ""):
        return False
    if element.tag == "style":
        return (element.get("type") or "text/css").strip().lower() == "text/css"
    rel = (element.get("rel") or "").lower().split()
    return "stylesheet" in rel and "alternate" not in rel and element.get("disabled") is None
