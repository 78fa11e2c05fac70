"""Feeds of watches: at a secret address, valid, without cookies, and gone when they should be."""

import asyncio
import json
import re
from base64 import b64decode
from xml.etree import ElementTree as ET

import httpx
import pytest
import pytest_asyncio
from tests.support.watch_fixtures import ADA

from assay.bootstrap import local_services
from assay.caller import Caller
from assay.context import Context
from assay.documents.feed_parser import parse_feed
from assay.entrypoints import runtime
from assay.entrypoints.http import service_info
from assay.entrypoints.http.local_server import create_app
from assay.invoke import invoke
from assay.monitoring.watch_feed import format_atom, format_json_feed
from assay.monitoring.watch_records import FoundItem, Watch, WatchState
from assay.monitoring.watch_store import WATCH
from assay.settings import Settings

OTTERS = {"query": "otters & <b>friends</b>", "kind": "news"}
OLD = ("https://river.example/old", "Otters return", "They were last seen in 1950.")
HOSTILE = ("https://river.example/?a=1&b=2", '"5 < 6" ]]> & more', "4 < 5 & ]]>")
DAY = 86_400


@pytest_asyncio.fixture
async def browser(services):
    transport = httpx.ASGITransport(create_app(services))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8787") as client:
        yield client


async def save(ask, **more):
    return (await ask("monitor_query_save", ADA, **OTTERS, **more)).wire.get("feed")


async def test_a_feed_has_the_new_results_in_both_formats(ask, grant, serve_news, passes, clock, browser):
    await grant()
    serve_news(OLD)
    feed = await save(ask, feed="new")
    serve_news(OLD, HOSTILE)
    clock.forward(DAY + 60)
    await passes()
    for address, kind in ((feed["atom"], "atom+xml"), (feed["json"], "feed+json")):
        answer = await browser.get(address)
        assert answer.status_code == 200
        assert kind in answer.headers["content-type"]
        assert "noindex" in answer.headers["x-robots-tag"]
        assert "set-cookie" not in answer.headers
        parsed = parse_feed(answer.content, "utf-8", f"http://127.0.0.1:8787{address}")
        assert OTTERS["query"] in parsed.head.title
        [item] = parsed.items
        assert item.link == HOSTILE[0]
        assert item.title == HOSTILE[1]
    assert json.loads(answer.content)["items"][0]["content_text"] == HOSTILE[2]


@pytest.mark.parametrize(
    "text", ["</entry></feed><script>", "<!-- x", "]]>", '" onload="x', "a\x0b\x00\ud800\ufffeb", "&amp;lt;"]
)
def test_text_of_outside_sources_cannot_break_a_feed(text):
    found = FoundItem(id="1", url=f"https://x.example/{text}", title=text, snippet=text, author=text, found=1.0)
    watch = Watch(id="w", kind="news", query=text, every=1.0, created=1.0, until=2.0, days=1)
    state = WatchState(items=[found])
    atom = ET.fromstring(format_atom(watch, state, "https://x.example/feed").encode())
    seen = re.sub("[\x00\x0b\ud800\ufffe]", "\ufffd", text)
    name = "{http://www.w3.org/2005/Atom}"
    [entry] = atom.iter(f"{name}entry")
    assert [entry.findtext(f"{name}{tag}") for tag in ("title", "content")] == [seen, seen]
    assert entry.find(f"{name}link").get("href").endswith(seen)
    assert not [element for element in atom.iter() if "script" in element.tag]
    [item] = json.loads(format_json_feed(watch, state, "").encode(errors="surrogatepass"))["items"]
    assert (item["title"], item["content_text"]) == (text, text)


async def test_a_feed_is_found_by_its_secret_only(ask, grant, serve_news, browser, services, list_rows):
    await grant()
    serve_news(OLD)
    feed = await save(ask, feed="new")
    token = feed["atom"].removeprefix("/feeds/").removesuffix(".atom")
    assert not [row for row in list_rows() if token in "".join(row)]
    for wrong in (f"{token}x.atom", f"{token[:-1]}.json", f"{token}.xml", token, "a.atom", f"{'x' * 3000}.atom"):
        answer = await browser.get(f"/feeds/{wrong}")
        assert answer.status_code == 404
        assert token not in answer.text


