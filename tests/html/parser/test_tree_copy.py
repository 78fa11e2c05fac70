"""The tree of a page is the same whether the extension module builds it or Python copies it."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assay.html.parser import tree_copy
from assay.html.parser._element_tree import ElementFields, build_tree
from assay.html.parser.html_element import HtmlElement, HtmlRoot
from assay.html.parser.html_tree import _parse
from assay.html.parser.tree_copy import NestingLimitError, copy_tree

PIECES = [
    "<div>", "<p class=a>", "</div>", "</p>", "one", " &amp;amp; &lt;b&gt; &quot;", "<b id=b>", "</b>", "<br>", "<ul><li>",
    "<img alt='a \"quoted\" > <b> & \t\n&#13;'>", "<a b\"c=1 =d=2 e'f <g=3 :h @i=j>", "<x\"y>", "<o:p>", "</o:p>", "<A HREF>",
    "<script>if (a < b && c) { '</p>' }</script>", "<script><!--<script></script>-->", "</script>", "<style>a>b{c:'<'}</style>",
    "<noscript><p>without <b>scripts</noscript>", "<noscript>", "</noscript>", "<noscript>a<noscript>&lt;b&gt;</noscript>", "<template><i>inside</i>text</template>",
    "<svg viewBox='0 0 1 1' xmlns:xlink=a><use xlink:href='#a'/>", "<foreignObject>", "</svg>", "<math><mi>x", "</math>",
    "<svg><style>b{</style><![CDATA[<b>&amp;]]>", "<!-- comment --> after", "<?target data?> after", "<table><tr><td>", "</table>",
    "é\xa0\u200b😀", "\r\n\t", "<plaintext>", "<iframe><p>", "</iframe>", "<html lang=en xml:lang=de xmlns=x>", "<body hidden>",
    "<textarea>\n\n", "<a title='b>c' rel=d>", "</textarea>", "<select><option>", "<p style=color:red role=list popover>", "&#x80;&#0;&nosuch;",
]  # fmt: skip


def describe(copy, root, depth):
    """Return all that readers see of the tree, and whether it is whole."""
    try:
        tree, is_whole = copy(root, depth), True
    except NestingLimitError as error:
        tree, is_whole = error.copy, False
    place = {element: number for number, element in enumerate(tree.elements)}
    links = [[place.get(getattr(e, name)) for name in ("parent", "previous", "first", "next")] for e in tree.elements]
    return is_whole, [(e.tag, e.attributes, e.text, e.tail) for e in tree.elements], links


@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join), st.sampled_from((4, 6, 256)))
@example("<svg><style>x</style>y<noscript>a<b c=d>e</noscript>", 256)
@example("<svg><noscript>a<!-- b -->c</noscript><noscript>a<?b?>c", 4)
def test_both_ways_give_the_same_tree(html, depth):
    root = _parse(html)
    assert describe(copy_tree, root, depth) == describe(tree_copy._copy_nodes, root, depth)


def test_a_noscript_element_in_another_leaves_its_content_which_is_not_parsed_again():
    outer = next(copy_tree(_parse("<noscript>a<noscript id=b>&lt;i&gt;<b>c</noscript>d"), 256).iter("noscript"))
    assert [(e.tag, e.text) for e in outer.iter()] == [("noscript", "a<i>"), ("b", "c")]


def test_every_piece_alone_gives_the_same_tree():
    for html in PIECES:
        root = _parse(html)
        assert describe(copy_tree, root, 256) == describe(tree_copy._copy_nodes, root, 256), html


@pytest.mark.parametrize(
    "markup",
    [
        b"",
        b" ",
        b">",
        b"<",
        b"<p",
        b"<p>",
        b"<p a",
        b'<p a="',
        b'<p a="b"',
        b"<p><b></b>",
        b"x",
        b'<p a="b"x>',
        b"<?x",
    ],
)
def test_markup_that_ends_early_is_refused(markup):
    with pytest.raises(ValueError, match="not canonical XML"):
        build_tree(markup, HtmlRoot, HtmlElement, 256, bytes)


def test_what_is_no_element_cannot_be_linked_to_one():
    with pytest.raises(TypeError):
        HtmlElement("p", {}, "parent")
    with pytest.raises(TypeError):
        build_tree(b"<p></p>", HtmlRoot, str, 256, bytes)
    with pytest.raises(TypeError):
        ElementFields()


def test_a_failure_inside_a_noscript_element_is_reported():
    def fail(_):
        raise MemoryError("as if there were no more")

    with pytest.raises(MemoryError):
        build_tree(b"<p><noscript>x</noscript></p>", HtmlRoot, HtmlElement, 256, fail)
