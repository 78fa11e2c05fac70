"""Copies the tree that turbohtml parsed into elements that a reader reaches at no cost.

The extension module builds them from the canonical XML that turbohtml writes of its tree. Where it is not built, they
are copied one by one, with the same result.
"""

from collections.abc import Iterable, Iterator, Sequence

from turbohtml import Comment, DocumentFragment, Element, Node, Text, parse_fragment

from assay.html.parser.element_fields import NO_ATTRIBUTES
from assay.html.parser.html_element import HtmlElement, HtmlRoot

try:
    from assay.html.parser._element_tree import build_tree
except ImportError:
    build_tree = None  # type: ignore[assignment]

MAX_ATTRIBUTES = 500  # per element: turbohtml takes quadratic time to read them one by one
WITH_OTHER_CONTENT = frozenset(("noscript", "template"))  # their child nodes are text or a fragment
STYLING_ATTRIBUTES = frozenset(("bgcolor", "class", "color", "hidden", "id", "style"))  # kept beyond the limit


class NestingLimitError(Exception):
    """The page nests more deeply than the copy may; `copy` has what comes before."""

    def __init__(self, copy: HtmlRoot) -> None:
        super().__init__("the page nests too deeply")
        self.copy = copy


def copy_tree(root: Element, max_depth: int) -> HtmlRoot:
    """Return a copy of the elements and texts of the tree; raise NestingLimitError if it has more levels.

    Declarations of namespaces are left out.
    """
    if build_tree is None:
        return _copy_nodes(root, max_depth)
    copy, is_whole = build_tree(root.canonicalize(), HtmlRoot, HtmlElement, max_depth, _canonicalize_noscript)
    if not is_whole:
        raise NestingLimitError(copy)
    return copy


def _canonicalize_noscript(text: str) -> bytes:
    return _parse_noscript(text).canonicalize()


def _parse_noscript(text: str) -> Element:
    """Parse what browsers without scripts read; of inner `noscript` elements, which say nothing more, the content."""
    return parse_fragment(text, positions=False, scripting=False).strip_tags("noscript")


def _copy_nodes(root: Element, max_depth: int) -> HtmlRoot:
    copy = HtmlRoot(root.tag, _read_attributes(root))
    elements = copy.elements
    last: HtmlElement | None = None  # the child that was last appended to the element at the end of `pending`
    pending: list[tuple[HtmlElement, Iterator[Node]]] = [(copy, iter(root.children))]  # open elements, nodes to copy
    while pending:
        parent, nodes = pending[-1]
        for node in nodes:
            if type(node) is Text:
                if last is None:
                    parent.text = (parent.text or "") + node.data
                else:
                    last.tail = (last.tail or "") + node.data
            elif type(node) is Element:
                tag = node.tag
                last = HtmlElement(tag, _read_attributes(node), parent, last)
                elements.append(last)
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


def _read_attributes(element: Element) -> dict[str, str]:
    declared = element.attrs
    count = len(declared)
    if not count:
        return NO_ATTRIBUTES
    names: Iterable[str] = declared
    if count > MAX_ATTRIBUTES:
        names = [name for place, name in enumerate(declared) if place < MAX_ATTRIBUTES or name in STYLING_ATTRIBUTES]
    attribute = element.attr  # `attrs` has lists for the values of some attributes
    return {name: attribute(name) or "" for name in names if not name.startswith("xmlns")} or NO_ATTRIBUTES


def _list_children(element: Element) -> Sequence[Node]:
    """Return the child nodes; none if they are comments alone."""
    children = element.children
    if children and element.tag in WITH_OTHER_CONTENT:
        children = _list_other_content(element, children)
    return children if any(type(child) in (Element, Text) for child in children) else ()


def _list_other_content(element: Element, children: Sequence[Node]) -> Sequence[Node]:
    """Return what the text of a `noscript` element has as markup, or what a template holds.

    A `noscript` element in a drawing has elements, not their markup.
    """
    if element.tag == "noscript" and all(type(child) in (Text, Comment) for child in children):
        return _parse_noscript(element.text).children
    return children[0].children if isinstance(children[0], DocumentFragment) else children
