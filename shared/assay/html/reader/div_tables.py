"""Tables that pages write with `div` elements, by the names of classes that several programs share.

Javadoc writes the cells of all rows in one grid, after the heads of the columns.
"""

from assay.html.parser.html_element import HtmlElement
from assay.html.reader.text_blocks import Frame
from assay.text.word_lists import parse_words

TABLES = parse_words("two-column-summary three-column-summary divTable")
TABLE, ROW = "table", "table-row"  # the first one only around the second, because many other elements have it
TAG_BY_NAME = {
    "table-header-group": "thead", ROW: "tr", "divTableRow": "tr", "table-cell": "td", "divTableCell": "td",
    "table-header": "th", "divTableHead": "th", "col-first": "td", "col-second": "td", "col-last": "td",
    "col-constructor-name": "td", "col-summary-item-name": "td",
}  # fmt: skip
TABLE_NAMES = TABLES | TAG_BY_NAME.keys()
MAX_GROUPS = 2  # elements between a table and its first row


def find_table_tag(element: HtmlElement, parent: Frame) -> str:
    """Return the tag of the part of a table that a `div` stands for, or ""."""
    names = (element.attributes.get("class") or "").split()
    if not TABLES.isdisjoint(names) or (TABLE in names and _has_rows(element)):
        return "table"
    table = parent.table
    if table is None or table.element.tag == "table":
        return ""
    return next((TAG_BY_NAME[name] for name in names if name in TAG_BY_NAME), "")


def _has_rows(element: HtmlElement) -> bool:
    """Return whether the element begins with a row, which may be in a group."""
    inner = element.first
    for _ in range(MAX_GROUPS):
        if inner is None:
            break
        if ROW in (inner.attributes.get("class") or "").split():
            return True
        inner = inner.first
    return False
