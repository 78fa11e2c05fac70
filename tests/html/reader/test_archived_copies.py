"""Copies of pages in web archives are read like the pages."""

import json

from assay.html.metadata.page_metadata import extract_facts
from assay.html.parser.html_tree import parse_html
from assay.html.reader.main_content import read_main_content

TEXT = "<p>Herons wade in the shallows of the river and wait for fish, often for an hour without a move.</p>" * 3
BOX = (
    "<div id=archive-box><p>This snapshot, taken on <span>14/06/2020</span>, shows web content acquired for keeping.</p>"
    "<p>The Government Web Archive does not use cookies.</p></div>"
)
COPY = "https://webarchive.example/all/20200614093012/https://birds.example/herons"


def test_what_an_archive_writes_above_is_left_out():
    tree = parse_html(f"{BOX}<main><h1>Herons</h1>{TEXT}</main>")
    read = read_main_content(tree, COPY).markdown
    assert read.startswith("# Herons")
    assert read_main_content(tree, "https://birds.example/herons").markdown.startswith("This snapshot")
    assert extract_facts(tree, COPY).published == ""


def test_a_text_that_is_no_note_of_the_archive_stays():
    tree = parse_html(f"<main><h1>Herons</h1><p>This page was archived by hand.</p>{TEXT * 3}</main>")
    assert "archived by hand" in read_main_content(tree, COPY).markdown


def test_a_copy_whose_archive_writes_its_own_metadata_has_those_of_the_page():
    head = (
        '<title>Herons</title><meta property="og:site_name" content="archive.ph">'
        '<meta property="article:published_time" itemprop="dateCreated" content="2020-06-14T09:30:12Z">'
    )
    tree = parse_html(f"<head>{head}</head><body><h1>Herons</h1><div>May 4, 2019</div>{TEXT}</body>")
    facts = extract_facts(tree, "https://archive.ph/AbC12")
    assert (facts.site, facts.published) == ("", "2019-05-04")
    assert extract_facts(tree, "https://archive.example/AbC12").published == "2020-06-14T09:30:12Z"


def test_the_article_of_a_copy_is_found_by_the_address_of_the_page():
    nodes = [
        {"@type": "NewsArticle", "headline": name, "url": f"https://birds.example/{name.lower()}"}
        for name in ("Otters", "Herons")
    ]
    tree = parse_html(f'<script type="application/ld+json">{json.dumps(nodes)}</script>{TEXT}')
    assert extract_facts(tree, COPY).title == "Herons"
