"""The main content of a page is kept and the surrounding elements are left out."""

import gc
import json

import pytest

from assay.html.parser.html_tree import open_html, parse_html
from assay.html.reader.main_content import MainContent, read_main_content

URL = "https://birds.example/articles/herons"
PARAGRAPHS = [
    "Grey herons stand in the shallows at first light, waiting with a patience that few other birds can match.",
    "When a fish comes within reach the neck straightens, and the bill strikes faster than the eye can follow.",
    "Colonies form in tall trees near water, where the same nests are repaired and enlarged year after year.",
    "In hard winters many birds die, and numbers take several years to recover, as counts since 1928 have shown.",
    "Ringing has shown that young herons scatter in all directions during their first autumn before they settle.",
    "Their calls carry far across the marsh at night, harsh and short, so that walkers often take them for dogs.",
]
PROSE = "".join(f"<p>{paragraph}</p>" for paragraph in PARAGRAPHS)
NAVIGATION = "".join(f'<li><a href="/s{number}">Section {number}</a></li>' for number in range(12))
AROUND = (
    f'<header class="site-header"><a href="/">Marsh News</a><nav class="menu"><ul>{NAVIGATION}</ul></nav></header>',
    '<aside class="sidebar"><h3>Most read</h3><ul>'
    + "".join(f'<li><a href="/r{number}">Popular story number {number}</a></li>' for number in range(8))
    + '</ul></aside><div class="cookie-banner"><p>We use cookies to improve your visit.</p><button>Accept</button></div>'
    '<footer class="site-footer"><ul><li><a href="/privacy">Privacy</a></li><li><a href="/terms">Terms</a></li></ul>'
    "<p>Copyright 2024 Marsh News. All rights reserved.</p></footer>",
)


def reading(inside: str, head: str = "<title>Herons - Marsh News</title>", url: str = URL) -> MainContent:
    return read_main_content(
        parse_html(f"<html><head>{head}</head><body>{AROUND[0]}{inside}{AROUND[1]}</body></html>"), url
    )


SHAPES = {
    "article": f"<main><article><h1>Herons</h1>{PROSE}</article></main>",
    "plain divs": f'<div class="content"><h1>Herons</h1><div class="post-body">{PROSE}</div></div>',
    "no names at all": f"<div><div><h1>Herons</h1>{PROSE}</div></div>",
    "a layout table": f"<table><tr><td><h1>Herons</h1>{PROSE}</td></tr></table>",
    "breaks for paragraphs": f"<div id=body><h1>Herons</h1>{'<br><br>'.join(PARAGRAPHS)}</div>",
    "divs for paragraphs": f"<div><h1>Herons</h1>{''.join(f'<div>{paragraph}</div>' for paragraph in PARAGRAPHS)}</div>",
    "custom elements": f"<x-page><x-story><h1>Herons</h1>{PROSE}</x-story></x-page>",
    "nothing closed": f"<div><h1>Herons</h1>{PROSE.replace('</p>', '')}",
}


CHINESE = [
    "清晨，三只苍鹭站在浅水里一动不动，耐心地等着鱼儿游近，很少有别的鸟能这样等待。",
    "鱼一进入可以够到的地方，苍鹭就伸直脖子，长嘴猛地刺下去，快得几乎看不清楚。",
    "它们在水边的高树上筑巢，同一个巢每年都修补、加大，有的已经用了三十多年。",
    "冬天特别冷的时候，许多苍鹭会死去，要过好几年，数量才能恢复到原来的水平。",
]


def test_an_article_in_a_script_without_spaces_is_found():
    links = "".join(f'<li><a href="/n{number}">栏目{number}要闻</a></li>' for number in range(12))
    others = "".join(f'<li><a href="/r{number}">第{number}条热门新闻的标题在这里</a></li>' for number in range(8))
    text = "".join(f"<p>{paragraph}</p>" for paragraph in CHINESE)
    page = (
        f"<html><head><title>苍鹭 - 湿地新闻</title></head><body><div><ul>{links}</ul></div>"
        f"<div><h1>苍鹭</h1>{text}</div><div><h3>相关新闻</h3><ul>{others}</ul></div>"
        '<div class="footer">湿地新闻版权所有 未经授权不得转载</div></body></html>'
    )
    result = read_main_content(parse_html(page), URL)
    assert all(paragraph in result.markdown for paragraph in CHINESE)
    assert not any(word in result.markdown for word in ("栏目", "热门新闻", "版权"))
    assert result.confidence > 0.6


