"""openalex_search, through `invoke`, like every entry point."""

import pytest
from tests.support.time_limits import try_limits
from tests.support.upstream import CUT, SILENT

WORK = {
    "display_name": "On <i>otters</i>",
    "title": "Other",
    "doi": "https://doi.org/10.1/x",
    "publication_year": 2020,
    "open_access": {"oa_url": "https://o.example/x.pdf"},
    "authorships": [{"author": {"display_name": "Ada"}}],
    "cited_by_count": 7,
}


@pytest.fixture
def environ(environ, upstream):
    return environ | {"OPENALEX_BASE_URL": upstream.url}


@pytest.fixture
def search(ask, at_once):
    async def search(**asked):
        return await ask("openalex_search", **({"q": "otters"} | asked))

    return search


async def test_works_are_read(search, upstream):
    upstream.says({"results": [WORK], "meta": {"next_cursor": "abc"}})
    assert (await search()).wire == {
        "results": [
            {
                "title": "On otters",
                "doi": "https://doi.org/10.1/x",
                "publication_year": 2020,
                "open_access_url": "https://o.example/x.pdf",
                "authorships": WORK["authorships"],
                "cited_by_count": 7,
            }
        ],
        "next_cursor": "abc",
    }
    [request] = upstream.requests
    assert request.path == "/works"
    assert {"search": "otters", "per-page": "10", "cursor": "*"}.items() <= request.query.items()
    assert "filter" not in request.query


@pytest.mark.parametrize(
    "row",
    [
        {},
        dict.fromkeys(WORK),
        {"open_access": 5, "authorships": {}, "publication_year": "x", "cited_by_count": []},
    ],
)
async def test_what_is_missing_is_zero_or_empty(search, upstream, row):
    upstream.says({"results": [row, None, 5]})
    assert (await search()).wire["results"] == [
        {"title": "", "publication_year": 0, "authorships": [], "cited_by_count": 0}
    ]


@pytest.mark.parametrize("body", [{"results": []}, {"results": None}, {}])
async def test_nothing_found_is_a_list(search, upstream, body):
    upstream.says(body)
    assert (await search()).wire == {"results": []}


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"from": "2020-01-01", "to": "2021-12-31"}, "from_publication_date:2020-01-01,to_publication_date:2021-12-31"),
        ({"from": "2020"}, "from_publication_date:2020-01-01"),
        ({"to": "2020"}, "to_publication_date:2020-12-31"),
        ({"from": "2024-02", "to": "2024-02"}, "from_publication_date:2024-02-01,to_publication_date:2024-02-29"),
    ],
)
async def test_dates_go_where_openalex_reads_them(search, upstream, asked, expected):
    upstream.says({"results": []})
    await search(**asked)
    assert upstream.requests[0].query["filter"] == expected


async def test_a_period_that_ends_before_it_begins_is_refused(search, upstream):
    error = (await search(**{"from": "2022", "to": "2020-12"})).error
    assert (error.kind, error.field, error.message) == ("validation", "to", "to lies before from; swap them")
    assert upstream.requests == []


@pytest.mark.parametrize(
    "date", ["yesterday", "2020-13", "2023-02-29", "0000", "2020-01-01,cited_by_count:>1", "20200101"]
)
@pytest.mark.parametrize("name", ["from", "to"])
async def test_what_is_not_a_date_is_refused(search, upstream, name, date):
    assert (await search(**{name: date})).error.message == f"{name} must be a date: YYYY-MM-DD, YYYY-MM or YYYY"
    assert upstream.requests == []


@pytest.mark.parametrize(("asked", "sent"), [(5, "5"), (99, "50"), (0, "10"), (-1, "10"), (None, "10")])
async def test_a_page_has_fifty_at_most(search, upstream, asked, sent):
    upstream.says({"results": []})
    await search(per_page=asked)
    assert upstream.requests[0].query["per-page"] == sent


async def test_a_cursor_is_sent_back(search, upstream):
    upstream.says({"results": [WORK], "meta": {"next_cursor": None}})
    assert "next_cursor" not in (await search(cursor="abc")).wire
    assert upstream.requests[0].query["cursor"] == "abc"


async def test_where_cursors_need_a_key_pages_are_counted(search, upstream):
    counted = {"results": [WORK], "meta": {"count": 25, "next_cursor": None}}
    upstream.then({"error": "key required"}, 401)
    upstream.says(counted)
    assert (await search()).wire["next_cursor"] == "page:2"
    assert upstream.requests[1].query["page"] == "1"
    assert "cursor" not in upstream.requests[1].query
    assert (await search(cursor="page:2")).wire["next_cursor"] == "page:3"
    assert "next_cursor" not in (await search(cursor="page:3")).wire
    assert "10000" in (await search(cursor="page:1001")).error.message


async def test_a_key_that_is_refused_is_reported(environ, upstream, http_of):
    from assay.errors import AuthRequired
    from assay.providers.openalex import OpenAlex

    upstream.says({}, 401)
    openalex = OpenAlex(
        *http_of({"OPENALEX_BASE_URL": upstream.url, "OPENALEX_API_KEY": "k", "OPENALEX_EMAIL": "a@b.example"})
    )
    with pytest.raises(AuthRequired):
        await openalex.works("x")
    assert len(upstream.requests) == 1
    assert {"api_key": "k", "mailto": "a@b.example"}.items() <= upstream.requests[0].query.items()


async def test_one_failure_is_forgiven_whether_a_status_or_silence(environ, upstream):
    from assay.bootstrap import local_services
    from assay.caller import Caller
    from assay.context import Context
    from assay.invoke import invoke
    from assay.settings import Settings

    async def search(seconds):
        upstream.reset()
        services = local_services(Settings.read(environ | {"HTTP_TIMEOUT_MS": f"{1000 * seconds:.0f}"}))
        replies = []
        for trouble in ((b"", 500), (SILENT,)):
            upstream.then(*trouble)
            upstream.says({"results": []})
            replies.append(await invoke("openalex_search", {"q": "x"}, Context(services, Caller())))
        upstream.says(SILENT)
        reply = await invoke("openalex_search", {"q": "x"}, Context(services, Caller()))
        await services.close()
        assert [each.error for each in replies] == [None, None]
        assert "timed out" in reply.error.message
        assert len(upstream.requests) == 6

    await try_limits(search, 0.1, 1, 10)


@pytest.mark.parametrize(
    ("body", "status", "kind", "count"),
    [
        ("<html>", 200, "upstream_unavailable", 1),
        ("[]", 200, "upstream_unavailable", 1),
        ({"results": 5}, 200, "upstream_unavailable", 1),
        ({"error": "Invalid query parameter"}, 400, "upstream_unavailable", 1),
        ({"results": []}, 403, "blocked", 1),
        ({}, 401, "auth_required", 2),
        ({}, 429, "rate_limited", 1),
        ({}, 503, "upstream_unavailable", 2),
        (CUT, 0, "network", 2),
    ],
)
async def test_a_refusal_is_not_an_empty_list(search, upstream, body, status, kind, count):
    upstream.says(body, status)
    assert (await search()).error.kind == kind
    assert len(upstream.requests) == count


@pytest.mark.parametrize("q", ["", "  "])
async def test_the_question_is_required(search, q):
    assert (await search(q=q)).error.message == "q is required"
