"""Copies the tree that turbohtml parsed into lxml."""

import re
from collections.abc import Iterable, Sequence

from lxml import etree
from lxml.html import HtmlElement
from turbohtml import DocumentFragment, Element, Node, Text, parse_fragment

MAX_ATTRIBUTES = 500  # per element: lxml takes quadratic time in their number
STYLING_ATTRIBUTES = frozenset(("bgcolor", "class", "color", "hidden", "id", "style"))  # kept beyond the limit
INVALID_IN_TAG = re.compile(r"""[&<>/"'\s{}]""")  # lxml refuses these in the names of elements
ELEMENT_CLASSES = etree.ElementDefaultClassLookup(element=HtmlElement)


class NestingLimitError(Exception):
    """The page nests more deeply than the copy may; `copy` has what comes before."""

    def __init__(self, copy: HtmlElement) -> None:
        super().__init__("the page nests too deeply")
        self.copy = copy


def copy_to_lxml(root: Element, max_depth: int) -> HtmlElement:
    """Return a copy of the elements and texts of the tree; raise NestingLimitError if it has more levels."""
    parser = etree.HTMLParser()
    parser.set_element_class_lookup(ELEMENT_CLASSES)
    copy: HtmlElement = parser.makeelement(root.tag, _read_attributes(root))
    last: HtmlElement | None = None  # the child that was last appended to the element at the end of `pending`
    pending = [(copy, iter(root.children))]  # each open element of the copy, and the nodes to copy into it
    while pending:
        parent, nodes = pending[-1]
        for node in nodes:
            if type(node) is Text:
                if last is None:
                    parent.text = (parent.text or "") + node.data
                else:
                    last.tail = (last.tail or "") + node.data
            elif type(node) is Element:
                last = _append_element(parent, node)
                if children := _list_children(node):
                    if len(pending) == max_depth:
                        raise NestingLimitError(copy)
                    pending.append((last, iter(children)))
                    last = None
                    break
        else:
            pending.pop()
            last = parent
    return copy


def _append_element(parent: HtmlElement, element: Element) -> HtmlElement:
    """Append a copy of the element, with a placeholder for each invalid character of its name."""
    tag, attributes = element.tag, _read_attributes(element) if element.attrs else None
    try:
        return etree.SubElement(parent, tag, attributes)
    except ValueError:
        return etree.SubElement(parent, INVALID_IN_TAG.sub("_", tag), attributes)


def _read_attributes(element: Element) -> dict[str, str]:
    names: Iterable[str] = element.attrs
    if len(element.attrs) > MAX_ATTRIBUTES:
        names = [name for place, name in enumerate(names) if place < MAX_ATTRIBUTES or name in STYLING_ATTRIBUTES]
    attribute = element.attr  # `attrs` has lists for the values of some attributes
    attributes = {name: attribute(name) or "" for name in names}
    if "{" in "".join(attributes):  # lxml takes what stands in braces for a namespace: `{}style` would be `style`
        attributes = {name: value for name, value in attributes.items() if "{" not in name}
    return attributes


def _list_children(element: Element) -> Sequence[Node]:
    """Return the child nodes; of `noscript` those that its text has as markup, of `template` those of its fragment."""
    children = element.children
    if children:
        if element.tag == "noscript":
            return parse_fragment(element.text, positions=False, scripting=True).children
        if isinstance(children[0], DocumentFragment):
            return children[0].children
    return children