def test_text_in_a_script_without_spaces_that_a_script_fades_in_is_read():
    text = "".join(f"<p>{paragraph}</p>" for paragraph in CHINESE)
    page = f"<style>.fade {{ opacity: 0 }}</style><p>湿地新闻</p><div class=fade>{text}</div>"
    assert all(paragraph in read_main_content(parse_html(page), URL).markdown for paragraph in CHINESE)


@pytest.mark.parametrize("breaks", ["<br>", "<br><script>/* waits */</script>"])
def test_lines_that_a_script_fades_in_are_read(breaks):
    page = f"<style>.fade {{ opacity: 0 }}</style><p>Marsh News</p><div class=fade>{breaks.join(PARAGRAPHS)}</div>"
    markdown = read_main_content(parse_html(page), URL).markdown
    assert all(paragraph in markdown for paragraph in PARAGRAPHS)


@pytest.mark.parametrize("tag", ["script", "style", "template", "noscript"])
def test_what_no_reader_sees_does_not_count_as_faded_text(tag):
    waiting = f"<div class=fade><p>Loading the latest counts.</p><{tag}>{'<br>'.join(PARAGRAPHS * 3)}</{tag}></div>"
    page = f"<style>.fade {{ opacity: 0 }}</style>{PROSE}{waiting}"
    markdown = read_main_content(parse_html(page), URL).markdown
    assert PARAGRAPHS[0] in markdown
    assert "Loading" not in markdown


@pytest.mark.parametrize("inside", SHAPES.values(), ids=SHAPES.keys())
def test_an_article_is_found_however_it_is_marked_up(inside):
    result = reading(inside)
    for paragraph in PARAGRAPHS:
        assert paragraph in result.markdown
    assert "Section 3" not in result.markdown
    assert "Popular story" not in result.markdown
    assert "cookies" not in result.markdown
    assert result.confidence > 0.6
    assert result.words >= 100


def test_parts_of_an_article_are_kept_in_order():
    inside = (
        f"<article><h1>Herons</h1>{PROSE}<h2>Food</h2><ul><li>Fish of the shallows, mostly roach and eels</li><li>Frogs and voles</li></ul>"
        "<pre><code>count = herons + egrets</code></pre><blockquote><p>The heron is the soul of the marsh.</p></blockquote>"
        "<table><tr><th>Year<th>Pairs<tr><td>1928<td>4000<tr><td>1998<td>9000<tr><td>2018<td>10300</table>"
        f"{PROSE.replace('herons', 'egrets')}</article>"
    )
    markdown = reading(inside).markdown
    pieces = [
        "Grey herons",
        "## Food",
        "- Fish of",
        "- Frogs",
        "count = herons",
        "> The heron",
        "| 1928 | 4000 |",
        "Grey egrets",
    ]
    places = [markdown.find(piece) for piece in pieces]
    assert -1 not in places
    assert places == sorted(places)


def test_documentation_keeps_its_code_and_notes():
    inside = (
        "<main class=docs><h1>count_birds</h1><p>Counts the birds that a station has seen between two dates, by species.</p>"
        "<pre><code class=language-python>def count_birds(station, since):\n    return station.sum(since)\n</code></pre>"
        '<div class="admonition note"><p>Note</p><p>Stations without a clock report days in local time, not in UTC.</p></div>'
        "<h2>Parameters</h2><dl><dt>station</dt><dd>The station whose records are read, as an identifier.</dd>"
        f"<dt>since</dt><dd>The first day that is counted, as an ISO date.</dd></dl>{PROSE}</main>"
    )
    markdown = reading(inside, url="https://docs.example/reference/count_birds").markdown
    assert "```python\ndef count_birds(station, since):\n    return station.sum(since)\n```" in markdown
    assert "Stations without a clock" in markdown
    assert "**station**\n: The station whose records" in markdown


def test_the_posts_of_a_thread_are_kept_in_order():
    posts = "".join(
        f'<div class="post message"><div class="author">walker{number}</div><div class="post-content"><p>{paragraph}</p></div></div>'
        for number, paragraph in enumerate(PARAGRAPHS)
    )
    markdown = reading(
        f'<div class="thread"><h1>Where are the herons?</h1>{posts}</div>', url="https://forum.example/t/12"
    ).markdown
    places = [markdown.find(paragraph) for paragraph in PARAGRAPHS]
    assert -1 not in places
    assert places == sorted(places)


def test_the_parts_of_a_product_are_kept():
    inside = (
        '<main class="product"><h1>Heron decoy, grey</h1><p class="price">€ 24.95</p><div class="description">'
        f"<p>{PARAGRAPHS[0]}</p><p>A life-size decoy of weatherproof resin that keeps real herons away from your pond.</p></div>"
        "<h2>Specifications</h2><table><tr><th>Height<td>74 cm<tr><th>Weight<td>640 g<tr><th>Material<td>Resin</table></main>"
    )
    markdown = reading(inside, url="https://shop.example/p/decoy").markdown
    assert "weatherproof resin" in markdown
    assert "| Height | 74 cm |" in markdown


