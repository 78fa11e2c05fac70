"""The pieces of text around a heading, in reading order."""

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from assay.html.parser.html_element import HtmlElement

SKIPPED_TAGS = {
    "script",
    "style",
    "noscript",
    "template",
    "svg",
    "nav",
    "footer",
    "form",
    "select",
    "button",
    "iframe",
    "aside",
}
PIECES_AFTER, PIECES_AFTER_IN_FORUM, PIECES_BEFORE = 30, 90, 12  # number of pieces read on each side of the heading


class Piece(NamedTuple):
    """A text and the element that directly contains it."""

    element: HtmlElement
    text: str


def collect_pieces_after(heading: HtmlElement, limit: int) -> list[Piece]:
    """Return up to `limit` pieces after the heading, without navigation and scripts."""
    pieces: list[Piece] = []
    left = limit  # texts between siblings do not count
    node: HtmlElement | None = heading
    while node is not None and left > 0:
        if node is not heading and node.tag == "body":
            break
        if node.tail and (text := node.tail.strip()):
            pieces.append(Piece(node, text))
            left -= 1
        sibling = node.next
        while sibling is not None:
            found = [*islice(_iter_pieces(sibling), left)]
            left -= len(found)
            pieces += found
            if sibling.tail and (text := sibling.tail.strip()):
                pieces.append(Piece(sibling, text))
            sibling = sibling.next
        node = node.parent
    return pieces


def collect_pieces_before(heading: HtmlElement, limit: int = PIECES_BEFORE) -> list[Piece]:
    """Return up to `limit` pieces before the heading, nearest first."""
    pieces: list[Piece] = []
    node: HtmlElement | None = heading
    for _ in range(4):
        if node is None or node.tag == "body":
            break
        for sibling in node.itersiblings(preceding=True):
            pieces += [*islice(_iter_pieces(sibling), 40)][::-1]
            if len(pieces) >= limit:
                return pieces[:limit]
        node = node.parent
    return pieces[:limit]


def _iter_pieces(element: HtmlElement) -> Iterator[Piece]:
    """Yield the pieces inside the element, without its tail."""
    node = element
    while True:
        is_read = node.tag not in SKIPPED_TAGS
        text = node.text.strip() if is_read and node.text else ""
        if text or (node.tag == "time" and node.attributes.get("datetime")):
            yield Piece(node, text)
        if is_read and node.first is not None:
            node = node.first
            continue
        while node is not element:  # to the next element, out of those that end here
            holder = node.parent
            assert holder is not None
            if node.tail and (text := node.tail.strip()):
                yield Piece(holder, text)
            if node.next is not None:
                node = node.next
                break
            node = holder
        else:
            return
