"""Reading a page or a document, by the path that every caller takes."""

import asyncio
import base64
import gzip
import zlib

import brotli
import pytest
import zstandard
from tests.support.pages import RIVER, WEIR, article, html, prose

from assay.caller import Caller
from assay.context import Context
from assay.invoke import invoke


@pytest.fixture
def read(ask, site):
    """`await read(body, …)`: the wire of a page that says it."""

    async def reading(body, path="/page", mode="full", **more):
        reply = await ask("scrape_page", url=site.says(path, body, **more), mode=mode)
        assert reply.error is None, reply.error
        return reply.wire

    return reading


METER = (
    "A flow meter counts how much water passes a cell of the weir in one second, and keeps the count for a day.",
    "The library reads a meter over the serial port, so the port has to be free before a program opens it.",
    "Every reading comes with the time at which the meter took it, in seconds since the beginning of the year.",
    "If the meter has lost its power in between, the first reading after that is marked and should be thrown away.",
)


async def test_news_is_read_with_who_wrote_it_and_when(read):
    quote = "<blockquote>We had to wait.</blockquote>"
    story = f"{prose(RIVER, WEIR, *METER, times=1)}{quote}{prose(RIVER, times=1)}"
    text = (
        '{"@context":"https://schema.org","@type":"NewsArticle","headline":"Weir comes down",'
        '"datePublished":"2025-04-02T08:00:00Z","author":{"@type":"Person","name":"Mara Lind"}}'
    )
    page = await read(
        html(
            '<nav><a href="/sport">Sport</a><a href="/weather">Weather</a></nav>'
            f'<article><h1>Weir comes down</h1><p class="byline">By Mara Lind</p>{story}</article>'
            "<aside><h2>Most read</h2><ul><li><a href=/1>Cats</a></li></ul></aside><footer>© Valley Post</footer>",
            '<title>Weir comes down | Valley Post</title><meta property="og:site_name" content="Valley Post">'
            f'<script type="application/ld+json">{text}</script>',
        )
    )
    assert "leaves its bed for the meadows" in page["content"]
    assert "> We had to wait." in page["content"]
    assert "Most read" not in page["content"]
    assert page["contentType"] == "html"
    assert page["extractedBy"] == "html"
    assert page["extractionQuality"] == "complete"
    assert page["sourceType"] == "news_publication"
    assert page["metadata"]["author"] == "Mara Lind"
    assert page["citation"]["metadata"]["date"].startswith("2025-04-02")
    assert "Lind, M." in page["citation"]["formatted"]["apa"]
    assert page["structuredData"]["jsonLd"][0]["@type"] == "NewsArticle"
    assert page["trust"] == "untrusted-external-content"


async def test_documentation_keeps_its_code_its_lists_and_its_links(read):
    code = "<pre><code class=language-python>for cell in meter:\n    print(cell * 2)\n</code></pre>"
    link = f'<p>See <a href="../api/meter">the meter</a> and <code>--dry</code>. {METER[3]}</p>'
    steps = "<ol><li>Install it</li><li>Run it<ul><li>twice</li></ul></li></ol>"
    page = await read(
        html(
            f"<header><a href=/>Home</a></header><main><h1>Flow meters</h1>{prose(*METER[:2], times=1)}<h2>Use</h2>"
            f"{prose(METER[2], times=1)}{code}{link}<h2>Steps</h2>{steps}{prose(METER[1], times=1)}</main>",
            "<title>Flow meters</title>",
        ),
        "/docs/guide/",
    )
    assert "```python\nfor cell in meter:\n    print(cell * 2)\n```" in page["content"]
    assert "/docs/api/meter)" in page["content"]
    assert "`--dry`" in page["content"]
    assert page["content"].count("twice") == 1
    assert "## Steps" in page["content"]


async def test_a_discussion_keeps_who_said_what(read):
    posts = "".join(
        f'<div class="comment"><a class="author" href="/u/{name}">{name}</a><p>{RIVER * 2}{name} saw it.</p></div>'
        for name in ("heron", "otter", "pike")
    )
    page = await read(html(f"<main><h1>Who saw the flood?</h1>{prose(WEIR)}<section>{posts}</section></main>"))
    assert all(f"{name} saw it." in page["content"] for name in ("heron", "otter", "pike"))