def test_a_shell_that_waits_for_scripts_is_not_trusted():
    page = '<html><head><title>App</title></head><body><div id="root">Loading…</div><script src="/app.js"></script></body></html>'
    assert read_main_content(parse_html(page), "https://app.example/").confidence < 0.1


def test_a_page_of_nothing_is_nothing():
    result = read_main_content(parse_html("<html><body><script>x()</script></body></html>"), URL)
    assert (result.markdown, result.words, result.confidence) == ("", 0, 0.0)


def test_the_body_of_an_article_is_read_from_its_metadata_where_the_page_shows_none():
    text = {
        "@context": "https://schema.org",
        "@type": "NewsArticle",
        "headline": "Herons",
        "articleBody": "\n\n".join(PARAGRAPHS),
    }
    head = f'<title>Herons</title><script type="application/ld+json">{json.dumps(text)}</script>'
    result = read_main_content(
        parse_html(f"<html><head>{head}</head><body><div id=root>Loading…</div></body></html>"), URL
    )
    for paragraph in PARAGRAPHS:
        assert paragraph in result.markdown
    assert result.confidence > 0.5


def test_metadata_does_not_replace_what_the_page_shows():
    head = f'<script type="application/ld+json">{json.dumps({"@type": "Article", "articleBody": "Another text. " * 200})}</script>'
    assert "Another text" not in reading(f"<article><h1>Herons</h1>{PROSE}</article>", head).markdown


def test_a_small_page_is_kept_whole():
    page = "<h1>Opening hours</h1><p>The hide is open every day from eight until dusk.</p><ul><li>Dogs stay outside.</li></ul>"
    markdown = read_main_content(parse_html(page), "https://hide.example/").markdown
    assert markdown == "# Opening hours\n\nThe hide is open every day from eight until dusk.\n\n- Dogs stay outside."


def test_links_are_counted():
    inside = f'<article><h1>Herons</h1>{PROSE}<p>Read <a href="/a">one</a> and <a href="/b">two</a> about the grey heron.</p>{PROSE}</article>'
    assert reading(inside).links == 2


@pytest.mark.parametrize("tag", ["h1", "h2", "h3"])
def test_a_heading_stays_where_the_text_below_it_stays(tag):
    parts = "".join(f"<{tag}>Part {number}</{tag}><p>{text} {text}</p>" for number, text in enumerate(PARAGRAPHS))
    result = reading(f"<main><article>{parts}</article></main>").markdown
    assert [line.lstrip("# ") for line in result.splitlines() if line.startswith("#")] == [
        f"Part {n}" for n in range(6)
    ]
    assert "Most read" not in result


@pytest.mark.parametrize("every", [1, 12])
def test_a_long_text_is_kept_to_its_end(every):
    """A book on one page, with headings or without."""
    outputs = [
        f"On day {day} we counted {day * 7} herons, {day % 9} egrets and {day % 5} bitterns between the old weir and "
        f"the mill, in rain that had begun {day % 11} hours before dawn and would not end."
        for day in range(1, 500)
    ]
    text = "".join(
        f"{f'<h2>Week {day // 12}</h2>' if every > 1 and day % every == 0 else ''}<p>{line}</p>"
        for day, line in enumerate(outputs)
    )
    result = reading(f"<article><h1>Herons</h1>{text}</article>").markdown
    assert sum(line in result for line in outputs) > 490


LONG = [f"<p>{PARAGRAPHS[number % 6]} That was counted in {1900 + number}.</p>" for number in range(90)]
FIGURES = {
    "a figure": '<figure><img src="/a.jpg" alt="A hunting heron"><figcaption>Waiting at dawn</figcaption></figure>',
    "a linked figure": '<figure class="wp-block-image"><a href="/a.jpg"><img src="/a.jpg" alt="A hunting heron"></a>'
    "<figcaption>Waiting at dawn by the <a href=/m>marsh</a></figcaption></figure>",
    "a picture in a figure": '<figure><picture><source srcset="/a.webp"><img src="/a.jpg" alt="A hunting heron"></picture>'
    "<figcaption>Waiting at dawn</figcaption></figure>",
    "a picture that waits for a script": '<figure><img src="data:image/gif;base64,R0" data-srcset="/a.jpg 1x, /b.jpg 2x" '
    'alt="A hunting heron"><figcaption>Waiting at dawn</figcaption></figure>',
    "a gallery": "<figure>"
    + '<figure><img src="/a.jpg" alt="A hunting heron"><figcaption>Waiting at dawn</figcaption></figure>' * 3
    + "</figure>",
}


