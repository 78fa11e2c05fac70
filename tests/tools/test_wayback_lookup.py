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
    assert (await look()).wire == {"closest_url": KEPT, "timestamp": "20200101000000"}
    [request] = upstream.requests
    assert (request.path, request.query) == ("/available", {"url": "http://example.com/?a=b&c"})
    assert request.headers["user-agent"].startswith("Assay/")


async def test_user_names_and_passwords_are_not_sent_to_the_archive(look, upstream):
    upstream.says(FOUND)
    await look("http://user:word@example.com/a")
    assert upstream.requests[0].query == {"url": "http://example.com/a"}


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


async def test_a_look_up_does_not_save(look):
    assert (await look(save=True)).error.field == "save"


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
        ({}, 404, "upstream_unavailable"),
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