async def test_a_feed_is_rotated_and_ended(ask, grant, serve_news, browser, clock):
    await grant()
    serve_news(OLD)
    first = (await save(ask, feed="new"))["atom"]
    assert await save(ask) is None
    assert (await browser.get(first)).status_code == 200
    second = (await save(ask, feed="new"))["atom"]
    assert (await browser.get(first)).status_code == 404
    assert (await browser.get(second)).status_code == 200
    await save(ask, feed="none")
    assert (await browser.get(second)).status_code == 404
    third = (await save(ask, feed="new"))["json"]
    await grant(granted=False)
    assert (await browser.get(third)).status_code == 404
    await grant()
    assert (await browser.get(third)).status_code == 200
    clock.forward(20 * DAY)
    await save(ask)
    clock.forward(20 * DAY)
    assert (await browser.get(third)).status_code == 200
    await ask("monitor_delete", ADA, everything=True)
    assert (await browser.get(third)).status_code == 404


async def test_calls_at_the_same_time_leave_one_secret_address(ask, grant, serve_news, browser, list_rows):
    await grant()
    serve_news(OLD)
    addresses = [feed["atom"] for feed in await asyncio.gather(*(save(ask, feed="new") for _ in range(5)))]
    assert [row[0].partition("/")[0] for row in list_rows()].count("watch-feed") == 1
    assert [(await browser.get(address)).status_code for address in addresses].count(200) == 1
    assert (await ask("monitor_list", ADA)).wire["total"] == 1


class MeddlingTable:
    """A table that lets another call act once: before the definition of a watch is deleted, or after it is stored."""

    def __init__(self, services, act, operation):
        self._table, self._services, self._act, self._operation = services.table, services, act, operation

    def __getattr__(self, name):
        return getattr(self._table, name)

    async def _meddle(self, operation, sort):
        if operation == self._operation and sort.startswith(WATCH) and self._services.table is self:
            self._services.table = self._table
            await self._act()

    async def put(self, key, sort, *rest, **more):
        version = await self._table.put(key, sort, *rest, **more)
        await self._meddle("put", sort)
        return version

    async def delete(self, key, sort="-", **more):
        await self._meddle("delete", sort)
        await self._table.delete(key, sort, **more)


async def test_a_deleted_watch_leaves_no_address_though_another_call_makes_or_renews_one(
    ask, grant, serve_news, services, list_rows
):
    await grant()
    serve_news(OLD)

    async def delete():
        await ask("monitor_delete", ADA, everything=True)

    await save(ask, feed="new")
    services.table = MeddlingTable(services, delete, "put")
    await save(ask)
    assert not [row for row in list_rows() if row[0].startswith("watch-feed/")]
    await save(ask, feed="new")
    services.table = MeddlingTable(services, lambda: save(ask, feed="new"), "delete")
    await delete()
    assert not [row for row in list_rows() if row[0].startswith(("watch-feed/", "watches/"))]


@pytest.fixture
def function_services(environ, clock):
    """Services on the event loop that functions share between calls."""
    services = local_services(Settings.read(environ | {"ASSAY_CONSENT": "monitoring"}), clock)
    yield services
    runtime.wait_for(services.close())
    asyncio.set_event_loop(None)


def test_the_function_of_aws_serves_feeds_too(function_services, serve_news):
    services = function_services
    serve_news(OLD)
    saved = runtime.wait_for(invoke("monitor_query_save", {**OTTERS, "feed": "new"}, Context(services, Caller())))
    handler = service_info.handler_for(lambda: services)

    def get(path):
        http = {"method": "GET", "path": path, "sourceIp": "192.0.2.7", "protocol": "HTTP/1.1", "userAgent": "test"}
        event = {
            "version": "2.0", "routeKey": "GET /feeds/{proxy+}", "rawPath": path, "rawQueryString": "", "headers": {"host": "assay.example"},
            "requestContext": {"http": http, "requestId": "r", "stage": "$default", "domainName": "assay.example"},
            "body": "", "isBase64Encoded": False,
        }  # fmt: skip
        return handler(event, None)

    answer = get(saved.wire["feed"]["atom"])
    assert answer["statusCode"] == 200
    assert not answer.get("cookies")
    assert answer["headers"]["content-type"].startswith("application/atom+xml")
    body = b64decode(answer["body"]) if answer["isBase64Encoded"] else answer["body"].encode()
    assert OTTERS["query"] in parse_feed(body, "utf-8", "https://assay.example/").head.title
    assert get("/feeds/assaywf_0123456789.atom")["statusCode"] == 404
