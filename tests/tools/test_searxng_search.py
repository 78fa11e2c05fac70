"""searxng_search, through `invoke`, like every entry point."""

import pytest
from tests.support.time_limits import try_limits
from tests.support.upstream import CUT, SILENT

from assay.errors import ConfigError

ROW = {"title": "Otters", "url": "https://o.example/", "content": "They float", "engine": "ddg", "score": 1}


@pytest.fixture
def environ(environ, upstream):
    return environ | {"SEARXNG_BASE_URL": upstream.url + "/searx"}


@pytest.fixture
def search(ask, at_once):
    async def search(**asked):
        return await ask("searxng_search", **({"q": "otters"} | asked))

    return search


async def test_rows_are_read_and_the_question_is_repeated(search, upstream):
    dated = ROW | {"publishedDate": "2024-01-02", "content": None, "snippet": "Also"}
    upstream.says({"results": [ROW, dated, {"title": 5, "url": None}]})
    assert (await search(q=" a b ")).wire == {
        "query": " a b ",
        "results": [
            {"title": "Otters", "url": "https://o.example/", "snippet": "They float", "engine": "ddg"},
            {
                "title": "Otters",
                "url": "https://o.example/",
                "snippet": "Also",
                "engine": "ddg",
                "published_at": "2024-01-02",
            },
            {"title": "", "url": "", "snippet": "", "engine": ""},
        ],
    }


async def test_every_parameter_goes_by_the_instances_own_name(search, upstream):
    upstream.says({"results": []})
    await search(time_range="week", categories=["general", "it"], engines=["x", "y"], language="fi", page=2, size=3)
    [request] = upstream.requests
    assert request.path == "/searx/search"
    assert request.query == {
        "q": "otters",
        "format": "json",
        "time_range": "week",
        "categories": "general,it",
        "engines": "x,y",
        "language": "fi",
        "pageno": "2",
    }
    assert request.headers["user-agent"].startswith("Assay/")


@pytest.mark.parametrize(("size", "count"), [(2, 2), (50, 50), (0, 50), (-3, 50), (None, 50)])
async def test_size_cuts_the_list(search, upstream, size, count):
    upstream.says({"results": [ROW] * 60})
    assert len((await search(size=size)).wire["results"]) == count


@pytest.mark.parametrize("body", [{"results": []}, {"results": None}, {}])
async def test_nothing_found_is_a_list(search, upstream, body):
    upstream.says(body)
    assert (await search()).wire["results"] == []


async def test_nothing_found_while_engines_were_down_is_an_outage(search, upstream):
    upstream.says({"results": [], "unresponsive_engines": [["google", "timeout"]]})
    assert "google" in (await search()).error.message


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"q": ""}, "q is required"),
        ({"q": " "}, "q is required"),
        ({"size": 51}, "size must be <= 50"),
        ({"time_range": "hour"}, "time_range must be one of: day, week, month, year"),
    ],
)
async def test_a_wrong_question_is_refused_in_fixed_words(search, upstream, asked, words):
    reply = await search(**asked)
    assert (reply.error.kind, reply.error.message) == ("validation", words)
    assert upstream.requests == []


@pytest.mark.parametrize(
    ("base", "words"),
    [
        ("", "SEARXNG_BASE_URL is required"),
        ("ftp://x", "SEARXNG_BASE_URL must be a valid http/https URL"),
        ("searx", "SEARXNG_BASE_URL must be a valid http/https URL"),
    ],
)
async def test_the_instance_must_be_named(environ, base, words):
    from assay.settings import Settings
    from assay.tools.searxng_search import _check_configured

    with pytest.raises(ConfigError, match=words) as failure:
        _check_configured(Settings.read({"SEARXNG_BASE_URL": base}))
    if not base:
        assert failure.value.hint == "export SEARXNG_BASE_URL=http://localhost:8888"


