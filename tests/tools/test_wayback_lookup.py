"""wayback_lookup, through `invoke`, like every entry point."""

import pytest
from tests.support.upstream import CUT, SILENT

KEPT = "http://web.archive.org/web/20200101000000/http://example.com/"
FOUND = {"archived_snapshots": {"closest": {"available": True, "url": KEPT, "timestamp": "20200101000000"}}}


@pytest.fixture
def environ(environ, upstream):
    return environ | {"WAYBACK_BASE_URL": upstream.url}


@pytest.fixture
def look(ask, at_once):
    async def look(url="http://example.com/?a=b&c", **more):
        return await ask("wayback_lookup", url=url, **more)

    return look


async def test_a_snapshot_is_reported_and_nothing_saved(look, upstream):
    upstream.says(FOUND)
    assert (await look(save=True)).wire == {"closest_url": KEPT, "timestamp": "20200101000000"}
    [request] = upstream.requests
    assert (request.path, request.query) == ("/available", {"url": "http://example.com/?a=b&c"})
    assert request.headers["user-agent"].startswith("Assay/")


@pytest.mark.parametrize(
    "body",
    [
        {"archived_snapshots": {}},
        {"archived_snapshots": None},
        {},
        {"archived_snapshots": {"closest": {"available": False, "url": KEPT}}},
        {"archived_snapshots": {"closest": {"available": True, "url": None}}},
        {"archived_snapshots": []},
    ],
)
async def test_no_snapshot_is_an_empty_answer(look, upstream, body):
    upstream.says(body)
    assert (await look()).wire == {}
    assert len(upstream.requests) == 1


async def test_where_there_is_none_one_is_made(look, upstream):
    upstream.then({"archived_snapshots": {}})
    upstream.then(b"", 302, location="/web/20260101000000/http://example.com/")
    upstream.says(b"<html>" + b"x" * 6_000_000)
    assert (await look(save=True)).wire == {"saved": True}
    assert [request.path for request in upstream.requests[:2]] == ["/available", "/save/"]
    assert upstream.requests[1].query == {"url": "http://example.com/?a=b&c"}


@pytest.mark.parametrize("status", [403, 404, 429, 500, 523])
async def test_a_save_that_failed_is_reported_with_the_look_up(look, upstream, status):
    upstream.then({"archived_snapshots": {}})
    upstream.says(b"", status)
    wire = (await look(save=True)).wire
    assert set(wire) == {"saved", "save_error"}
    assert wire["saved"] is False
    assert "wayback" in wire["save_error"]


async def test_only_web_addresses_are_saved(look, upstream):
    upstream.says({"archived_snapshots": {}})
    assert (await look("example", save=True)).error.message == "only http/https are allowed"
    assert len(upstream.requests) == 1


async def test_one_failure_is_forgiven_and_two_are_an_outage(look, upstream):
    upstream.then(b"busy", 503)
    upstream.says(FOUND)
    assert (await look()).wire["timestamp"] == "20200101000000"
    upstream.says(b"busy", 503)
    assert (await look()).error.kind == "upstream_unavailable"
    assert len(upstream.requests) == 4


@pytest.mark.parametrize(
    ("body", "status", "kind"),
    [
        ("<html>", 200, "upstream_unavailable"),
        ([], 200, "upstream_unavailable"),
        ({}, 400, "upstream_unavailable"),
        ({}, 404, "not_found"),
        ({}, 429, "rate_limited"),
        ({}, 403, "blocked"),
        (CUT, 0, "network"),
    ],
)
async def test_a_refusal_is_not_an_empty_answer(look, upstream, body, status, kind):
    upstream.says(body, status)
    assert (await look()).error.kind == kind


async def test_a_silent_archive_is_asked_once(upstream, http_of):
    from assay.errors import Network
    from assay.providers.wayback import Wayback

    upstream.says(SILENT)
    http, settings = http_of({"WAYBACK_BASE_URL": upstream.url})
    with pytest.raises(Network, match="timed out"):
        await Wayback(http, settings).closest("http://x.example/", seconds=0.1)
    assert len(upstream.requests) == 1


@pytest.mark.parametrize("url", ["", " "])
async def test_the_address_is_required(look, url):
    assert (await look(url)).error.message == "url is required"


@pytest.mark.parametrize("base", ["", "https://web.archive.org", "https://archive.org/"])
def test_the_archive_itself_looks_up_and_saves_at_two_hosts(http_of, base):
    from assay.providers.wayback import Wayback

    wayback = Wayback(*http_of({"WAYBACK_BASE_URL": base}))
    assert wayback.base_url + wayback.available == "https://archive.org/wayback/available"
    assert wayback.saving == ""
