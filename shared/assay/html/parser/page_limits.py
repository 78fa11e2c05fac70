"""Limits on what a page may cost to parse: characters, tags and the elements that unclosed formatting tags multiply."""

import re
from collections import Counter
from itertools import pairwise

try:
    from assay.html.parser._page_scan import is_ordinary
except ImportError:  # the extension module is not built: every page takes the way of those that need a change

    def is_ordinary(html: str, max_tags: int, max_elements: int, max_roots: int, /) -> bool:  # noqa: ARG001
        return False


MAX_CHARACTERS = 8 * 1024 * 1024
MAX_TAGS = 150_000
MAX_ELEMENTS = 600_000  # by the estimate below, which came to 430,000 for the largest of 1,497 pages of the web
MAX_ROOT_TAGS = 20  # the parser takes quadratic memory to collect the attributes of repeated html and body tags

# Bytes of control characters, which are no text. A form feed separates attributes as a space does.
CONTROLS = bytes(code for code in range(32) if code not in b"\t\n\f\r")
FORM_FEED = bytes.maketrans(b"\f", b" ")
CONTROL_REFERENCE = re.compile(
    r"&#(?:0*(?:[0-8]|1[124-9]|2\d|3[01]|6553[45])(?!\d)|x0*(?:[0-8bcef]|1[\da-f]|fff[ef])(?![\da-f]));?", re.IGNORECASE
)
ROOT_TAG = re.compile(r"<(?=(?:html|body)[\s/>])", re.IGNORECASE)

# Formatting elements, which the parser opens again in each block that follows until they are closed (the HTML
# Standard, section 13.2.4.3). Of `a` at most one is open.
FORMATTING = "b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u"
SPACE = r" \t\n\f\r"
ATTRIBUTE = rf"""[{SPACE}]++[^{SPACE}<>"'=/]++(?:=(?:"[^"<>]*+"|'[^'<>]*+'|[^{SPACE}<>"'=]++))?+"""
FORMATTING_START = re.compile(rf"<(?:{FORMATTING})(?=[{SPACE}/>])", re.IGNORECASE | re.ASCII)
# A formatting tag whose attributes are well formed, so that it plainly ends here, and perhaps its text and end tag.
FORMATTING_TAG = re.compile(
    rf"(<({FORMATTING})(?:{ATTRIBUTE})*+[{SPACE}]*+/?>)([^<]*+</\2>)?+", re.IGNORECASE | re.ASCII
)
MAX_EQUAL_FORMATTING = 3  # equal formatting elements that the parser opens again ("Noah's Ark clause")
PARSER_DEPTH = 512  # levels of elements that the parser keeps open


def limit_page(html: str) -> str:
    """Return the part of the page that can be parsed within the limits, without control characters."""
    html = html[:MAX_CHARACTERS]
    if is_ordinary(html, MAX_TAGS, MAX_ELEMENTS, MAX_ROOT_TAGS):
        return html
    return change_page(html)


def is_shortened(html: str, limited: str) -> bool:
    """Return whether the limits left out tags or text of the page."""
    return len(html) > MAX_CHARACTERS or (limited is not html and limited.count("<") < html.count("<"))


def change_page(html: str) -> str:
    """Cut the page, remove characters and rename tags until it is within the limits."""
    html = _cut_tags(_remove_controls(html), MAX_TAGS)
    html = _cut_tags(html, MAX_ELEMENTS // max(1, _count_open_formatting(html)))
    return _rename_repeated_roots(html)


def _cut_tags(html: str, max_tags: int) -> str:
    """Cut the page after so many tags."""
    if len(html) <= max_tags or html.count("<") <= max_tags:
        return html
    return "<".join(html.split("<", max_tags)[:max_tags])


def _remove_controls(html: str) -> str:
    try:
        encoded = html.encode()
    except UnicodeEncodeError:  # half of a surrogate pair
        html = html.encode("utf-8", "replace").decode()
        encoded = html.encode()
    cleaned = encoded.translate(FORM_FEED, CONTROLS)
    if cleaned != encoded or "\ufffe" in html or "\uffff" in html:
        html = cleaned.decode().replace("\ufffe", "").replace("\uffff", "")
    return CONTROL_REFERENCE.sub("", html) if "&#" in html else html


def _count_open_formatting(html: str) -> int:
    """Return an upper bound for the elements that the parser may open again for each tag that follows."""
    starts = len(FORMATTING_START.findall(html))
    if starts * html.count("<") <= MAX_ELEMENTS:
        return starts
    well_formed, equal = 0, Counter[str]()
    for tag, _, closed in FORMATTING_TAG.findall(html):
        well_formed += 1
        if not closed:
            equal[tag] += 1
    count = starts - well_formed + sum(min(MAX_EQUAL_FORMATTING, number) for number in equal.values())
    return min(count, PARSER_DEPTH)


def _rename_repeated_roots(html: str) -> str:
    """Rename the `html` and `body` tags that exceed the limit to a name that has no meaning."""
    places = [tag.end() for tag in ROOT_TAG.finditer(html)][MAX_ROOT_TAGS:]
    return "x-".join(html[start:end] for start, end in pairwise([0, *places, len(html)]))
