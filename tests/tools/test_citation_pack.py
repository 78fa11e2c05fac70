"""What a citation needs, by the path that every caller takes."""

import re

import pytest

PAGE = "https://example.com:8443/p?a=1&b=2#f"
KEPT = "http://web.archive.org/web/20200101000000/http://example.com/"
FOUND = {"archived_snapshots": {"closest": {"available": True, "url": KEPT, "timestamp": "20200101000000"}}}


@pytest.fixture
def environ(environ, upstream):
    return environ | {"WAYBACK_BASE_URL": upstream.url}


@pytest.fixture
def pack(ask, at_once):
    async def pack(url: str = PAGE, *, wayback: bool | None = None, **doc: str):
        archive = {} if wayback is None else {"archive": {"wayback": wayback}}
        return await ask("citation_pack", doc={"url": url, **doc}, **archive)

    return pack


async def test_a_page_is_packed_without_asking_anybody(pack, upstream):
    reply = await pack(title="  On otters ", published_at="2020")
    assert reply.wire.pop("accessed_at")
    assert reply.wire == {"title": "On otters", "url": PAGE, "host": "example.com"}
    await pack(wayback=False)
    assert upstream.requests == []


async def test_the_time_of_access_is_now_in_utc(pack, clock):
    before = (await pack()).wire["accessed_at"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", before)
    clock.forward(86_400)
    assert (await pack()).wire["accessed_at"] > before


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("http://Example.COM/", "Example.COM"),
        ("HTTPS://example.com", "example.com"),
        ("http://[2001:db8::1]:8080/x", "2001:db8::1"),
        ("https://bücher.example/ü", "bücher.example"),
        ("https://example.com?x=http://other.example/", "example.com"),
    ],
)
async def test_the_host_is_as_it_is_written(pack, url, host):
    wire = (await pack(url)).wire
    assert (wire["url"], wire["host"]) == (url, host)


@pytest.mark.parametrize("wayback", [False, True])
async def test_user_names_and_passwords_are_neither_cited_nor_sent_to_the_archive(pack, upstream, wayback):
    upstream.says({"archived_snapshots": {}})
    wire = (await pack("https://user:word@Example.com:80/x", wayback=wayback)).wire
    assert (wire["url"], wire["host"]) == ("https://Example.com:80/x", "Example.com")
    assert [request.query["url"] for request in upstream.requests] == [wire["url"]] * wayback


async def test_no_title_is_not_a_field(pack):
    assert "title" not in (await pack(title=" \n")).wire


async def test_the_archives_copy_is_reported(pack, upstream):
    upstream.says(FOUND)
    assert (await pack(wayback=True)).wire["archive_url"] == KEPT
    [request] = upstream.requests
    assert (request.path, request.query) == ("/available", {"url": PAGE})


@pytest.mark.parametrize(
    "body", [{"archived_snapshots": {}}, {}, {"archived_snapshots": {"closest": {"available": False}}}]
)
async def test_no_copy_is_a_plain_success(pack, upstream, body):
    upstream.says(body)
    reply = await pack(wayback=True)
    assert reply.error is None
    assert not {"archive_url", "archive_error"} & set(reply.wire)


@pytest.mark.parametrize("status", [403, 404, 429, 500, 503])
async def test_an_archive_that_does_not_answer_is_reported_with_the_citation(pack, upstream, status):
    upstream.says({"archived_snapshots": {}}, status)
    wire = (await pack(wayback=True)).wire
    assert (wire["url"], wire["host"]) == (PAGE, "example.com")
    assert "archive_url" not in wire
    assert "wayback" in wire["archive_error"]


@pytest.mark.parametrize("body", [b"<html>down</html>", b"", b"[]", b"5", b"{"])
async def test_an_answer_that_cannot_be_read_is_reported_with_the_citation(pack, upstream, body):
    upstream.says(body)
    wire = (await pack(wayback=True)).wire
    assert wire["accessed_at"]
    assert "wayback" in wire["archive_error"]


WRONG = "doc.url must be a valid http/https URL"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "doc.url is required"),
        ({"doc": None}, "doc.url is required"),
        ({"doc": {}}, "doc.url is required"),
        ({"doc": {"title": "T"}}, "doc.url is required"),
        ({"doc": {"url": "  "}}, "doc.url is required"),
        ({"doc": {"url": None}}, "doc.url is required"),
        ({"doc": {"url": "example.com/x"}}, WRONG),
        ({"doc": {"url": "ftp://example.com/x"}}, WRONG),
        ({"doc": {"url": "javascript:alert(1)"}}, WRONG),
        ({"doc": {"url": "file:///etc/passwd"}}, WRONG),
        ({"doc": {"url": "https:///x"}}, WRONG),
        ({"doc": {"url": "http://:80/"}}, WRONG),
        ({"doc": {"url": "http://[::1"}}, WRONG),
        ({"doc": {"url": "http://example.com:99999/"}}, WRONG),
        ({"doc": {"url": "http://exa mple.com/"}}, WRONG),
        ({"doc": {"url": "http://example.com/\nHost: x"}}, WRONG),
    ],
)
async def test_a_wrong_argument_is_told_to_the_letter(ask, upstream, arguments, said):
    error = (await ask("citation_pack", **arguments)).error
    assert (error.kind, error.message) == ("validation", said)
    assert upstream.requests == []


@pytest.mark.parametrize(
    "doc", [5, "https://example.com/", ["https://example.com/"], {"url": 5}, {"url": PAGE, "title": 5}]
)
async def test_another_type_is_refused(ask, doc):
    assert (await ask("citation_pack", doc=doc)).error.message.startswith("parse json: doc")
