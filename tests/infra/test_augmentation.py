"""A page in disguise says what the page says, in other markup or another script."""

import pytest
from infra.training.augmentation import KINDS, augment, augment_text
from infra.training.tree_conversion import from_lxml, to_lxml

from assay.html.parser.html_tree import parse_html
from assay.html.reader.main_content import collect_blocks
from assay.text.unspaced_words import WORD_OR_LETTER

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
    expected = augment_text(text_of(parse_html(PAGE)), kind)
    assert "".join(text_of(from_lxml(tree)).split()) == "".join(expected.split())
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


def test_text_without_spaces_keeps_numbers_addresses_and_words_that_mark_boilerplate():
    text = augment_text("Related: 3 terns, 2.5 km off. Terns fly https://birds.example/a.b\nAgain", "unspaced")
    ideographs = WORD_OR_LETTER.findall(text)
    assert text.startswith("相关：3 ")
    assert "，2.5 " in text
    assert text.count("\n") == 1
    assert "https://birds.example/a.b" in text
    assert text.count(augment_text("terns", "unspaced")) == 2
    assert 12 <= len(ideographs) <= 32
