"""An upstream's address that the operator configured wrongly: the error names its variable."""

import pytest

CASES = {
    "wayback_lookup": ({"url": "https://o.example/"}, "WAYBACK_BASE_URL"),
    "wiki_query": ({"titles": "Otter"}, "MEDIAWIKI_BASE_URL"),
    "openalex_search": ({"q": "otter"}, "OPENALEX_BASE_URL"),
    "github_search": ({"q": "otter", "type": "code"}, "GITHUB_BASE_URL"),
    "news_search": ({"query": "otter", "provider": "searxng"}, "SEARXNG_URL"),
}


@pytest.fixture(params=["o.example/api", "ftp://o.example"])
def environ(environ, request):
    return environ | dict.fromkeys((variable for _, variable in CASES.values()), request.param)


@pytest.mark.parametrize("tool", CASES)
async def test_an_address_without_http_is_an_error_of_its_variable(ask, tool):
    arguments, variable = CASES[tool]
    error = (await ask(tool, **arguments)).error
    assert (error.kind, error.retryable) == ("config", False)
    assert variable in error.message