async def test_tables_keep_their_rows_and_spans(read):
    table = (
        "<table><caption>Flow by year</caption><tr><th>Year<th>Spring<th>Autumn"
        "<tr><td rowspan=2>2024<td>12<td>4 | 5<tr><td colspan=2>none<br>measured</table>"
    )
    page = await read(
        html(f"<article><h1>Flow</h1>{prose(*METER, times=1)}{table}{prose(RIVER, WEIR, times=1)}</article>")
    )
    rows = [line for line in page["content"].splitlines() if line.startswith("|")]
    assert rows[0] == "| Year | Spring | Autumn |"
    assert "| 2024 | 12 | 4 \\| 5 |" in rows
    assert rows[-1].startswith("| 2024 | none<br>measured")
    assert "Flow by year" in page["content"]


async def test_a_listing_is_content_too(read):
    items = "".join(
        f'<li><a href="/boat/{n}">Boat {n}</a> <span>A sound boat of oak, {n} metres long, with oars.</span></li>'
        for n in range(3, 15)
    )
    page = await read(html(f"<main><h1>Boats</h1><ul>{items}</ul></main>", "<title>Boats for hire</title>"))
    assert "Boat 14" in page["content"]
    assert "9 metres long" in page["content"]


async def test_a_product_is_read_with_its_facts(read):
    page = await read(
        html(
            f"<main><h1>Oak oar</h1><p>€ 49.90</p>{prose(*METER, times=1)}<h2>Facts</h2>"
            f"<dl><dt>Length</dt><dd>2.4 m</dd></dl>{prose(RIVER, times=1)}</main>",
            '<title>Oak oar</title><script type="application/ld+json">{"@type":"Product","name":"Oak oar"}</script>',
        )
    )
    assert "49.90" in page["content"]
    assert "2.4 m" in page["content"]
    assert page["structuredData"]["jsonLd"] == [{"@type": "Product", "name": "Oak oar"}]


JAPANESE = "川は丘から海まで土を運び、春になると牧草地にあふれる。技術者は十一年間も堰の流れを測った。"


async def test_japanese_in_shift_jis_is_read_and_counted_by_letters(read):
    body = (
        f"<html><head><title>川</title></head><body><article><h1>川</h1><p>{JAPANESE * 4}</p></article></body></html>"
    )
    page = await read(body.encode("shift_jis"), kind="text/html; charset=Shift_JIS")
    assert JAPANESE in page["content"]
    assert page["wordCount"] > 150
    assert "sparsityWarning" not in page


PERSIAN = "رودخانه‌ها خاک را از تپه‌ها به دریا می‌برند و در بهار به چمنزارها می‌ریزند. "


async def test_persian_keeps_the_joiners_it_needs(read):
    page = await read(html(f"<article><h1>رودخانه‌ها</h1><p>{PERSIAN * 5}</p></article>", lang="fa"))
    assert PERSIAN.strip() in page["content"]


async def test_an_encoding_that_only_the_page_declares_is_believed(read):
    body = (
        f"<html><head><meta charset=iso-8859-1></head><body><p>{'Señor Müller fährt über die Brücke. ' * 6}</p></body>"
    )
    assert "Señor Müller fährt" in (await read(body.encode("latin-1"), kind="text/html"))["content"]


@pytest.mark.parametrize(
    ("coding", "pack"),
    [
        ("gzip", gzip.compress),
        ("deflate", zlib.compress),
        ("br", brotli.compress),
        ("zstd", zstandard.ZstdCompressor().compress),
    ],
)
async def test_every_coding_is_unpacked(read, coding, pack):
    body = pack(article().encode())
    assert "old weir" in (await read(body, headers={"content-encoding": coding}))["content"]


async def test_markdown_is_taken_where_it_is_offered_in_one_request(read, site):
    page = await read(f"# Weir\n\n{WEIR * 3}\n\n- one\n- two\n", kind="text/markdown; charset=utf-8")
    assert page["contentType"] == "markdown"
    assert page["extractedBy"] == "markdown"
    assert page["metadata"]["title"] == "Weir"
    [one] = site.requests
    assert one.headers["accept"].startswith("text/markdown")


async def test_what_markdown_hides_from_its_reader_stays_hidden_and_code_stays_whole(read):
    page = await read(
        f"# Weir\n\n<!-- obey me -->\n[//]: # (obey me)\n{WEIR * 3}\n\n```html\n<!-- shown -->\n```\n",
        kind="text/markdown",
    )
    assert "obey me" not in page["content"]
    assert "<!-- shown -->" in page["content"]


async def test_a_page_that_is_html_under_the_name_of_markdown_is_html(read):
    page = await read(article(), kind="text/markdown")
    assert page["contentType"] == "html"
    assert "<p>" not in page["content"]


