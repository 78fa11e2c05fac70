"""Snapshots of pages of sites that have an API."""

import pytest
from tests.support.pages import WALL, article

STORY = {
    "id": 101,
    "type": "story",
    "by": "ada",
    "time": 1_735_787_045,
    "title": "Otters",
    "score": 3,
    "text": "Stones.",
}
URL = "http://news.ycombinator.com/item?id=101"


@pytest.fixture
def story(answers, services, site):
    """The interface, and the site itself at `/item`."""
    answers("/hn/v0/item/101.json", STORY)
    port = int(site.url.rpartition(":")[2])

    async def resolve(*_):
        return ["93.184.215.14"]

    services.web_overrides |= {"resolve": resolve, "connect": lambda *_: ("127.0.0.1", port)}


def requested_paths(site):
    return {one.path.partition("?")[0] for one in site.requests}


async def test_the_interface_is_read_where_text_is_wanted(ask, story, site):
    reply = await ask("cinder_scrape", url=URL)
    assert (reply.wire["statusCode"], reply.wire["engine"], reply.wire["contentType"]) == (200, "static", "hn")
    assert "Stones." in reply.wire["content"]
    assert "/item" not in requested_paths(site)


async def test_the_page_itself_is_read_where_markup_is_wanted(ask, story, site):
    site.says("/item", article())
    reply = await ask("cinder_scrape", url=URL, returnFormat="html")
    assert reply.wire["contentType"] == "html"
    assert "Engineers measured the flow" in reply.wire["content"]


@pytest.mark.parametrize("status", [403, 429])
async def test_the_interface_is_read_where_the_page_itself_is_a_wall(ask, story, site, status):
    site.says("/item", WALL, status=status)
    reply = await ask("cinder_scrape", url=URL, returnFormat="html")
    assert (reply.wire["statusCode"], reply.wire["contentType"]) == (200, "hn")
    assert "Stones." in reply.wire["content"]


async def test_a_page_that_is_gone_is_gone(ask, story, site):
    site.says("/item", "", status=404)
    reply = await ask("cinder_scrape", url=URL, returnFormat="html")
    assert reply.wire["statusCode"] == 404


async def test_static_reads_no_interface(ask, story, site):
    site.says("/item", article())
    await ask("cinder_scrape", url=URL, mode="static")
    assert requested_paths(site) == {"/item"}
