"""wiki_query, through `invoke`, like every entry point."""

import pytest
from tests.support.upstream import CUT

from assay.settings import Settings


@pytest.fixture
def environ(environ, upstream):
    return environ | {"MEDIAWIKI_BASE_URL": upstream.url}


@pytest.fixture
def query(ask, at_once):
    async def query(**asked):
        return await ask("wiki_query", **asked)

    return query


def wiki_body(*pages, **more):
    return {"query": {"pages": {str(number): page for number, page in enumerate(pages)}}} | more


async def test_titles_are_answered_by_title_with_their_beginnings(query, upstream):
    upstream.says(wiki_body({"title": "B c", "extract": " b\n"}, {"title": "A", "extract": "a"}))
    reply = await query(titles="B c|A", language="fi")
    assert reply.wire["pages"] == [
        {"title": "A", "url": "https://fi.wikipedia.org/wiki/A", "extract": "a"},
        {"title": "B c", "url": "https://fi.wikipedia.org/wiki/B_c", "extract": "b"},
    ]
    [request] = upstream.requests
    assert request.path == "/w/api.php"
    expected = {"action": "query", "prop": "extracts", "exintro": "1", "explaintext": "1", "redirects": "1"}
    assert expected.items() <= request.query.items()
    assert request.query["titles"] == "B c|A"
    assert request.headers["user-agent"].startswith("Assay/")


async def test_more_titles_than_wikipedia_takes_are_refused(query, upstream):
    upstream.says({"query": {"pages": {}}})
    assert (await query(titles="|".join(map(str, range(50))))).error is None
    upstream.requests.clear()
    error = (await query(titles="|".join(map(str, range(51))))).error
    assert (error.kind, error.field) == ("validation", "titles")
    assert "at most 50" in error.message
    assert upstream.requests == []


@pytest.mark.parametrize(
    ("told_us", "said"),
    [
        ({"ASSAY_CONTACT": "https://river.example/bots", "OPENALEX_EMAIL": "x@y.z"}, "(https://river.example/bots)"),
        ({"CROSSREF_MAILTO": "ada@river.example"}, "(ada@river.example)"),
        ({}, "(no contact configured: set ASSAY_CONTACT)"),
    ],
)
async def test_the_wiki_is_told_how_to_reach_the_operator(query, upstream, services, told_us, said):
    services.settings = Settings.read({**services.settings.environ, **told_us})
    upstream.says(wiki_body({"title": "A", "extract": "a"}))
    await query(titles="A")
    assert upstream.requests[0].headers["user-agent"].endswith(f" {said}")


async def test_what_does_not_exist_has_no_extract_and_broken_pages_are_passed_over(query, upstream):
    upstream.says(wiki_body({"title": "No such page", "missing": ""}, {"title": None}, 5, {"title": "X", "extract": 7}))
    assert [(page["title"], page["extract"]) for page in (await query(titles="x")).wire["pages"]] == [
        ("No such page", ""),
        ("X", ""),
    ]


@pytest.mark.parametrize(
    ("title", "path"), [("AC/DC", "AC%2FDC"), ("Ä (b)", "%C3%84_%28b%29"), ("C++", "C++"), ("a?b#c", "a%3Fb%23c")]
)
async def test_titles_are_written_into_addresses(query, upstream, title, path):
    upstream.says(wiki_body({"title": title}))
    assert (await query(titles=title)).wire["pages"][0]["url"] == f"https://en.wikipedia.org/wiki/{path}"


async def test_what_the_wiki_gives_in_parts_is_put_together(query, upstream):
    onward = {"continue": {"excontinue": 1, "continue": "||"}}
    upstream.then(wiki_body({"title": "A", "extract": "a"}, {"title": "B"}, **onward))
    upstream.says(wiki_body({"title": "A"}, {"title": "B", "extract": "b"}))
    pages = (await query(titles="A|B")).wire["pages"]
    assert [page["extract"] for page in pages] == ["a", "b"]
    assert upstream.requests[1].query["excontinue"] == "1"


async def test_parts_have_an_end(query, upstream):
    upstream.says(wiki_body({"title": "A"}, **{"continue": {"excontinue": 1}}))
    assert (await query(titles="A")).error is None
    assert len(upstream.requests) == 5


