"""A page in disguise says what the page says, in other markup."""

import pytest
from infra.training.augmentation import KINDS, augment
from infra.training.tree_conversion import from_lxml, to_lxml

from assay.html.parser.html_tree import parse_html
from assay.html.reader.main_content import collect_blocks

URL = "https://birds.example/terns"
PAGE = """<html><head><title>Terns</title><meta property="og:type" content="article">
<script type="application/ld+json">{"@type": "Article"}</script></head><body>
<header id="top"><nav class="menu"><a href="/">Birds</a></nav></header>
<main><article class="post"><h1>Terns <i>fly</i> far</h1><div class="text"><p>They dive for <b>small</b> fish.</p>
<p>They nest on sand.</p><ul><li><p>Arctic</p></li><li>Little</li></ul></div><div><p>One</p><p>Two</p></div></article></main>
<footer>Imprint</footer></body></html>"""


def text_of(html_or_tree):
    return " ".join(" ".join(block.text.split()) for block in collect_blocks(html_or_tree).blocks)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(8))
def test_a_disguise_keeps_every_word_in_its_place(kind, seed):
    tree = to_lxml(parse_html(PAGE))
    address = augment(tree, URL, kind, str(seed))
    assert text_of(from_lxml(tree)) == text_of(parse_html(PAGE))
    assert address in (URL, "https://example.com/")


def test_a_plain_page_names_nothing_and_says_nothing_of_itself():
    tree = to_lxml(parse_html(PAGE))
    augment(tree, URL, "plain", "")
    assert not tree.xpath("//@class | //@id | //article | //nav | //header | //footer | //main | //@property")
    assert "Article" not in "".join(tree.itertext())


def test_an_old_page_has_tables_breaks_and_bold_titles():
    trees = [to_lxml(parse_html(PAGE)) for _ in range(20)]
    for seed, tree in enumerate(trees):
        augment(tree, URL, "old", str(seed))
    for path in ("//table/tr/td", "//br", "//div/b[starts-with(., 'Terns')]"):
        assert 0 < sum(bool(tree.xpath(path)) for tree in trees) < len(trees)


def test_the_same_seed_gives_the_same_disguise():
    first, second = to_lxml(parse_html(PAGE)), to_lxml(parse_html(PAGE))
    assert augment(first, URL, "mixed", "a") == augment(second, URL, "mixed", "a")
    assert [element.tag for element in first.iter()] == [element.tag for element in second.iter()]