@pytest.mark.parametrize(("name", "is_named"), [("SEARXNG_URL", True), ("SEARXNG_BASE_URL", True), ("OTHER", False)])
def test_either_variable_names_the_instance_to_every_search(name, is_named):
    from assay.providers.searxng import Searxng
    from assay.settings import Settings

    assert Searxng.is_configured(Settings.read({name: "http://searx.example"})) is is_named


async def test_what_the_operators_address_asks_is_asked_always(environ, upstream):
    from assay.bootstrap import local_services
    from assay.caller import Caller
    from assay.context import Context
    from assay.invoke import invoke
    from assay.settings import Settings

    upstream.says({"results": [ROW]})
    services = local_services(Settings.read(environ | {"SEARXNG_BASE_URL": upstream.url + "/searx/?theme=simple"}))
    reply = await invoke("searxng_search", {"q": "x"}, Context(services, Caller()))
    await services.close()
    assert reply.error is None
    assert upstream.requests[0].path == "/searx/search"
    assert upstream.requests[0].query["theme"] == "simple"


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_it_is_asked_three_times(search, upstream, status):
    upstream.then(b"", status)
    upstream.then(b"", status)
    upstream.says({"results": [ROW]})
    assert len((await search()).wire["results"]) == 1
    assert len(upstream.requests) == 3


async def test_the_fourth_time_is_one_too_many(search, upstream):
    upstream.says(b"busy", 503)
    reply = await search()
    assert reply.error.kind == "upstream_unavailable"
    assert "SEARXNG_BASE_URL" in reply.error.hint
    assert len(upstream.requests) == 3


async def test_a_wait_that_fits_is_kept_and_one_that_does_not_is_reported(search, upstream):
    upstream.then(b"", 429, retry_after="1")
    upstream.says({"results": [ROW]})
    assert (await search()).error is None
    upstream.then(b"", 429, retry_after="600")
    reply = await search()
    assert (reply.error.kind, reply.error.retry_after) == ("rate_limited", 600)
    assert len(upstream.requests) == 3


async def test_a_try_that_takes_too_long_is_repeated(environ, upstream):
    from assay.bootstrap import local_services
    from assay.caller import Caller
    from assay.context import Context
    from assay.invoke import invoke
    from assay.settings import Settings

    async def search(seconds):
        upstream.reset()
        services = local_services(Settings.read(environ | {"HTTP_TIMEOUT_MS": f"{1000 * seconds:.0f}"}))
        upstream.then(SILENT)
        upstream.says({"results": [ROW]})
        repeated = await invoke("searxng_search", {"q": "x"}, Context(services, Caller()))
        upstream.says(SILENT)
        reply = await invoke("searxng_search", {"q": "x"}, Context(services, Caller()))
        await services.close()
        assert repeated.error is None
        assert "timed out" in reply.error.message

    await try_limits(search, 0.1, 1, 10)


@pytest.mark.parametrize(
    ("body", "status", "kind"),
    [
        ("<html>no</html>", 200, "upstream_unavailable"),
        ("[]", 200, "upstream_unavailable"),
        ('{"results": 5}', 200, "upstream_unavailable"),
        ({"error": "x"}, 400, "upstream_unavailable"),
        ("forbidden", 403, "blocked"),
        ({"results": []}, 404, "upstream_unavailable"),
        (CUT, 0, "network"),
    ],
)
async def test_a_refusal_is_not_an_empty_list(search, upstream, body, status, kind):
    upstream.says(body, status)
    assert (await search()).error.kind == kind


async def test_a_redirect_is_followed_on_the_same_host_alone(search, upstream):
    upstream.then(b"", 302, location="/searx/other?q=otters&format=json")
    upstream.says({"results": [ROW]})
    assert (await search()).error is None
    assert upstream.requests[1].query == {"q": "otters", "format": "json"}
    upstream.says(b"", 302, location="http://127.0.0.1:9/search")
    assert (await search()).error.kind == "upstream_unavailable"
