"""What stays with content that is chosen, whatever its score: titles of boxes, folded sections and tabs, and terms."""

import pytest
from tests.html.reader.test_main_content import LONG, URL
from tests.html.reader.test_markdown_renderer import markdown
from tests.html.reader.test_paired_blocks import FixedScores

from assay.html.parser.html_tree import parse_html
from assay.html.reader.main_content import read_main_content


def read(html: str, scores: list[float]) -> str:
    page = parse_html(f"<main>{''.join(LONG[:10])}{html}{''.join(LONG[10:20])}</main>")
    whole = read_main_content(page, URL, FixedScores([0.95] * 10 + scores + [0.95] * 10)).markdown
    return whole.removeprefix(BEFORE).removesuffix(AFTER).strip()


def plain(paragraphs: list[str]) -> str:
    return "\n\n".join(markdown(text) for text in paragraphs)


BEFORE, AFTER = plain(LONG[:10]), plain(LONG[10:20])
TEXT = " ".join(["Take warm gloves to the marsh in winter."] * 9)

TITLES = {
    "a folded section": (f"<details><summary>More gear</summary><p>{TEXT}</details>", [0.01, 0.95], True),
    "its control": (f"<details><summary>Show more</summary><p>{TEXT}</details>", [0.01, 0.95], False),
    "a box": (f'<div class="note"><p class="admonition-title">Note</p><p>{TEXT}</div>', [0.01, 0.95], True),
    "a box that is left out": (
        f'<div class="note"><p class="admonition-title">Note</p><p>{TEXT}</div>',
        [0.01, 0.01],
        False,
    ),
    "a tab": (
        f'<div class="sd-tab-set"><input type="radio"><label>Linux</label><div class="sd-tab-content"><p>{TEXT}</div></div>',
        [0.01, 0.95],
        True,
    ),
    "a box by the names of its elements": (
        f'<div class="pros"><div class="box__heading">Note</div><ul><li>{TEXT}</ul></div>',
        [0.3, 0.95],
        True,
    ),
    "an advertisement": (f'<div><div class="box__heading">Note</div><p>{TEXT}</div>', [0.01, 0.95], False),
    "words above": (f'<div class="box"><p>Note</p><p>{TEXT}</div>', [0.01, 0.95], False),
}


@pytest.mark.parametrize(("html", "scores", "is_kept"), TITLES.values(), ids=TITLES.keys())
def test_titles_stay_with_their_content(html, scores, is_kept):
    found = read(html, scores)
    assert (TEXT in found) == (scores[1] > 0.5)
    assert any(found.startswith(title) for title in ("**More gear**", "**Note**", "Linux")) == is_kept


LISTS = {
    "most of it": ([0.7, 0.7, 0.3], "for summer", True),
    "least of it": ([0.7, 0.3, 0.3], "for summer", False),
    "numbers below it": ([0.7, 0.7, 0.05], "for summer", False),
    "links": ([0.7, 0.7, 0.3], "<a href='/summer'>for summer</a>", False),
}


@pytest.mark.parametrize(("scores", "last", "is_whole"), LISTS.values(), ids=LISTS.keys())
def test_the_rest_of_a_list_stays_with_its_larger_part(scores, last, is_whole):
    html = f"<ul><li>Warm gloves for winter<li>Dry socks for autumn<li>Light shoes {last}</ul><p>{TEXT}"
    assert ("shoes" in read(html, [*scores, 0.01])) == is_whole


@pytest.mark.parametrize("label", ["Loading...", "Loading image…", "Advertisement"])
def test_labels_of_what_is_not_there_are_left_out(label):
    assert read(f"<div>{label}</div><p>{TEXT}", [0.95, 0.95]) == TEXT
    assert read(f"<h2>{label}</h2><p>{TEXT}", [0.95, 0.95]) == f"## {label}\n\n{TEXT}"


NAMED_TITLES = {
    "a name": ('<div class="card-title">Marsh gear</div>', "**Marsh gear**"),
    "words in camel case": ('<div class="CardTitle">Marsh gear</div>', "**Marsh gear**"),
    "a modifier": ('<p class="card__heading--small dark">Marsh gear</p>', "**Marsh gear**"),
    "a hash": ('<p class="Card_title__6LAtS">Marsh gear</p>', "**Marsh gear**"),
    "a name of Bootstrap": ('<p class="h4 mb-2">Marsh gear</p>', "**Marsh gear**"),
    "around the text": ('<div class="faq-title"><p>Marsh gear?</p></div>', "**Marsh gear?**"),
    "around a link": ('<p class="title"><a href="/gear">Marsh gear</a>', "**[Marsh gear](https://docs.example/gear)**"),
    "bold already": ('<p class="title"><b>Marsh</b> gear', "**Marsh** gear"),
    "around more": ('<div class="title">Marsh <p>gear</p></div>', "Marsh\n\ngear"),
    "a heading": ('<h3 class="title">Marsh gear</h3>', "### Marsh gear"),
    "an item": ('<ul><li class="title">Marsh gear</ul>', "- Marsh gear"),
    "a profession": ('<p class="author-title">Warden of the marsh</p>', "Warden of the marsh"),
    "a profession in a box": ('<div class="member"><p class="title">Warden</p><p>Ada</div>', "Warden\n\nAda"),
    "below a title": ('<p class="card-subtitle">Marsh gear</p>', "Marsh gear"),
    "a part of a title": ('<p class="title-note">Marsh gear</p>', "Marsh gear"),
    "a sentence": (f'<p class="title">{TEXT}</p>', TEXT),
    "a picture": ('<p class="title"><img src="/a.png" alt="Marsh gear">', "![Marsh gear](https://docs.example/a.png)"),
}


@pytest.mark.parametrize(("html", "expected"), NAMED_TITLES.values(), ids=NAMED_TITLES.keys())
def test_titles_by_the_names_of_their_elements_are_bold(html, expected):
    assert markdown(html) == expected


def test_the_term_in_a_definition_stays_with_its_own():
    html = f"<dl><dt>Returns<dd><dl><dt>int<dd>{TEXT}</dl></dl>"
    assert read(html, [0.95, 0.01, 0.95]) == f"**Returns**\n: **int**\n  : {TEXT}"


def test_the_heading_of_a_table_of_contents_is_none_of_the_text_below():
    html = f"<nav><h2>Contents</h2><ol><li><a href='#a'>Gear</a></ol></nav><h2>Gear</h2><p>{TEXT}"
    assert read(html, [0.3, 0.01, 0.3, 0.95]) == f"## Gear\n\n{TEXT}"
