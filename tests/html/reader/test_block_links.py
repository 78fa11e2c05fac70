"""The markdown of links around several blocks."""

import pytest

from assay.html.parser.html_tree import parse_html
from assay.html.reader.main_content import collect_blocks, find_base_url
from assay.html.reader.markdown_renderer import MarkdownRenderer

URL = "https://shop.example/"


def markdown(html: str) -> str:
    tree = parse_html(html)
    page = collect_blocks(tree)
    return MarkdownRenderer(page, find_base_url(tree, URL)).render(page.blocks)


CARDS = {
    "a card's title has its link": (
        '<a href="/pot"><div><img src="/p.png" alt="A white pot"></div><p>New</p><h3>Teapot</h3><p>Holds a <b>litre</b>.</p></a>',
        "![A white pot](https://shop.example/p.png)\n\nNew\n\n### [Teapot](https://shop.example/pot)\n\nHolds a **litre**.",
    ),
    "the first words of a card without a title have it": (
        '<ul><li><a href="/pot"><div>Teapot</div>\n<div>$20</div></a><li><a href="/cup"><div>Cup</div><div>$5</div></a></ul>',
        "- [Teapot](https://shop.example/pot)\n\n  $20\n- [Cup](https://shop.example/cup)\n\n  $5",
    ),
    "pictures without words keep it once": (
        '<a href="/pot"><div><img src="/a.png" alt="Front"></div><div><img src="/b.png" alt="Back"></div></a>',
        "[![Front](https://shop.example/a.png)](https://shop.example/pot)\n\n![Back](https://shop.example/b.png)",
    ),
    "emphasis around the link stays": (
        '<b><a href="/pot"><div>Teapot</div><div>$20</div></a></b>',
        "**[Teapot](https://shop.example/pot)**\n\n**$20**",
    ),
    "two links to one page both stay": (
        '<p><a href="/pot">Teapot</a></p><p><a href="/pot">Buy it</a></p>',
        "[Teapot](https://shop.example/pot)\n\n[Buy it](https://shop.example/pot)",
    ),
    "a link behind such a block stays": (
        '<a href="/pot"><h3>Teapot</h3><div>$20</div></a> or <a href="/cup">a cup</a>',
        "### [Teapot](https://shop.example/pot)\n\n$20\n\nor [a cup](https://shop.example/cup)",
    ),
}


@pytest.mark.parametrize(("html", "expected"), CARDS.values(), ids=CARDS)
def test_a_link_around_several_blocks_is_written_once(html, expected):
    assert markdown(html) == expected