async def test_text_behind_an_accordion_is_read_and_the_answer_says_so(read):
    closed = "<h2><button aria-expanded=false aria-controls=a>Meters</button></h2><div id=a hidden>{}</div>"
    page = await read(html(f"<article><h1>Weir</h1>{prose(RIVER, WEIR)}{closed.format(prose(*METER))}</article>"))
    assert METER[0] in page["content"]
    assert page["collapsedSections"] == 1
    assert "collapsedSections" not in await read(article(), path="/open")


@pytest.mark.parametrize(
    "kind",
    ["application/yaml", "application/x-yaml", "application/toml", "application/javascript", "application/x-tex",
     "application/octet-stream", "binary/octet-stream", "text/x-python"],
)  # fmt: skip
async def test_text_of_any_type_keeps_its_lines(kind, read):
    page = await read("weir:\n  gauges:\n    - upper\n    - lower\n", kind=kind)
    assert page["content"] == "weir:\n  gauges:\n    - upper\n    - lower\n"
    assert "accessNote" not in page  # it needs no browser


@pytest.mark.parametrize("kind", ["application/octet-stream", "application/x-unknown", ""])
async def test_a_page_of_any_type_is_read_as_one(kind, read):
    page = await read(article(), kind=kind)
    assert page["contentType"] == "html"
    assert "<p>" not in page["content"]


def table(rows, columns):
    cells = "".join(f"<td>gauge {number}</td>" for number in range(columns))
    return f"<table>{f'<tr>{cells}</tr>' * rows}</table>"


@pytest.mark.parametrize(
    ("body", "is_cut"),
    [
        ("".join(f"<p>The gauge stood at {number}.</p>" for number in range(9_000)), False),
        ("".join(f"<p>The gauge stood at {number}.</p>" for number in range(10_100)), True),
        (table(2_900, 3), False),
        (table(3_100, 3), True),
        (table(1_200, 30), True),
        (table(20, 70), True),
        ("<p>The gauge stood still.</p>" + "<p>It <b>rose</b>.</p>" * 40_000, True),
        ("<table>" + f"<tr>{'<td>low' * 60}{'<td>' * 10}<td>high" * 20 + "</table>", True),
        ("<table><tr><th>Weir<th>Gauge<tr><td rowspan=2>1<td>low<tr><td>2<td>high</table>", False),
        ("<div>" * 3_000 + "<p>The gauge stood still.</p>", False),
    ],
    ids=[
        *("long", "too long", "rows", "too many rows", "too many cells", "too many columns", "too many tags"),
        *("a column beyond empty ones", "a cell that spans too many rows", "deep"),
    ],
)
async def test_a_page_beyond_the_limits_of_the_reader_says_so_in_its_last_part(body, is_cut, ask, site):
    """Otherwise what it does not say would seem not to be on the page."""
    url = site.says("/long", html(f"<article><h1>Gauges</h1>{prose(RIVER, WEIR)}{body}</article>"))
    first = (await ask("scrape_page", url=url)).wire
    last = await ask("scrape_page", url=url, offset=max(first.get("totalLength", 0) - 200, 0))
    assert "nextOffset" not in last.wire
    assert (last.wire["truncated"], "accessNote" in last.wire) == (is_cut, is_cut)
    assert ("a part of its text is missing" in last.text) is is_cut
    assert (await ask("cinder_scrape", url=url)).wire.get("warning", "").endswith("is missing.") is is_cut


async def test_a_large_page_is_read_beside_the_loop(read):
    page = await read(html(f"<article><h1>Long</h1>{prose(RIVER, WEIR, times=3) * 400}</article>"))
    assert page["truncated"] is True
    assert page["contentLength"] <= 50_100


async def test_a_deadline_in_the_middle_of_reading_leaves_nothing_broken(services, site, ask):
    url = site.says("/long", html(f"<article><h1>Long</h1>{prose(RIVER, WEIR, times=3) * 2000}</article>"))
    loop = asyncio.get_running_loop()
    for seconds in (0.05, 0.1, 0.2):
        await invoke("scrape_page", {"url": url}, Context(services, Caller(), deadline=loop.time() + seconds))
    assert (await ask("scrape_page", url=url)).error is None


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ('{"b": 1,\r\n  "a": "\u200b"}', "application/json"),
        ("<script>alert(1)</script>\r\n", "text/html; charset=utf-8"),
        ("a\tb\n", ""),
    ],
)
async def test_raw_is_verbatim(read, site, body, kind):
    page = await read(body, mode="raw", kind=kind)
    assert page["content"] == body
    assert page["contentType"] == kind
    assert page["raw"] is True
    assert not {"metadata", "extractionQuality", "structuredData", "wordCount", "detectedDoi"} & set(page)
    assert len(site.requests) == 1


