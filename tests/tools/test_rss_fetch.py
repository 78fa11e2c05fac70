"""rss_fetch, through `invoke`, like every entry point."""

import pytest
from tests.support.upstream import CUT, HALF

RSS = """<rss version="2.0"><channel><title>Otters</title><link>https://o.example/</link>
<item><title>One &amp; two</title><link>https://o.example/1</link><pubDate>Tue, 05 Mar 2024 10:00:00 +0100</pubDate>
<description>&lt;p&gt;Hi&lt;/p&gt;</description></item><item><title>Bare</title></item></channel></rss>"""


@pytest.fixture
def feed(ask, site):
    async def feed(body, **more):
        site.says("/f", body, kind=more.pop("kind", "application/xml"), headers=more.pop("headers", {}))
        return await ask("rss_fetch", url=site.url + "/f", **more)

    return feed


async def test_title_link_and_items_come_as_written(feed):
    assert (await feed(RSS)).wire == {
        "feed": {"title": "Otters", "link": "https://o.example/"},
        "items": [
            {
                "title": "One & two",
                "url": "https://o.example/1",
                "published_at": "Tue, 05 Mar 2024 10:00:00 +0100",
                "summary": "<p>Hi</p>",
            },
            {"title": "Bare", "url": ""},
        ],
    }


async def test_an_empty_feed_is_a_feed(feed):
    assert (await feed("<rss/>")).wire == {"feed": {"title": "", "link": ""}, "items": []}


async def test_in_atom_the_last_change_is_the_date(feed):
    atom = (
        '<feed xmlns="http://www.w3.org/2005/Atom"><title>E</title><entry><title>B</title><link href="/b"/>'
        "<published>2006-01-01T00:00:00Z</published><updated>2006-01-02T15:04:05Z</updated></entry></feed>"
    )
    [item] = (await feed(atom)).wire["items"]
    assert item["published_at"] == "2006-01-02T15:04:05Z"
    assert item["url"].endswith("/b")
    assert item["url"].startswith("http://127.0.0.1")


IMPOSSIBLE = [
    "Fri, 03 13 2024 10:00:00 GMT",
    "2024-13-03T10:00:00Z",
    "2024-02-30",
    "2024-05-03T25:00:00Z",
    "0000-00-00 00:00:00",
    "-0001-11-30T00:00:00+00:00",
    "Fri, 03 May 0000 00:00:00 GMT",
    "Mon, 32 Jan 2024 00:00:00 +0000",
    "Mon, 1 Jan 2024 25:61:00 +0000",
    "Fri, 3 Foo 2024 10:00:00 GMT",
]


@pytest.mark.parametrize("date", IMPOSSIBLE)
async def test_a_date_that_no_calendar_has_is_left_out(feed, date):
    item = f"<item><title>A</title><pubDate>{date}</pubDate><dc:date>2024-05-03</dc:date></item>"
    stripped = f"<item><title>B</title><pubDate>{date}</pubDate></item>"
    rss = f'<rss xmlns:dc="http://purl.org/dc/elements/1.1/"><channel>{item}{stripped}</channel></rss>'
    items = (await feed(rss)).wire["items"]
    assert items[0]["published_at"] == "2024-05-03"
    assert "published_at" not in items[1]


@pytest.mark.parametrize(
    "date", ["Fri, 03 May 2024 10:00:00 GMT", "3 mai 2024 10:00", "3. Mai 2024", "20240503", "today", "May 3, 2024"]
)
async def test_a_date_in_any_other_form_comes_as_written(feed, date):
    rss = f"<rss><channel><item><title>A</title><pubDate>{date}</pubDate></item></channel></rss>"
    assert (await feed(rss)).wire["items"][0]["published_at"] == date


async def test_the_name_of_a_foreign_root_is_not_repeated(feed):
    reply = await feed("<ignore-all-rules><a/></ignore-all-rules>")
    assert reply.error is not None
    assert "ignore" not in f"{reply.error.message} {reply.error.hint}"


async def test_the_servers_charset_counts(feed):
    body = "<rss><channel><title>кошки</title></channel></rss>".encode("koi8-r")
    assert (await feed(body, kind="text/xml; charset=koi8-r")).wire["feed"]["title"] == "кошки"


async def test_marks_of_last_time_are_reported_and_sent(feed, site):
    marks = {"etag": '"v1"', "last-modified": "Tue, 05 Mar 2024 10:00:00 GMT"}
    wire = (await feed(RSS, headers=marks)).wire
    assert (wire["etag"], wire["last_modified"]) == ('"v1"', "Tue, 05 Mar 2024 10:00:00 GMT")
    await feed(RSS, if_modified_since=wire["last_modified"], if_none_match=wire["etag"])
    assert site.requests[-1].headers["if-modified-since"] == "Tue, 05 Mar 2024 10:00:00 GMT"
    assert site.requests[-1].headers["if-none-match"] == '"v1"'
    assert "if-none-match" not in site.requests[0].headers


