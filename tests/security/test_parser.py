"""Markup, JSON and encodings built to hurt, by the path that every caller takes."""

import json
from itertools import count

import pytest
from tests.support.processor_time import assert_quick_call

URL = "http://river.example/otters"
TEXT = "".join(
    f"<p>Otters hold hands while they sleep so that the river does not part them, and keep {stones} favourite stones.</p>"
    for stones in range(8)
)

HOSTILE = {
    "deep": lambda: TEXT + "<div>" * 20_000 + TEXT,  # a browser, which reads it next, takes quadratic time
    "wide": lambda: f"{TEXT}<table><tr><td colspan=100000000 rowspan=100000000>x<td>y<tr><td>a<td>b</table>",
    "wide everywhere": lambda: TEXT + "<table>" + "<tr><td colspan=1000 rowspan=1000>otter<td>y" * 1500 + "</table>",
    "base": lambda: f"<base href='/{'x/' * 900}'>{TEXT}" + "<p><a href='y'>otter</a> swims</p>" * 9000,
    "ended early": lambda: TEXT + "<b hidden><p>" * 10_000,
    "selectors": lambda: (
        "<style>" + ":is(:not(:has(:nth-child(2n+1)))) " * 300 + "{display:none}</style>" + TEXT + "<i>x</i>" * 30_000
    ),
    "attributes": lambda: f"{TEXT}<p {' '.join(f'a{number}=1' for number in range(100_000))}>x</p>",
    "entities": lambda: TEXT + "&#x1F600;&amp;lt;" * 200_000,
}


@pytest.mark.parametrize("make", HOSTILE.values(), ids=HOSTILE.keys())
async def test_hostile_markup_is_read_soon_and_stays_small(make, ask, site):
    body = make()
    site.says("/otters", body)
    urls = (f"{URL}?{number}" for number in count())  # none is in the cache
    reply = await assert_quick_call(lambda: ask("scrape_page", url=next(urls), max_length=5_000_000), 8)
    assert reply.error is None
    size = reply.wire.get("contentSizeBytes") or len(reply.wire["content"])  # a large answer is kept aside
    assert size < 3 * len(body) + 100_000
    assert "Otters hold hands" in (await ask("scrape_page", url=URL, mode="preview")).wire["content"]


@pytest.mark.parametrize("body", ["[" * 100_000, "[" * 100_000 + "]" * 100_000, '{"a":' * 100_000])
async def test_json_without_a_floor_is_text_or_an_error(body, ask, site):
    site.says("/otters", body, kind="application/json")
    reply = await ask("scrape_page", url=URL)
    assert reply.error is None or reply.error.kind != "internal"


async def test_a_page_in_broken_utf8_is_read_with_replacements(ask, site):
    site.says("/otters", TEXT.encode() + b"<p>stray \xff\xfe\xc3( bytes among otters</p>")
    text = (await ask("scrape_page", url=URL)).wire["content"]
    assert "Otters hold hands" in text
    assert "bytes among otters" in text
    text.encode()


@pytest.mark.parametrize("where", ["header", "page"])
async def test_utf_7_is_never_honoured(where, ask, site):
    hidden = "+ADw-script+AD4-orders+ADw-/script+AD4-"
    head = "" if where == "header" else "<meta charset=utf-7>"
    site.says("/otters", f"{head}{TEXT}<p>{hidden}</p>", kind=f"text/html{'; charset=utf-7' * (where == 'header')}")
    text = (await ask("scrape_page", url=URL)).wire["content"]
    assert "+ADw-script+AD4-" in text
    assert "<script>" not in text


async def test_only_the_first_part_of_a_huge_robots_txt_is_read(ask, site):
    line = "Disallow: /a-rather-long-path-that-nobody-has\n"
    site.says("/robots.txt", "User-agent: *\n" + line * 230_000 + "Disallow: /late\n", kind="text/plain")
    hosts = (f"river{number}.example" for number in count())  # the rules of none are in the cache
    reply = (await assert_quick_call(lambda: ask("robots_check", url=f"http://{next(hosts)}/late"), 4)).wire
    assert reply["allowed"] is True
    assert len(json.dumps(reply)) < 1 << 20


async def test_a_failing_robots_txt_closes_the_site(ask, site):
    site.says("/robots.txt", "busy", 503)
    assert (await ask("robots_check", url="http://river.example/x")).wire["allowed"] is False


async def test_a_login_page_is_not_a_robots_txt(ask, site):
    site.says("/robots.txt", "<html><form>User-agent: *<br>Disallow: /<input type=password></form></html>")
    reply = (await ask("robots_check", url="http://river.example/x")).wire
    assert reply == {"allowed": True, "group_rules": []}
