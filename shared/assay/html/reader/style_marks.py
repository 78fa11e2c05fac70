"""The emphasis that editors of documents write as the style of inline elements."""

import re

from assay.html.parser.html_element import HtmlElement

BOLD = re.compile(r"font-weight\s*:\s*(?:bold|[6-9]00)", re.IGNORECASE)
ITALIC = re.compile(r"font-style\s*:\s*(?:italic|oblique)", re.IGNORECASE)
NOT_BOLD = re.compile(r"font-weight\s*:\s*(?:normal|[1-4]00)", re.IGNORECASE)


def find_style_mark(element: HtmlElement, tag: str) -> str | None:
    """Return the emphasis that the style of an inline element gives its text."""
    style = element.get("style")
    if tag == "b":
        return None if style and NOT_BOLD.search(style) else "strong"
    if not style or "font" not in style:
        return None
    return "strong" if BOLD.search(style) else "em" if ITALIC.search(style) else None
