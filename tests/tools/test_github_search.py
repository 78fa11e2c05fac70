"""github_search, through `invoke`, like every entry point."""

import pytest
from tests.support.time_limits import try_limits
from tests.support.upstream import CUT, SILENT

RATE = {"x_ratelimit_remaining": "9", "x_ratelimit_reset": "123"}
ROWS = {
    "repositories": (
        {"full_name": "a/b", "html_url": "u", "description": None, "stargazers_count": 0, "more": 1},
        {"full_name": "a/b", "url": "u", "stars": 0},
    ),
    "code": (
        {"name": "f", "path": "p/f", "html_url": "u", "repository": {"full_name": "a/b", "html_url": "r"}},
        {"name": "f", "path": "p/f", "repository": "a/b", "repo_url": "r", "url": "u"},
    ),
    "issues": ({"title": "t", "html_url": "u", "state": "open"}, {"title": "t", "url": "u", "state": "open"}),
    "commits": (
        {"sha": "s", "html_url": None, "url": "api", "commit": {"message": "m"}},
        {"sha": "s", "url": "api", "message": "m"},
    ),
}


@pytest.fixture
def environ(environ, upstream):
    return environ | {"GITHUB_BASE_URL": upstream.url, "GITHUB_TOKEN": "secret-token"}


@pytest.fixture
def search(ask, at_once):
    async def search(**asked):
        return await ask("github_search", **({"q": "otters", "type": "issues"} | asked))

    return search


@pytest.mark.parametrize("kind", ROWS)
async def test_each_kind_is_reported_in_few_words(search, upstream, kind):
    arguments, expected = ROWS[kind]
    upstream.says({"items": [arguments, {}, None, dict.fromkeys(arguments)]}, **RATE)
    assert (await search(type=f" {kind.upper()}")).wire == {
        "results": [expected, {}, {}],
        "rate": {"remaining": 9, "reset": 123},
    }
    [request] = upstream.requests
    assert (request.path, request.query) == (f"/search/{kind}", {"q": "otters", "per_page": "10"})
    assert request.headers["authorization"] == "Bearer secret-token"
    assert request.headers["accept"] == "application/vnd.github+json"
    assert request.headers["user-agent"].startswith("Assay/")


@pytest.mark.parametrize("body", [{"items": []}, {"items": None}, {}])
async def test_nothing_found_is_a_list_and_an_unknown_rate_says_so(search, upstream, body):
    upstream.says(body)
    assert (await search()).wire == {"results": [], "rate": {"remaining": -1, "reset": 0}}


@pytest.mark.parametrize("value", ["many", "", "-5", "1.5", "9" * 40])
async def test_a_rate_that_is_invalid_is_unknown(search, upstream, value):
    upstream.says({"items": []}, x_ratelimit_remaining=value, x_ratelimit_reset=value)
    assert (await search()).wire["rate"] == {"remaining": -1, "reset": 0}


@pytest.mark.parametrize(("asked", "sent"), [(5, "5"), (99, "50"), (0, "10")])
async def test_a_page_has_fifty_at_most(search, upstream, asked, sent):
    upstream.says({"items": []})
    await search(per_page=asked)
    assert upstream.requests[0].query["per_page"] == sent


@pytest.mark.parametrize(
    ("status", "headers", "body"),
    [
        (200, {"x_ratelimit_remaining": "0", "x_ratelimit_reset": "99999999999"}, {"items": [{}]}),
        (403, {"x_ratelimit_remaining": "0", "x_ratelimit_reset": "5"}, {"message": "API rate limit exceeded"}),
        (403, {"retry_after": "30"}, {"message": "slow down"}),
        (403, {}, {"message": "You have exceeded a secondary rate limit"}),
        (429, {}, {}),
    ],
)
async def test_a_limit_is_reported_in_fixed_words(search, upstream, status, headers, body):
    upstream.says(body, status, **headers)
    reply = await search()
    assert (reply.error.kind, reply.error.message, reply.error.hint) == (
        "rate_limited",
        "RATE_LIMITED",
        "use GITHUB_TOKEN",
    )
    assert 1 <= reply.error.retry_after <= 3600
    assert len(upstream.requests) == 1


@pytest.mark.parametrize(
    ("body", "status", "kind", "count"),
    [
        ({"message": "Bad credentials"}, 401, "auth_required", 1),
        ({"message": "Forbidden"}, 403, "blocked", 1),
        ({"message": "Validation Failed"}, 422, "upstream_unavailable", 1),
        ({"items": []}, 404, "upstream_unavailable", 1),
        ({}, 502, "upstream_unavailable", 2),
        ("<html>", 200, "upstream_unavailable", 1),
        ({"items": 5}, 200, "upstream_unavailable", 1),
        ([], 200, "upstream_unavailable", 1),
        (CUT, 0, "network", 2),
    ],
)
async def test_a_refusal_is_not_an_empty_list_and_tells_no_token(search, upstream, body, status, kind, count):
    upstream.says(body, status, **RATE)
    reply = await search()
    assert reply.error.kind == kind
    assert "secret-token" not in reply.error.text()
    assert len(upstream.requests) == count


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
            upstream.says({"items": []})
            arguments = {"q": "x", "type": "code"}
            replies.append(await invoke("github_search", arguments, Context(services, Caller())))
        await services.close()
        assert [each.error for each in replies] == [None, None]
        assert len(upstream.requests) == 4

    await try_limits(search, 0.1, 1, 10)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"type": "users"}, "type must be one of: repositories, code, issues, commits"),
        ({"type": "", "q": ""}, "type must be one of: repositories, code, issues, commits"),
        ({"type": None}, "type must be one of: repositories, code, issues, commits"),
        ({"q": " "}, "q is required"),
    ],
)
async def test_a_wrong_question_is_refused_in_fixed_words(search, upstream, asked, words):
    assert (await search(**asked)).error.message == words
    assert upstream.requests == []
