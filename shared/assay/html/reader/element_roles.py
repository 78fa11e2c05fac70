"""Tables, lists, items and quotations that pages write with other elements than HTML has for them.

ARIA roles name them (WAI-ARIA 1.2, section 5.3); a word processor writes items as paragraphs with the style `mso-list`.
"""

import re
from itertools import islice

from assay.html.parser.html_element import HtmlElement
from assay.html.reader.text_blocks import Frame

TAG_BY_ROLE = {
    "table": "table", "grid": "table", "treegrid": "table", "row": "tr", "cell": "td", "gridcell": "td",
    "columnheader": "th", "rowheader": "th", "list": "ul", "listitem": "li",
}  # fmt: skip
OWNED_TAGS = frozenset(("tr", "td", "th"))  # which count only within a table by its role
CARRIERS = frozenset(("div", "section", "article"))
QUOTE_CLASS = "bbcode_quote"  # of a box in which vBulletin quotes a post
MAX_LIST_LEVELS = 3  # elements between an item and its list
ITEM_STYLE = re.compile(r"(?:^|[;\s])mso-list\s*:\s*l\d{1,6}\s+level([1-9])", re.IGNORECASE)
MARKER_STYLE = re.compile(r"(?:^|[;\s])mso-list\s*:\s*ignore", re.IGNORECASE)
MAX_MARKER_TEXTS = MAX_MARKER_CHARACTERS = 20  # longer content is text


def find_role_tag(element: HtmlElement, tag: str, parent: Frame) -> str:
    """Return the tag of the HTML element that this one stands for, or its own."""
    if tag == "p":
        return "li" if find_item_level(element) else tag
    stands_for = TAG_BY_ROLE.get(element.attributes.get("role") or "")
    if stands_for is None and tag == "div" and QUOTE_CLASS in (element.attributes.get("class") or "").split():
        return "blockquote"
    if stands_for is None or not (tag in CARRIERS or "-" in tag or (tag == "span" and stands_for in OWNED_TAGS)):
        return tag
    if stands_for in OWNED_TAGS:
        table = parent.table
        return stands_for if table is not None and table.element.tag != "table" else tag
    if stands_for == "li":
        return "li" if _is_in_list(parent) else tag
    return stands_for


def _is_in_list(frame: Frame | None) -> bool:
    for _ in range(MAX_LIST_LEVELS):
        if frame is None or frame.tag == "li":
            return False
        if frame.tag == "ul":
            return True
        frame = frame.parent
    return False


def find_item_level(element: HtmlElement) -> int:
    """Return the level, from 1, of an item that a word processor wrote; 0 for other elements."""
    style = element.attributes.get("style")
    found = ITEM_STYLE.search(style) if style and "mso-list" in style.lower() else None
    return int(found[1]) if found else 0


def read_typed_marker(element: HtmlElement) -> str | None:
    """Return the bullet or number that an inline element in such an item holds; None for other elements."""
    style = element.attributes.get("style")
    if not style or MARKER_STYLE.search(style) is None:
        return None
    marker = "".join("".join(islice(element.itertext(), MAX_MARKER_TEXTS)).split())
    return marker if len(marker) <= MAX_MARKER_CHARACTERS else None
