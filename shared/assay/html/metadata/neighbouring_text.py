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


def iter_pieces_after(heading: HtmlElement, limit: int) -> Iterator[Piece]:
    """Yield up to `limit` pieces after the heading, without navigation and scripts."""
    count = 0
    node: HtmlElement | None = heading
    while node is not None and count < limit:
        if node is not heading and node.tag == "body":
            return
        if node.tail and node.tail.strip():
            yield Piece(node, node.tail.strip())
            count += 1
        for sibling in node.itersiblings():
            for piece in islice(_iter_pieces(sibling), limit - count):
                yield piece
                count += 1
            if sibling.tail and sibling.tail.strip():
                yield Piece(sibling, sibling.tail.strip())
        node = node.getparent()


def collect_pieces_before(heading: HtmlElement, limit: int = PIECES_BEFORE) -> list[Piece]:
    """Return up to `limit` pieces before the heading, nearest first."""
    pieces: list[Piece] = []
    node: HtmlElement | None = heading
    for _ in range(4):
        if node is None or node.tag == "body":
            break
        for sibling in node.itersiblings(preceding=True):
            pieces.extend(reversed(list(islice(_iter_pieces(sibling), 40))))
            if len(pieces) >= limit:
                return pieces[:limit]
        node = node.getparent()
    return pieces[:limit]


def _iter_pieces(element: HtmlElement) -> Iterator[Piece]:
    """Yield the pieces inside the element, without its tail."""
    if element.tag in SKIPPED_TAGS:
        return
    yield from _extract_own_text(element)
    around = [(element, iter(element))]
    while around:
        holder, children = around[-1]
        for child in children:
            if child.tag not in SKIPPED_TAGS:
                yield from _extract_own_text(child)
                if child.first is not None:
                    around.append((child, iter(child)))
                    break
            yield from _extract_tail_text(child, holder)
        else:
            around.pop()
            if around:
                yield from _extract_tail_text(holder, around[-1][0])


def _extract_own_text(element: HtmlElement) -> tuple[Piece, ...]:
    text = (element.text or "").strip()
    if text or (element.tag == "time" and element.get("datetime")):
        return (Piece(element, text),)
    return ()


def _extract_tail_text(element: HtmlElement, holder: HtmlElement) -> tuple[Piece, ...]:
    text = (element.tail or "").strip()
    return (Piece(holder, text),) if text else ()
