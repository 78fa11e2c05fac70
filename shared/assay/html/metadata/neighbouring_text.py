"""The pieces of text around a heading, in the order they are read."""

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple, cast

from lxml.etree import XPath
from lxml.html import HtmlElement

SKIPPED = {
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
AFTER, AFTER_IN_FORUM, BEFORE = 30, 90, 12  # pieces of text looked at on either side of the heading


class Piece(NamedTuple):
    """A text and the element whose own text it is."""

    element: HtmlElement
    text: str


def after(heading: HtmlElement, most: int) -> Iterator[Piece]:
    """What is read after the heading, piece by piece, without menus and scripts."""
    seen = 0
    node: HtmlElement | None = heading
    while node is not None and seen < most:
        if node is not heading and node.tag == "body":
            return
        if node.tail and node.tail.strip():
            yield Piece(node, node.tail.strip())
            seen += 1
        for sibling in node.itersiblings():
            for piece in islice(_pieces(sibling), most - seen):
                yield piece
                seen += 1
            if sibling.tail and sibling.tail.strip():
                yield Piece(sibling, sibling.tail.strip())
        node = node.getparent()


def before(heading: HtmlElement, most: int = BEFORE) -> list[Piece]:
    """The last pieces read before the heading, nearest first."""
    found: list[Piece] = []
    node: HtmlElement | None = heading
    for _ in range(4):
        if node is None or node.tag == "body":
            break
        for sibling in node.itersiblings(preceding=True):
            found.extend(reversed(list(islice(_pieces(sibling), 40))))
            if len(found) >= most:
                return found[:most]
        node = node.getparent()
    return found[:most]


def _pieces(element: HtmlElement) -> Iterator[Piece]:
    """What is read in the element, which has no tail of its own here."""
    if element.tag in SKIPPED:
        return
    yield from _own(element)
    around = [(element, iter(element))]
    while around:
        holder, children = around[-1]
        for child in children:
            if child.tag not in SKIPPED:
                yield from _own(child)
                if len(child):
                    around.append((child, iter(child)))
                    break
            yield from _tail(child, holder)
        else:
            around.pop()
            if around:
                yield from _tail(holder, around[-1][0])


def _own(element: HtmlElement) -> tuple[Piece, ...]:
    text = (element.text or "").strip()
    if text or (element.tag == "time" and element.get("datetime")):
        return (Piece(element, text),)
    return ()


def _tail(element: HtmlElement, holder: HtmlElement) -> tuple[Piece, ...]:
    text = (element.tail or "").strip()
    return (Piece(holder, text),) if text else ()


def find_first_elements(path: XPath, tree: HtmlElement, most: int) -> list[HtmlElement]:
    """The first elements on a path."""
    return cast("list[HtmlElement]", path(tree))[:most]
