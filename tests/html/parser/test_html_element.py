"""The elements of a page answer as lxml's do, and their memory is free when a reader has finished with them."""

import gc
import weakref

from hypothesis import given, settings
from hypothesis import strategies as st
from infra.training.tree_conversion import from_lxml, to_lxml

from assay.html.parser.html_element import HtmlElement, HtmlRoot
from assay.html.parser.html_tree import parse_html

PIECES = st.sampled_from(
    ["<div>", "<p class=a>", "</div>", "</p>", "one", " two ", "<b id=b>", "</b>", "<br>", "<ul><li>", "<img alt=c>"]
)


def describe(root):
    """Return what each way through the tree finds, as the places of the elements in document order."""
    elements = list(root.iter())
    place = {element: number for number, element in enumerate(elements)}
    at = [
        (
            element.tag, element.text, element.tail, sorted(element.keys()), len(element),
            [place[other] for other in element.iter("p", "b")],
            [place[other] for other in element.iterdescendants()],
            [place[other] for other in element.iterancestors()],
            [place[other] for other in element.iterchildren(reversed=True)],
            [place[other] for other in element.itersiblings()],
            [place[other] for other in element.itersiblings("p", preceding=True)],
            place.get(element.getnext()), place.get(element.getprevious()), place.get(element.getparent()),
            place.get(element.find("p")), [*element.itertext()],
        )
        for element in elements
    ]  # fmt: skip
    return at, [place[element] for element in root.iter("li")], root.text_content()


@settings(max_examples=60, deadline=None)
@given(st.lists(PIECES, max_size=30))
def test_every_way_through_the_tree_is_as_in_lxml(pieces):
    root = parse_html("".join(pieces))
    copy = to_lxml(root)
    assert describe(root) == describe(copy) == describe(from_lxml(copy))


class WatchedElement(HtmlElement):
    """An element that shows when its memory is free."""

    __slots__ = ("__weakref__",)


def test_an_unlinked_tree_needs_no_garbage_collection():
    root = HtmlRoot("html")
    inner = WatchedElement("body", parent=root)
    root.elements += [inner, HtmlElement("p", parent=inner)]
    watch = weakref.ref(inner)
    gc.disable()
    try:
        with root:
            assert len(list(root.iter("p"))) == 1
            del root, inner
        assert watch() is None
    finally:
        gc.enable()
