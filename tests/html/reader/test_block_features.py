"""The features of a block: its containers, the headings near it, and the declared article."""

import json

import pytest

from assay.html.parser.html_tree import parse_html
from assay.html.reader.block_features import NAMES, build_features
from assay.html.reader.class_hints import NameIndex
from assay.html.reader.container_names import INDEX_BY_TAG, NONE_AROUND, PURPOSES
from assay.html.reader.lexical_markers import ABOUT, COMMENTS, LEGAL, RELATED, SHARE, SIGN_UP, find_markers
from assay.html.reader.main_content import collect_blocks

URL = "https://news.example.org/2026/otters"
LONG = "The otters of the northern coast came back to the harbour after twelve years, and the fishermen counted them."


def describe_blocks(html: str) -> dict[str, dict[str, float]]:
    """Return the features of each block that is classified, by the beginning of its text."""
    tree = parse_html(html)
    page = collect_blocks(tree)
    rows, shared = build_features(page, tree, URL)
    return {
        block.text[:30]: dict(zip(NAMES, [number for part in (*row, shared) for number in part], strict=True))
        for block, row in zip(page.blocks, rows, strict=True)
        if row is not None
    }


def test_a_block_knows_how_much_of_the_page_its_nearest_container_of_a_purpose_holds():
    [purpose] = NameIndex(PURPOSES).find("testimonial")
    tag = INDEX_BY_TAG["section"]
    blocks = describe_blocks(
        f"<body><section><div class='testimonial'><p>One two three.</p><div><p>Four five six.</p></div></div>"
        f"<p>{LONG[:30]}</p><p>Seven eight.</p></section><p>Nine ten eleven.</p></body>"
    )
    inner, outer = blocks["Four five six."], blocks["Seven eight."]
    assert inner[f"share{purpose}"] == blocks["One two three."][f"share{purpose}"] == pytest.approx(6 / 17, abs=0.02)
    assert outer[f"share{purpose}"] == blocks["Nine ten eleven."][f"share{purpose}"] == NONE_AROUND
    assert inner[f"share{tag}"] == outer[f"share{tag}"] == pytest.approx(14 / 17, abs=0.02)
    assert blocks["Nine ten eleven."][f"share{tag}"] == NONE_AROUND


@pytest.mark.parametrize(
    ("text", "marker"),
    [
        ("Related articles", RELATED),
        ("» Lesen Sie auch:", RELATED),
        ("À lire aussi", RELATED),
        ("Читайте также", RELATED),
        ("関連記事", RELATED),
        ("この記事も読まれています", RELATED),
        ("大家都在看", RELATED),
        ("Xem thêm", RELATED),
        ("网友评论（12）", COMMENTS),
        ("扫一扫关注我们的微信公众号", SIGN_UP),
        ("海湾时报版权所有，未经授权不得使用", LEGAL),
        ("版权" + "水鸟在湿地里过冬" * 12, 0),
        ("12 Comments", COMMENTS),
        ("Schreibe einen Kommentar", COMMENTS),
        ("Compartir", SHARE),
        ("Zapisz się do newsletter", SIGN_UP),
        ("© 2026 Harbour Times", LEGAL),
        ("Impressum", LEGAL),
        ("Über den Autor", ABOUT),
        ("The otters returned", 0),
        ("Relatively few otters " * 30, 0),
    ],
)
def test_headings_of_boilerplate_are_found_in_many_languages(text, marker):
    assert find_markers(text) == marker


def test_a_text_has_the_same_features_in_a_script_without_spaces():
    english = describe_blocks(
        "<head><title>Otters are back</title></head><body><p>Otters are back, and they are happy.</p></body>"
    )
    chinese = describe_blocks(
        "<head><title>水獭回来了</title></head><body><p>水獭回来了，它们看上去很高兴。</p></body>"
    )
    [one], [two] = english.values(), chinese.values()
    for name in ("words", "density", "word_length", "punctuation", "ends", "titled"):
        assert two[name] == pytest.approx(one[name], rel=0.25), name


def test_a_section_of_related_pages_ends_with_the_next_heading_of_its_level():
    blocks = describe_blocks(
        "<body><h1>Otters</h1><p>Before it all.</p><h2>Related stories</h2><p>Seals asleep.</p><h3>Deeper</h3>"
        "<p>Whales awake.</p><h2>Diet</h2><p>They eat clams.</p><p>About us</p></body>"
    )
    under = f"marker{len([name for name in NAMES if name.startswith('marker')]) - 2}"
    depths = [blocks[text][under] for text in ("Before it all.", "Seals asleep.", "Whales awake.", "They eat clams.")]
    assert depths == [0, 2, 4, 0]
    since_related, until_about = "marker0", "marker5"
    assert [blocks[text][since_related] for text in ("Before it all.", "Seals asleep.", "They eat clams.")] == [
        99,
        1,
        5,
    ]
    assert [blocks[text][until_about] for text in ("They eat clams.", "About us")] == [1, 0]


def test_the_core_of_a_page_is_the_parent_with_most_running_text():
    blocks = describe_blocks(
        f"<body><div><p>{LONG}</p><p>Again. {LONG}</p></div><div><p>Elsewhere. {LONG}</p></div><p>The end.</p></body>"
    )
    first, last = blocks[LONG[:30]], blocks["The end."]
    assert (first["core_after"], last["core_after"]) == (1, -2)
    assert first["parent_share"] == first["page_core_share"] == pytest.approx(2 / 3, abs=0.02)
    assert last["parent_share"] == 0


@pytest.mark.parametrize(("repeats", "expected"), [(10, [1, 0, -1]), (1, [-1, -1, -1])])
def test_a_long_article_in_the_metadata_marks_the_blocks_that_are_in_it(repeats, expected):
    body = f"<p>{LONG}</p>\n" * repeats
    metadata = json.dumps({"@type": "NewsArticle", "articleBody": body.replace("'", "&#39;")})
    blocks = describe_blocks(
        f"<head><script type='application/ld+json'>{metadata}</script></head>"
        f"<body><p>{LONG}</p><p>Seals asleep on the warm rocks of the bay.</p><p>Harbour.</p></body>"
    )
    assert [block["is_declared"] for block in blocks.values()] == expected