@pytest.mark.parametrize("place", [0, 12, 90])
@pytest.mark.parametrize("figure", FIGURES.values(), ids=FIGURES.keys())
def test_a_figure_stays_with_the_text_it_stands_in(figure, place):
    paragraphs = [*LONG[:place], figure, *LONG[place:]]
    result = reading(f"<main><article><h1>Herons</h1>{''.join(paragraphs)}</article></main>").markdown
    assert "![A hunting heron](https://birds.example/a.jpg)" in result
    assert "Waiting at dawn" in result


@pytest.mark.parametrize("tag", ["nav", "aside", "footer", "form"])
def test_a_figure_in_a_margin_is_not_part_of_the_text(tag):
    teaser = f"<{tag}><figure><img src=/t.jpg alt='A teaser'><figcaption>Subscribe to our letter</figcaption></figure></{tag}>"
    result = reading(f"<main><article><h1>Herons</h1>{''.join(LONG[:12])}{teaser}{''.join(LONG[12:])}</article></main>")
    assert "Subscribe" not in result.markdown


def test_a_figure_that_only_leads_elsewhere_is_no_part_of_the_text():
    teaser = "<figure><a href=/t><img src=/t.jpg alt='A teaser'></a><figcaption><a href=/t>The ten best bins</a></figcaption></figure>"
    result = reading(f"<main><article><h1>Herons</h1>{''.join(LONG[:12])}{teaser}{''.join(LONG[12:])}</article></main>")
    assert "ten best bins" not in result.markdown


def test_a_button_and_a_credit_beside_a_caption_are_no_part_of_the_text():
    figure = (
        "<figure><img src=/a.jpg alt='A hunting heron'><button>View full size</button><figcaption>Waiting at dawn</figcaption>"
        "<div class=credit>Credit: Marsh Images</div></figure>"
    )
    result = reading(f"<main><article><h1>Herons</h1>{''.join(LONG[:12])}{figure}{''.join(LONG[12:])}</article></main>")
    assert "Waiting at dawn" in result.markdown
    assert "full size" not in result.markdown
    assert "Marsh Images" not in result.markdown


VOID = ["source", "track", "embed", "wbr"]


@pytest.mark.parametrize("tag", VOID)
def test_what_follows_an_element_without_an_end_is_read(tag):
    """The HTML parser takes these for elements that hold what follows."""
    result = reading(
        f"<main><article><h1>Herons</h1>{PROSE}<p>A <{tag} src=/x hidden>visible heron.</p></article></main>"
    )
    assert "A visible heron." in result.markdown


LEADS = {
    "a paragraph": "<p>Breaking.</p>",
    "a heading": "<h2>Breaking.</h2>",
    "a strong line": "<p><strong>Breaking.</strong></p>",
    "a division": "<div>Breaking.</div>",
    "bare text": "Breaking.",
}


@pytest.mark.parametrize("count", [2, 24, 90])
@pytest.mark.parametrize("lead", LEADS.values(), ids=LEADS.keys())
def test_one_word_that_an_article_begins_with_is_kept(lead, count):
    counts = "".join(f"<p>Count {number}: {PARAGRAPHS[3]}</p>" for number in range(count))
    result = read_main_content(
        parse_html(f"<nav><a href=/>News</a></nav><main><article>{lead}{counts}</article></main>"), URL
    ).markdown
    assert "Breaking." in result
    assert "News" not in result


def test_the_label_of_a_menu_is_not_a_lead():
    result = reading(f"<main><article><button>Share</button>{''.join(LONG)}</article></main>").markdown
    assert "Share" not in result


@pytest.mark.parametrize(
    ("between", "kept"),
    [
        (
            "<table class='highlight tab-size'><tr><td></td><td><pre>rows = build(7)</pre></td></tr></table>",
            "rows = build",
        ),
        ("<h3><button>The diet of otters</button></h3>", "The diet of otters"),
        ("<div class='newsletter'>Subscribe to our letters</div>", None),
        ("<div class='newsletter'><p>Subscribe to our letters</p></div>", None),
        ("<div><div class='newsletter'>Subscribe to our letters</div></div>", None),
    ],
)
def test_a_few_words_between_paragraphs_stay_unless_a_name_says_that_they_are_beside_the_text(between, kept):
    paragraphs = [f"<p>{paragraph}</p>" for paragraph in PARAGRAPHS]
    page = f"<body><main><article>{''.join(paragraphs)}{between}{''.join(paragraphs)}</article></main></body>"
    markdown = read_main_content(parse_html(page), URL).markdown
    assert markdown.count(PARAGRAPHS[0][:30]) == 2
    assert kept in markdown if kept else "Subscribe" not in markdown


