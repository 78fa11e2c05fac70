"""A search endpoint that answers 404 is a failure of the upstream: it does not say that nothing exists."""

import pytest

CASES = {
    "searxng_search": {"q": "otter"},
    "github_search": {"q": "otter", "type": "issues"},
    "wiki_query": {"titles": "Otter"},
    "openalex_search": {"q": "otter"},
    "crossref_search": {"q": "otter"},
    "wayback_lookup": {"url": "https://o.example/"},
}
VARIABLES = ("SEARXNG", "GITHUB", "MEDIAWIKI", "OPENALEX", "CROSSREF", "WAYBACK")


@pytest.fixture
def environ(environ, upstream):
    return environ | {f"{name}_BASE_URL": upstream.url for name in VARIABLES} | {"CROSSREF_MAILTO": "a@b.example"}


@pytest.mark.parametrize("status", [404, 410])
@pytest.mark.parametrize("tool", CASES)
async def test_an_endpoint_that_does_not_exist_is_an_outage(ask, upstream, tool, status):
    upstream.says("<html>No such page</html>", status)
    assert (await ask(tool, **CASES[tool])).error.kind == "upstream_unavailable"