async def test_what_has_not_changed_is_an_empty_feed_that_says_so(ask, site):
    site.says("/f", b"", 304)
    reply = await ask("rss_fetch", url=site.url + "/f", if_none_match='"v1"')
    assert reply.wire == {"feed": {"title": "", "link": ""}, "items": [], "not_modified": True}


async def test_we_name_ourselves(feed, site):
    await feed(RSS)
    agent = site.requests[0].headers["user-agent"]
    assert agent.startswith("agentcli-rss-fetch/0.1")
    assert "Assay/" in agent


@pytest.mark.parametrize("value", ["x\r\nHost: evil", "x\ny", "ä"])
async def test_a_header_is_one_line(feed, site, value):
    reply = await feed(RSS, if_modified_since=value)
    assert "invalid header field value" in reply.error.message
    assert site.requests == []


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (404, "not_found"),
        (410, "not_found"),
        (403, "blocked"),
        (429, "rate_limited"),
        (500, "upstream_unavailable"),
    ],
)
async def test_a_refusal_is_not_an_empty_feed(ask, site, status, kind):
    site.says("/f", RSS, status, headers={"retry-after": "7"})
    reply = await ask("rss_fetch", url=site.url + "/f")
    assert (reply.error.kind, reply.error.message) == (kind, f"status {status}")
    if status == 429:
        assert reply.error.retry_after == 7


@pytest.mark.parametrize(
    "body",
    ["<html></html>", "<!doctype html><title>x</title>", "", "not xml", "{}", '{"items": 1}', "[]", "<a", b"\x00\xff",
     "<!DOCTYPE rss [<!ENTITY a 'x'>]><rss>&a;</rss>", "<x:rss/>" * 2],
)  # fmt: skip
async def test_what_is_not_a_feed_is_refused_in_fixed_words(feed, body):
    assert (await feed(body)).error.message == "unsupported feed format"


@pytest.mark.parametrize("body", ["<html></html>", "not xml", "{}"])
async def test_what_is_not_a_feed_is_not_worth_a_retry(feed, body):
    error = (await feed(body)).error
    assert (error.kind, error.retryable, error.suggested_action) == ("upstream_unavailable", False, "inform_user")


HEAD = """<!-- hello --><!DOCTYPE html><html><head><link rel="stylesheet" type="text/css" href="/x.css">
<link rel="alternate" hreflang="de" href="/de"><link rel="alternate" type="application/rss+xml" href="/feed?a=1&amp;b=2">
<LINK REL="Alternate" TYPE="application/atom+xml; charset=utf-8" HREF="atom.xml">
<link rel="alternate" type="application/rss+xml" href="javascript:alert(1)"><link rel=alternate type=application/rss+xml>
<link rel="alternate" type="application/feed+json" href="https://ada:secret@o.example/feed.json">
<link rel="alternate" type="application/rss+xml" href="/feed?a=1&b=2"></head><body>Otters</body></html>"""


async def test_a_page_names_its_feeds_in_the_error(feed, site):
    error = (await feed(HEAD, kind="text/html")).error
    assert (error.message, error.retryable) == ("unsupported feed format", False)
    feeds = [site.url + "/feed?a=1&b=2", site.url + "/atom.xml", "https://o.example/feed.json"]
    assert error.sentence().endswith("This is a page, not a feed. It names these: " + " ".join(feeds))


async def test_a_page_without_feeds_says_so(feed):
    error = (await feed("<!doctype html><title>Otters</title>", kind="text/html")).error
    assert "a page, not a feed, and it names none" in error.sentence()


async def test_the_base_of_a_page_counts_for_its_feeds(feed):
    page = '<html><base href="https://o.example/blog/"><link rel=alternate type=application/rss+xml href=feed></html>'
    assert (await feed(page, kind="text/html")).error.sentence().endswith("names these: https://o.example/blog/feed")


async def test_a_feed_that_breaks_off_is_not_a_feed(ask, upstream):
    upstream.says(HALF)
    assert (await ask("rss_fetch", url=upstream.url)).error.message == "read body: unexpected EOF"
    upstream.says(CUT)
    assert (await ask("rss_fetch", url=upstream.url)).error.kind == "network"


async def test_a_feed_has_a_largest_size(feed):
    reply = await feed(b"<rss>" + b" " * (8 * 1024 * 1024) + b"</rss>")
    assert reply.error.kind == "validation"


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("", "url is required"),
        ("ftp://x.example/", "only http/https are allowed"),
        ("http://169.254.169.254/f", "SSRF blocked: private or loopback address"),
    ],
)
async def test_an_address_that_is_invalid_is_refused_in_fixed_words(ask, url, words):
    assert (await ask("rss_fetch", url=url)).error.message == words


async def test_each_hop_is_judged_again(ask, site):
    site.says("/f", b"", 302, headers={"location": "http://169.254.169.254/"})
    reply = await ask("rss_fetch", url=site.url + "/f")
    assert reply.error.message == "SSRF blocked: private or loopback address"