async def test_a_search_is_answered_in_the_wikis_order(query, upstream):
    upstream.says(["go", ["Go", "Gopher"], ["lang", ""], ["https://en.wikipedia.org/wiki/Go"]])
    assert (await query(search="go")).wire["pages"] == [
        {"title": "Go", "url": "https://en.wikipedia.org/wiki/Go", "extract": "lang"},
        {"title": "Gopher", "url": "https://en.wikipedia.org/wiki/Gopher", "extract": ""},
    ]
    [request] = upstream.requests
    assert {"action": "opensearch", "search": "go", "limit": "10", "format": "json"}.items() <= request.query.items()


async def test_where_the_wiki_says_nothing_the_beginnings_are_asked_for(query, upstream):
    upstream.then(["go", ["Go", "Ape"], ["", ""], ["https://w.example/Go", "https://w.example/Ape"]])
    upstream.says(wiki_body({"title": "Ape", "extract": "An ape"}, {"title": "Go", "extract": "A game"}))
    assert [(page["title"], page["extract"]) for page in (await query(search="go")).wire["pages"]] == [
        ("Go", "A game"),
        ("Ape", "An ape"),
    ]
    assert upstream.requests[1].query["titles"] == "Go|Ape"


async def test_what_was_found_stays_found_where_the_beginnings_are_not(query, upstream):
    upstream.says(["go", ["Go"], [""], ["https://w.example/Go"]])
    reply = await query(search="go")
    assert reply.wire["pages"] == [{"title": "Go", "url": "https://w.example/Go", "extract": ""}]
    assert "extracts are missing" in reply.meta["warnings"][0]


@pytest.mark.parametrize(("asked", "body"), [("search", ["x", [], [], []]), ("titles", {"query": {}}), ("titles", {})])
async def test_nothing_found_is_a_list(query, upstream, asked, body):
    upstream.says(body)
    assert (await query(**{asked: "x"})).wire["pages"] == []


@pytest.mark.parametrize("body", [["x", ["A"]], [], {}, {"query": 1}, "5", ["x", 1, 2, 3]])
async def test_another_shape_is_an_outage(query, upstream, body):
    upstream.says(body)
    assert (await query(search="x")).error.message == "unexpected opensearch response"


@pytest.mark.parametrize(
    ("body", "status", "kind"),
    [
        ("<html>", 200, "upstream_unavailable"),
        ({"error": {"code": "badvalue", "info": "no"}}, 200, "upstream_unavailable"),
        ({}, 400, "upstream_unavailable"),
        ({}, 403, "blocked"),
        ({}, 429, "rate_limited"),
        ({}, 500, "upstream_unavailable"),
        (b"", 302, "upstream_unavailable"),
        (CUT, 0, "network"),
    ],
)
@pytest.mark.parametrize("asked", ["search", "titles"])
async def test_a_refusal_is_not_an_empty_list(query, upstream, asked, body, status, kind):
    upstream.says(body, status)
    assert (await query(**{asked: "x"})).error.kind == kind
    assert len(upstream.requests) == 1


@pytest.mark.parametrize("asked", [{}, {"titles": "a", "search": "b"}, {"titles": " ", "search": ""}])
async def test_one_of_two_is_asked(query, asked):
    assert (await query(**asked)).error.message == "provide exactly one of 'titles' or 'search'"


@pytest.mark.parametrize(
    "language", ["example.com/", "a", "en.evil", "en@x", "../x", "en wiki", "x" * 40, "en-", "127.0.0.1", "en:80"]
)
async def test_a_language_is_never_a_host(query, upstream, language):
    assert "language" in (await query(search="x", language=language)).error.message
    assert upstream.requests == []


@pytest.mark.parametrize("language", ["EN", "simple", "zh-min-nan", "be-x-old", "", None])
async def test_languages_are_taken(query, upstream, language):
    upstream.says(["x", [], [], []])
    assert (await query(search="x", language=language)).error is None


def test_wikipedia_is_asked_in_its_language(http_of):
    from assay.providers.mediawiki import MediaWiki

    assert MediaWiki(*http_of({}), language="fi").base_url == "https://fi.wikipedia.org"
