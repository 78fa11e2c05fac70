"""crossref_search, through `invoke`, like every entry point."""

import pytest
from tests.support.upstream import CUT, SILENT

WORK = {
    "title": ["On <i>otters</i>", "Second"],
    "DOI": "10.1/x",
    "issued": {"date-parts": [[2020, 3, 4]]},
    "container-title": ["River &amp; Sea"],
    "short-title": ["Otters"],
}


@pytest.fixture
def environ(environ, upstream):
    return environ | {"CROSSREF_BASE_URL": upstream.url, "CROSSREF_MAILTO": "dev@example.com"}


@pytest.fixture
def search(ask, at_once):
    async def search(**asked):
        return await ask("crossref_search", **({"q": "otters"} | asked))

    return search


def crossref_body(*works):
    return {"status": "ok", "message": {"items": list(works)}}


async def test_works_are_read_and_we_say_who_asks(search, upstream):
    upstream.says(crossref_body(WORK))
    assert (await search()).wire["results"] == [
        {
            "title": "On otters",
            "doi": "10.1/x",
            "issued": "2020-03-04",
            "container": "River & Sea",
            "title_short": "Otters",
        }
    ]
    [request] = upstream.requests
    assert (request.path, request.query) == ("/works", {"query": "otters", "rows": "10", "mailto": "dev@example.com"})
    assert request.headers["user-agent"].startswith("Assay/")
    assert "mailto:dev@example.com" in request.headers["user-agent"]


@pytest.mark.parametrize(
    ("parts", "issued"),
    [
        ([[2020]], "2020"),
        ([[2020, 3]], "2020-03"),
        ([[987, 1, 2]], "0987-01-02"),
        ([[None]], ""),
        ([[2020, None, 4]], "2020"),
        ([[]], ""),
        ([], ""),
        (None, ""),
        ([["2020"]], ""),
        ([[2020, 0]], "2020"),
    ],
)
async def test_a_date_has_the_parts_that_are_known(search, upstream, parts, issued):
    upstream.says(crossref_body({"issued": {"date-parts": parts}}))
    assert (await search()).wire["results"] == [{"title": "", "doi": "", "issued": issued, "container": ""}]


@pytest.mark.parametrize("body", [crossref_body(), {"message": {"items": None}}, {"message": None}, {}])
async def test_nothing_found_is_a_list(search, upstream, body):
    upstream.says(body)
    assert (await search()).wire == {"results": []}


@pytest.mark.parametrize(("asked", "sent"), [(5, "5"), (99, "50"), (0, "10"), (-1, "10")])
async def test_fifty_are_asked_for_at_most(search, upstream, asked, sent):
    upstream.says(crossref_body())
    await search(rows=asked)
    assert upstream.requests[0].query["rows"] == sent


@pytest.mark.parametrize(("headers", "wait"), [({"retry_after": "7"}, 7), ({}, 60)])
async def test_a_limit_is_reported_with_its_wait_and_not_tried_again(search, upstream, headers, wait):
    from assay.toolkit.json_tools import build_error_document

    upstream.says(b"", 429, **headers)
    reply = await search()
    assert build_error_document(reply.error) == {
        "error": "RATE_LIMITED",
        "hint": f"retry after {wait} seconds",
        "retry_after_ms": wait * 1000,
    }
    assert reply.error.retry_after == wait
    assert len(upstream.requests) == 1


async def test_who_asks_must_be_said(environ):
    from assay.bootstrap import local_services
    from assay.caller import Caller
    from assay.context import Context
    from assay.invoke import invoke
    from assay.settings import Settings

    services = local_services(Settings.read(environ | {"CROSSREF_MAILTO": ""}))
    for request, words in (({"q": "x"}, "CROSSREF_MAILTO is required"), ({"q": ""}, "q is required")):
        assert (await invoke("crossref_search", request, Context(services, Caller()))).error.message == words
    await services.close()


async def test_a_silent_server_is_not_waited_for(environ, upstream):
    from assay.bootstrap import local_services
    from assay.caller import Caller
    from assay.context import Context
    from assay.invoke import invoke
    from assay.settings import Settings

    upstream.says(SILENT)
    services = local_services(Settings.read(environ | {"HTTP_TIMEOUT_MS": "100"}))
    reply = await invoke("crossref_search", {"q": "x"}, Context(services, Caller()))
    await services.close()
    assert "timed out" in reply.error.message


@pytest.mark.parametrize(
    ("body", "status", "kind"),
    [
        ("<html>", 200, "upstream_unavailable"),
        ([], 200, "upstream_unavailable"),
        ({"message": {"items": 5}}, 200, "upstream_unavailable"),
        (crossref_body(), 400, "upstream_unavailable"),
        (crossref_body(), 404, "upstream_unavailable"),
        ({}, 500, "upstream_unavailable"),
        (b"[" + b" " * 5_000_000 + b"]", 200, "upstream_unavailable"),
        (CUT, 0, "network"),
    ],
)
async def test_a_refusal_is_not_an_empty_list(search, upstream, body, status, kind):
    upstream.says(body, status)
    assert (await search()).error.kind == kind
    assert len(upstream.requests) == 1


async def test_a_failure_has_the_words_that_callers_compare(search, upstream):
    from assay.toolkit.json_tools import build_error_document

    for status in (400, 404, 503):
        upstream.says({}, status)
        assert build_error_document((await search()).error)["error"] == f"http status: {status}"
    upstream.says(b"[" + b" " * 5_000_000 + b"]")
    assert build_error_document((await search()).error)["error"] == "response too large"