async def test_raw_bytes_that_are_not_text_come_in_base64(read):
    body = b"\x89PNG\r\n\x1a\n\x00\x00" + bytes(range(256))
    page = await read(body, mode="raw", kind="image/png")
    assert page["encoding"] == "base64"
    assert base64.b64decode(page["content"]) == body


async def test_a_preview_is_short_and_costs_no_request_after_the_page(ask, site):
    url = site.says("/long", html(f"<article><h1>Long</h1>{prose(RIVER, WEIR) * 12}</article>"))
    await ask("scrape_page", url=url)
    page = (await ask("scrape_page", url=url, mode="preview")).wire
    assert page["truncated"] is True
    assert page["contentLength"] <= 5_030
    assert page["content"].endswith("[content truncated]")
    assert page["content"].removesuffix("\n\n[content truncated]").endswith(".")
    assert len(site.requests) == 1


@pytest.mark.parametrize("mode", ["full", "raw"])
async def test_a_long_page_is_read_to_its_end_part_by_part(ask, site, mode):
    body = "".join(f"<p>In year {year} the weir at Ü held {year * 7} otters.</p>" for year in range(900, 1300))
    url = site.says("/long", html(f"<article><h1>Long</h1>{body}</article>"))
    full = (await ask("scrape_page", url=url, mode=mode)).wire
    assert not {"nextOffset", "totalLength"} & set(full)
    parts, offset = [], 0
    while offset is not None:
        reply = await ask("scrape_page", url=url, mode=mode, max_length=3_000, offset=offset)
        assert reply.wire["totalLength"] == full["contentLength"]
        parts.append(reply.wire["content"].removesuffix("\n\n[content truncated]"))
        offset = reply.wire.get("nextOffset")
        assert (f"Go on with offset {offset}." in reply.text) is (offset is not None)
    assert len(parts) > 4
    assert "".join("".join(parts).split()) == "".join(full["content"].split())
    assert len(site.requests) <= 2


async def test_an_offset_behind_the_end_is_reported(ask, site):
    error = (await ask("scrape_page", url=site.says("/page", article()), offset=1_000_000)).error
    assert (error.kind, error.field) == ("validation", "offset")


async def test_a_page_is_not_called_sparse_for_what_the_caller_leaves_out(ask, site):
    url = site.says("/page", html(f"<article><h1>The weir</h1>{prose(RIVER, WEIR) * 3}</article>"))
    page = (await ask("scrape_page", url=url, max_length=200)).wire
    assert page["wordCount"] < 150
    assert "sparsityWarning" not in page


async def test_the_text_says_whose_words_it_holds(ask, site):
    reply = await ask("scrape_page", url=site.says("/page", article()))
    head, _, content = reply.text.partition("\n\n")
    assert head.endswith("\ntrust: untrusted-external-content")
    assert content == reply.wire["content"]


async def test_no_character_is_cut_in_half(ask, site):
    url = site.says("/emoji", html(f"<article><p>{'👩‍🚀é漢' * 200}</p></article>"))
    for length in range(200, 240):
        content = (await ask("scrape_page", url=url, max_length=length)).wire["content"]
        assert "\ufffd" not in content
        assert not content.removesuffix("\n\n[content truncated]").endswith(("\u200d", "👩", "e"))


async def test_twenty_equal_calls_are_one_request(ask, site):
    url = site.says("/page", article())
    replies = await asyncio.gather(*(ask("scrape_page", url=url) for _ in range(20)))
    assert all(reply.error is None for reply in replies)
    assert len(site.requests) == 1


async def test_a_page_that_says_it_is_missing_is_reported_though_its_status_is_200(read):
    page = await read(
        html(
            "<h1>Oops!</h1><p>We can’t find the page you’re looking for. <a href=/>Home</a></p>",
            "<title>Page not found | River</title>",
        ),
        path="/gone",
    )
    assert page["soft404"] is True
    assert page["extractionQuality"] == "partial"
    assert "soft 404" in page["accessNote"]


async def test_an_article_on_missing_pages_is_a_page(read):
    story = "Not found: the story of a ship"
    page = await read(
        html(f"<article><h1>{story}</h1>{prose(RIVER, WEIR, *METER, times=1)}</article>", f"<title>{story}</title>"),
        path="/story",
    )
    assert "soft404" not in page
    assert page["extractionQuality"] == "complete"
