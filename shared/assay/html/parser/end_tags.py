"""End tags that our parser takes otherwise than browsers: those it passes over, and those that end a page early."""

import re
from collections.abc import Iterable
from typing import Any

from lxml import etree

from assay.html.parser.tag_scanner import TAG
from assay.text.word_lists import parse_words

# What their end tag ends for a browser, whatever `div` was left open inside; our parser passes over such an end tag.
ENDING = parse_words(
    "address article aside blockquote button center dd details dialog dir dl dt fieldset figcaption figure footer h1 "
    "h2 h3 h4 h5 h6 header hgroup li listing main menu nav ol pre search section summary ul"
)
BORDERS = parse_words("table caption td th template object")  # which no end tag from within looks beyond
LISTS = frozenset(("ul", "ol"))
TRACKED = ENDING | BORDERS | {"div"}
MISMATCH = "Opening and ending tag mismatch: "
REACH = 60  # open elements that an end tag looks back over
PAGE_END = re.compile(r"</(?:body|html)\s*>", re.IGNORECASE)
TAIL = 100  # characters that may follow the end of a page and be nothing


def within_page(html: str) -> str:
    """The same page without ends of it before its end: what follows belongs to it all the same."""
    end = PAGE_END.search(html)
    if end is None or len(html) - end.start() < TAIL:
        return html
    return html[: end.start()] + PAGE_END.sub("", html[end.start() :])


def passed_over(log: Iterable[Any]) -> bool:
    """Whether the parser met an end tag that it passed over and a browser would not."""
    return any(
        error.type == etree.ErrorTypes.ERR_TAG_NAME_MISMATCH
        and error.message.startswith(MISMATCH)
        and error.message.rstrip().endswith(" and div")
        and error.message[len(MISMATCH) :].partition(" ")[0] in ENDING
        for error in log
    )


def close_open_divs(html: str) -> str:
    """The same page, where each `div` that is left open inside another element ends before that element's end tag."""
    open_names: list[str] = []
    pieces, done = [], 0
    for tag in TAG.finditer(html):
        name = (tag["name"] or "").lower()
        if name not in TRACKED or tag["opaque"]:
            continue
        missing = 0
        if tag["slash"]:
            missing = _end(open_names, name)
        elif not tag.group().endswith("/>"):
            if name == "li":
                missing = _end_before(open_names)
            open_names.append(name)
        if missing:
            pieces += [html[done : tag.start()], "</div>" * missing]
            done = tag.start()
    return "".join(pieces) + html[done:] if pieces else html


def _end(open_names: list[str], name: str) -> int:
    """End the nearest element of this name, with all that is open inside; how many `div` that takes along."""
    borders = LISTS | BORDERS if name == "li" else BORDERS
    inside = 0
    for place in range(len(open_names) - 1, max(-1, len(open_names) - 1 - REACH), -1):
        found = open_names[place]
        if found == name:
            del open_names[place:]
            return inside if name in ENDING else 0
        if found in borders and name not in BORDERS:
            return 0
        inside += found == "div"
    return 0


def _end_before(open_names: list[str]) -> int:
    """End the item that a new one follows, if only `div` are open inside it; how many that are."""
    for place in range(len(open_names) - 1, max(-1, len(open_names) - 1 - REACH), -1):
        if open_names[place] != "div":
            if open_names[place] == "li":
                inside = len(open_names) - 1 - place
                del open_names[place:]
                return inside
            return 0
    return 0
