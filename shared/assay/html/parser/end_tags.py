"""Repairs end tags that libxml2 handles differently from the HTML Standard, section 13.2.6 (tree construction).

libxml2 ignores an end tag when a `div` inside the element is still open, and ends the page at the first `</body>`.
"""

import re
from collections.abc import Iterable
from typing import Any

from lxml import etree

from assay.html.parser.tag_scanner import TAG
from assay.text.word_lists import parse_words

# Their end tag closes any `div` left open inside ("any other end tag" and the block end tags of 13.2.6.4.7).
CLOSES_DIVS = parse_words(
    "address article aside blockquote button center dd details dialog dir dl dt fieldset figcaption figure footer h1 "
    "h2 h3 h4 h5 h6 header hgroup li listing main menu nav ol pre search section summary ul"
)
SCOPE_MARKERS = parse_words(
    "table caption td th template object"
)  # scope markers: an end tag inside does not close an element outside (13.2.4.2)
LISTS = frozenset(("ul", "ol"))
TRACKED = CLOSES_DIVS | SCOPE_MARKERS | {"div"}
MISMATCH_PREFIX = "Opening and ending tag mismatch: "
MAX_LOOKBACK = 60  # open elements that an end tag is compared with
PAGE_END = re.compile(r"</(?:body|html)\s*>", re.IGNORECASE)
MAX_TRAILER = 100  # characters that may follow the end tag of the page; a page with more has content there


def strip_early_page_ends(html: str) -> str:
    """Return the page without the `</body>` and `</html>` tags that content follows, which the parser would drop."""
    end = PAGE_END.search(html)
    if end is None or len(html) - end.start() < MAX_TRAILER:
        return html
    return html[: end.start()] + PAGE_END.sub("", html[end.start() :])


def has_ignored_end_tag(log: Iterable[Any]) -> bool:
    """Return whether the parser's error log contains an end tag that it ignored and that the HTML Standard obeys."""
    return any(
        error.type == etree.ErrorTypes.ERR_TAG_NAME_MISMATCH
        and error.message.startswith(MISMATCH_PREFIX)
        and error.message.rstrip().endswith(" and div")
        and error.message[len(MISMATCH_PREFIX) :].partition(" ")[0] in CLOSES_DIVS
        for error in log
    )


def close_open_divs(html: str) -> str:
    """Return the page with each `div` left open inside another element closed before that element's end tag."""
    open_names: list[str] = []
    pieces, copied = [], 0
    for tag in TAG.finditer(html):
        name = (tag["name"] or "").lower()
        if name not in TRACKED or tag["opaque"]:
            continue
        missing = 0
        if tag["slash"]:
            missing = _close_element(open_names, name)
        elif not tag.group().endswith("/>"):
            if name == "li":
                missing = _close_previous_item(open_names)
            open_names.append(name)
        if missing:
            pieces += [html[copied : tag.start()], "</div>" * missing]
            copied = tag.start()
    return "".join(pieces) + html[copied:] if pieces else html


def _close_element(open_names: list[str], name: str) -> int:
    """Close the nearest open element of this name with its content; return how many `div` elements that closes."""
    markers = LISTS | SCOPE_MARKERS if name == "li" else SCOPE_MARKERS
    divs = 0
    for index in range(len(open_names) - 1, max(-1, len(open_names) - 1 - MAX_LOOKBACK), -1):
        open_name = open_names[index]
        if open_name == name:
            del open_names[index:]
            return divs if name in CLOSES_DIVS else 0
        if open_name in markers and name not in SCOPE_MARKERS:
            return 0
        divs += open_name == "div"
    return 0


def _close_previous_item(open_names: list[str]) -> int:
    """Close the open `li` that a new `li` follows if only `div` elements are open in it; return the number of those."""
    for index in range(len(open_names) - 1, max(-1, len(open_names) - 1 - MAX_LOOKBACK), -1):
        if open_names[index] != "div":
            if open_names[index] == "li":
                divs = len(open_names) - 1 - index
                del open_names[index:]
                return divs
            return 0
    return 0
