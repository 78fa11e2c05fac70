"""HTML text to a tree of elements, as browsers build it, with bounded work.

turbohtml parses as the HTML Standard says (section 13.2, parsing HTML documents). Around it, `page_limits` bounds what
a page may cost, and `tree_copy` copies the parsed tree into the elements that the readers use.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import turbohtml

from assay.html.parser.garbage_collection import pause_collection
from assay.html.parser.html_element import HtmlRoot
from assay.html.parser.nesting_limiter import flatten_nesting
from assay.html.parser.page_limits import PARSER_DEPTH, is_shortened, limit_page
from assay.html.parser.tree_copy import NestingLimitError, copy_tree

MAX_DEPTH = 256  # levels of the tree; a page that nests deeper is flattened
MAX_FLATTENED_DEPTH = PARSER_DEPTH - 1  # beyond it the parser may have left an element out of its stack


@contextmanager
def open_html(html: str) -> Iterator[HtmlRoot]:
    """Parse `html` for a reader, and free the memory of the page when it has finished.

    Meanwhile the garbage collector pauses: what a reader makes of a page is not garbage, and a collection would go
    through all of it.
    """
    with pause_collection():
        tree = parse_html(html)
        try:
            yield tree
        finally:
            tree.unlink()


@pause_collection()
def parse_html(html: str) -> HtmlRoot:
    """Parse `html` and return the `html` element; an empty document if there is neither markup nor text.

    Never raises on malformed markup. Comments and processing instructions are dropped.
    """
    limited = limit_page(html)
    try:
        tree = copy_tree(_parse(limited), MAX_DEPTH)
    except NestingLimitError:
        tree = _parse_deep_page(limited)
    tree.is_cut = tree.is_cut or is_shortened(html, limited)
    return tree


def _parse_deep_page(html: str) -> HtmlRoot:
    """Flatten the page; if it still has too many levels, drop what follows.

    Deeper than its own limit the parser takes the end tags of inner elements for those of outer ones, so text that
    follows may be hidden by an element that seems to have ended.
    """
    try:
        return copy_tree(_parse(flatten_nesting(html)), MAX_FLATTENED_DEPTH)
    except NestingLimitError as error:
        error.copy.is_cut = True
        return error.copy


def _parse(html: str) -> turbohtml.Element:
    """Parse as a browser with scripts does, which takes the content of `noscript` for text."""
    document = turbohtml.parse(html, positions=False, scripting=True, allow_declarative_shadow_roots=False)
    root = document.root
    assert root is not None  # the standard creates the element where the page does not
    return root
