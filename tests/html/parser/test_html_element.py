"""The elements of a page answer as lxml's do, and their memory is free when a reader has finished with them."""

import gc
import re
import weakref

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from infra.training.tree_conversion import from_lxml, to_lxml

from assay.html.parser import _element_tree, element_fields
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


@settings(max_examples=60, deadline=None)
@given(st.lists(PIECES, max_size=30))
def test_compiled_elements_iterate_as_those_in_python(pieces):
    pure = element_fields.ElementFields
    for element in parse_html("".join(pieces)).elements:
        assert [*element] == [*pure.__iter__(element)]
        assert (element.get("class"), element.get("id", "")) == (
            pure.get(element, "class"),
            pure.get(element, "id", ""),
        )
        for tags in [(), ("p",), ("b", "li"), ("body", "none")]:
            assert [*HtmlElement.iter(element, *tags)] == [*pure.iter(element, *tags)]
            assert [*element.iterdescendants(*tags)] == [*pure.iterdescendants(element, *tags)]
            assert [*element.iterancestors(*tags)] == [*pure.iterancestors(element, *tags)]


def test_an_iteration_ends_where_links_are_gone():
    root = parse_html("<div><p>a<p>b</div><p>c")
    descendants, ancestors = root.iterdescendants(), root.elements[-1].iterancestors()
    assert (next(descendants).tag, next(ancestors).tag) == ("head", "body")
    root.unlink()
    assert len([*descendants]) <= 1
    assert len([*ancestors]) <= 1


def test_wrong_arguments_of_a_lookup_are_errors():
    element = parse_html("<p class=a>").elements[-1]
    for arguments in [(), ("class", "", ""), ([],)]:
        with pytest.raises(TypeError):
            element.get(*arguments)


WANTED = ({}, {"class": {"a"}}, {"class": {"a"}, "alt": ("c", "d")}, {"id": frozenset("b"), "lang": ()})


@settings(max_examples=60, deadline=None)
@given(st.lists(PIECES, max_size=30))
def test_a_compiled_lookup_finds_what_one_in_python_finds(pieces):
    elements = parse_html("".join(pieces)).elements
    assert _element_tree.group_by_tag(elements) == element_fields.group_by_tag(elements)
    for name in ("class", "id", "lang"):
        assert _element_tree.collect_values(elements, name) == element_fields.collect_values(elements, name)
        for values in (("a",), {"b", "c"}):
            found = _element_tree.list_matching(elements, name, values)
            assert found == element_fields.list_matching(elements, name, values)
    assert _element_tree.group_by_attribute(elements) == element_fields.group_by_attribute(elements)
    for element in elements:
        for left_out in (frozenset(), frozenset(("li", "p"))):
            assert element.list_texts(left_out) == element_fields.list_texts(element, left_out)


@settings(max_examples=60, deadline=None)
@given(st.lists(PIECES, max_size=30))
def test_elements_are_found_by_tag_and_attributes_in_document_order(pieces):
    root = parse_html("".join(pieces))
    for names in [("class",), ("id", "class"), ("lang", "none", "id")]:
        assert root.list_with(*names) == [one for one in root.elements if not one.keys().isdisjoint(names)]
    for tags in [(), ("p",), ("none", "li", "p")]:
        assert not tags or [*root.iter(*tags)] == [one for one in root.elements if one.tag in tags]
        for wanted in WANTED:
            assert root.list_matching(wanted, *tags) == [
                one
                for one in root.elements
                if one.tag in tags or any(one.get(name) in values for name, values in wanted.items())
            ]


@pytest.mark.parametrize(
    "look_up",
    [
        _element_tree.group_by_tag,
        lambda elements: _element_tree.collect_values(elements, "id"),
        _element_tree.group_by_attribute,
        lambda elements: _element_tree.list_matching(elements, "id", "a"),
        lambda elements: _element_tree.list_texts(elements, frozenset()),
    ],
)
@pytest.mark.parametrize("elements", [None, (), ["p"]])
def test_a_lookup_in_something_else_than_elements_is_refused(look_up, elements):
    with pytest.raises(TypeError):
        look_up(elements)


def test_a_wanted_value_that_cannot_be_compared_is_an_error():
    with pytest.raises(TypeError):
        _element_tree.list_matching(parse_html("<p id=a>").elements, "id", 7)


def test_classes_are_found_by_a_part_of_their_name():
    root = parse_html("<p class='lead author-name'><b class=coauthors><i class='lead\tauthor-name'><u class=other><s>")
    assert root.find_classes(re.compile("author")) == {"lead author-name", "coauthors", "lead\tauthor-name"}
    assert root.find_classes(re.compile("^author|lead$", re.MULTILINE)) == {"lead author-name", "lead\tauthor-name"}
    assert root.find_classes(re.compile("editor")) == set()


def test_an_id_stands_for_the_only_element_that_has_it():
    root = parse_html("<p id=a><b id=b><i id=b>")
    assert root.by_id == {"a": next(root.iter("p")), "b": None}


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
        assert len(list(root.iter("p"))) == 1
        root.unlink()
        del root, inner
        assert watch() is None
    finally:
        gc.enable()
