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
POST_CLASSES = frozenset(("postcontent", "messageText"))  # of quotations that are whole posts: vBulletin 4, XenForo 1
MAX_LIST_LEVELS = 3  # elements between an item and its list
ITEM_STYLE = re.compile(r"(?:^|[;\s])mso-list\s*:\s*l\d{1,6}\s+level([1-9])", re.IGNORECASE)
MARKER_STYLE = re.compile(r"(?:^|[;\s])mso-list\s*:\s*ignore", re.IGNORECASE)
# The same in a filtered export: a hanging paragraph, and blanks in a small font behind its bullet or number.
HANGING_STYLE = re.compile(r"text-indent\s*:\s*-", re.IGNORECASE)
MARGIN_STYLE = re.compile(r"(?<![\w-])margin-left\s*:\s*(\d{0,3}\.?\d{1,3})(in|pt|cm)\b", re.IGNORECASE)
GAP_STYLE = re.compile(r"(?<![\w-])font\s*:\s*7(?:\.0)?pt\b", re.IGNORECASE)
LEVEL_WIDTHS = {"in": 0.5, "pt": 36.0, "cm": 1.27}  # of one level of items
MAX_LEVEL = 9
MAX_MARKER_TEXTS = MAX_MARKER_CHARACTERS = 20  # longer content is text


def find_role_tag(element: HtmlElement, tag: str, parent: Frame) -> str:
    """Return the tag of the HTML element that this one stands for, or its own."""
    if tag == "p":
        return "li" if find_item_level(element) else tag
    if tag == "blockquote":
        return tag if POST_CLASSES.isdisjoint((element.attributes.get("class") or "").split()) else "div"
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
    if not style:
        return 0
    if "mso-list" in style.lower():
        found = ITEM_STYLE.search(style)
        return int(found[1]) if found else 0
    if HANGING_STYLE.search(style) is None or not (element.first is not None and _holds_marker(element.first)):
        return 0
    margin = MARGIN_STYLE.search(style)
    return min(max(1, round(float(margin[1]) / LEVEL_WIDTHS[margin[2].lower()])), MAX_LEVEL) if margin else 1


def _holds_marker(element: HtmlElement) -> bool:
    """Return whether the element holds a bullet or number, and the gap behind it, as a filtered export writes them."""
    gap = element.first
    if element.tag != "span" or gap is None or gap.next is not None or not (element.text or "").strip():
        return False
    return GAP_STYLE.search(gap.attributes.get("style") or "") is not None and not "".join(gap.itertext()).strip()


def read_typed_marker(element: HtmlElement) -> str | None:
    """Return the bullet or number that an inline element in such an item holds; None for other elements."""
    style = element.attributes.get("style")
    if (not style or MARKER_STYLE.search(style) is None) and not _holds_marker(element):
        return None
    marker = "".join("".join(islice(element.itertext(), MAX_MARKER_TEXTS)).split())
    return marker if len(marker) <= MAX_MARKER_CHARACTERS else None