REPEATED = "The heron stands still in shallow water for a long time, and then it takes a fish in one quick movement."


def test_a_text_that_the_page_has_twice_for_two_widths_of_screens_is_kept_once():
    copies = f"<div class=wide><p>{REPEATED}</p></div>{PROSE}<div class=narrow><p>{REPEATED}</p></div>"
    assert reading(f"<article><h1>Herons</h1>{copies}{PROSE}</article>").markdown.count(REPEATED) == 1


@pytest.mark.parametrize(
    "repeated",
    [
        "<p>{0}</p><p>Another verse stands between the two of them here.</p><p>{0}</p>",
        "<ul><li>{0}</li></ul><p>Between.</p><ol><li>{0}</li></ol>",
        "<div><pre>{0}</pre></div><p>Between.</p><section><pre>{0}</pre></section>",
        "<div><p>{0}</p></div><blockquote><div><p>{0}</p></div></blockquote><p>That is so.</p>",
    ],
    ids=["a refrain", "items of lists", "code", "a quotation"],
)
def test_what_repeats_for_a_reason_is_kept_each_time(repeated):
    found = reading(f"<article><h1>Herons</h1>{PROSE}{repeated.format(REPEATED)}{PROSE}</article>")
    assert found.markdown.count(REPEATED) == 2


def test_no_garbage_is_collected_while_a_page_is_read():
    page = "<article>" + "".join(f"<div><p>{text}</p></div>" for text in LONG * 200)
    collections = []
    gc.collect()
    gc.callbacks.append(lambda phase, _: collections.append(phase))
    try:
        with open_html(page) as tree:
            assert len(read_main_content(tree, "https://a.example/").markdown) > 1_000
    finally:
        gc.callbacks.pop()
    assert len(collections) <= 2  # at most one afterwards, which begins and ends
    assert gc.isenabled()


def test_collection_goes_on_after_a_failure():
    with pytest.raises(AttributeError):
        read_main_content(None, "https://a.example/")
    assert gc.isenabled()
    gc.disable()
    try:
        parse_html("<p>x")
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_the_key_facts_of_an_article_are_content():
    facts = (
        '<table class="infobox vcard"><tr><th colspan="2">Kestrel Valley</th></tr><tr><th>Country</th><td><a href="/n">Norway</a></td></tr>'
        "<tr><th>Population</th><td>1,234</td></tr></table>"
    )
    text = "".join(
        f"<p>The valley of the kestrels has {number} lakes, and people skate on them in the winter of most years.</p>"
        for number in range(2, 60)
    )
    html = f'<html><body><div id="content"><h1>Kestrel Valley</h1><div class="mw-parser-output">{facts}{text}</div></div></body></html>'
    with open_html(html) as tree:
        markdown = read_main_content(tree, "https://wiki.example/k").markdown
    assert "| Country | [Norway](https://wiki.example/n) |\n| Population | 1,234 |" in markdown
    alone = f'<html><body><main><h1>Kestrels</h1>{text}</main><div class="side">{facts.replace("infobox", "infobox links")}</div></body></html>'
    with open_html(alone) as tree:
        assert "Population" not in read_main_content(tree, "https://wiki.example/k").markdown


PAGE_LINKS = (
    '<nav class="MuiPagination-root"><ul><li><button>1</button></li><li><button>2</button></li><li>…</li><li><button>10</button></li></ul></nav>',
    '<ul class="pagination"><li><a href="?p=1">« Previous</a></li><li><a href="?p=2">2</a></li><li><a href="?p=3">Next</a></li></ul>',
    '<div class="paging">1 2 3 … 10 Next</div>',
)


@pytest.mark.parametrize("links", PAGE_LINKS)
def test_links_to_other_pages_of_a_list_are_left_out(links):
    prose = "<p>The survey counted the herons of the valley in every season, and this is what it found of them.</p>"
    texts = []
    for inner in (links, '<div class="paging"><p>The herons of 2031 nest beside the river.</p></div>'):
        with open_html(f"<html><body><main><h1>Herons</h1>{prose}{inner}{prose}</main></body></html>") as tree:
            texts.append(read_main_content(tree, "https://herons.example/").markdown)
    assert "10" not in texts[0]
    assert "Next" not in texts[0]
    assert "The herons of 2031 nest" in texts[1]
