"""Addresses that a page, a feed, a result or a redirect names: they go by the same rule as a caller's."""

import json

import pytest

HOSTS = ["127.0.0.1", "localhost", "2130706433", "[::ffff:127.0.0.1]", "inward.example"]
BODY = (
    "<article><h1>Otters</h1>"
    + "<p>Otters hold hands while they sleep, and keep a favourite stone.</p>" * 12
    + "</article>"
)
HEADS = {
    "refresh": '<meta http-equiv="refresh" content="0; url={}">',
    "canonical": '<link rel="canonical" href="{}"><meta property="og:url" content="{}">',
    "alternate": '<link rel="alternate" type="text/markdown" href="{}"><link rel="alternate" type="application/rss+xml" href="{}">',
    "pdf": '<meta name="citation_pdf_url" content="{}"><link rel="amphtml" href="{}">',
    "base": '<base href="{}">',
    "icon": '<link rel="icon" href="{}"><link rel="manifest" href="{}"><link rel="stylesheet" href="{}">',
    "image": '<meta property="og:image" content="{}"><meta property="og:video" content="{}">',
}
BODIES = {
    "iframe": '<iframe src="{}"></iframe><object data="{}"></object><embed src="{}">',
    "img": '<img src="{}" srcset="{} 2x"><video src="{}"><track kind="captions" src="{}"></video>',
    "link": '<a rel="next" href="{}">Next</a><a href="{}">More</a>',
}


def address(canary, host: str) -> str:
    return f"http://{host}:{canary.url.rpartition(':')[2]}/secret"


def page(name: str, where: str) -> str:
    head, body = HEADS.get(name, "").replace("{}", where), BODIES.get(name, "").replace("{}", where)
    return f"<html><head><title>On otters</title>{head}</head><body>{BODY}{body}</body></html>"


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("mode", ["full", "raw", "preview"])
async def test_no_spelling_of_this_machine_is_read(host, mode, ask, canary):
    reply = await ask("scrape_page", url=address(canary, host), mode=mode)
    assert reply.error.kind == "validation"
    assert not reply.error.retryable
    assert canary.requests == []
    assert "127.0.0.1" not in reply.error.text() or "127.0.0.1" in host


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("name", [*HEADS, *BODIES])
async def test_what_a_page_names_is_not_fetched_inward(name, host, ask, site, canary):
    site.says("/otters", page(name, address(canary, host)))
    reply = await ask("scrape_page", url="http://river.example/otters")
    assert canary.requests == []
    if name != "refresh":
        assert "Otters hold hands" in reply.wire["content"]


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("tool", ["scrape_page", "http_fetch", "rss_fetch", "robots_check"])
async def test_a_redirect_inward_is_not_followed(tool, status, host, ask, site, canary):
    for path in ("/otters", "/robots.txt"):
        site.says(path, "", status, headers={"location": address(canary, host)})
    await ask(tool, url="http://river.example/otters")
    assert canary.requests == []
    assert site.requests


@pytest.mark.parametrize("host", HOSTS)
async def test_a_feeds_own_links_are_reported_and_not_followed(host, ask, site, canary):
    where = address(canary, host)
    feed = f"""<?xml version="1.0"?><?xml-stylesheet href="{where}"?><!DOCTYPE rss SYSTEM "{where}">
        <rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><title>River</title><link>{where}</link>
        <atom:link rel="self" href="{where}"/><atom:link rel="next" href="{where}"/>
        <item><title>Otters</title><link>{where}</link><enclosure url="{where}" type="audio/mpeg"/></item></channel></rss>"""
    site.says("/feed", feed, kind="application/rss+xml")
    await ask("rss_fetch", url="http://river.example/feed")
    assert canary.requests == []


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("tool", ["search_and_scrape", "web_search", "image_search", "news_search"])
async def test_a_result_that_points_inward_is_not_read(tool, host, ask, site, canary):
    where = address(canary, host)
    row = {
        "url": where,
        "title": "Otters",
        "content": "Otters",
        "img_src": where,
        "thumbnail_src": where,
        "engine": "x",
    }
    site.says("/searxng/search", json.dumps({"query": "otters", "results": [row]}), kind="application/json")
    await ask(tool, query="otters")
    assert any("/searxng" in request.path for request in site.requests)
    assert canary.requests == []


@pytest.mark.parametrize("answers", [[["93.184.215.14"], ["127.0.0.1"]], [["93.184.215.14", "127.0.0.1"]]])
async def test_a_name_that_changes_its_mind_is_not_dialled(answers, ask, services, site, canary):
    """What was checked is what is dialled, and one bad answer among good ones is enough."""
    left = list(answers)

    async def resolve(*_: object) -> list[str]:
        return left.pop(0) if len(left) > 1 else left[0]

    services.web_overrides["resolve"] = resolve
    port = canary.url.rpartition(":")[2]
    site.says("/otters", "", 302, headers={"location": f"http://rebind.example:{port}/secret"})
    await ask("http_fetch", url="http://rebind.example/otters")
    assert canary.requests == []
    assert bool(site.requests) is (len(answers) > 1)


@pytest.mark.parametrize("field", ["proxy", "jku", "open_access_url", "callback_url", "webhook"])
async def test_no_tool_takes_an_address_beside_the_one_it_reads(field, ask, canary):
    reply = await ask("scrape_page", url="http://river.example/otters", **{field: canary.url})
    assert reply.error.kind == "validation"
    assert field in reply.error.text()
