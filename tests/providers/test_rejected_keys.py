"""A key that an upstream rejects or asks for: the error names the variable that holds it."""

import pytest

CASES = [
    ("github_search", {"q": "x", "type": "code"}, "github", "GITHUB_TOKEN"),
    ("openalex_search", {"q": "x"}, "openalex", "OPENALEX_API_KEY"),
    ("searxng_search", {"q": "x"}, "searxng", "SEARXNG_BASIC_AUTH"),
]
UPSTREAMS = ("GITHUB", "OPENALEX", "SEARXNG", "CROSSREF")
REFUSALS = [(401, {"message": "Requires authentication"}), (403, {"error": "The token is invalid"})]


@pytest.fixture
def environ(environ, upstream):
    model = {"LLM_BASE_URL": f"{upstream.url}/v1", "LLM_MODEL": "otter-1"}
    return (
        environ | model | {f"{name}_BASE_URL": upstream.url for name in UPSTREAMS} | {"CROSSREF_MAILTO": "a@b.example"}
    )


@pytest.mark.parametrize("tool", [case[0] for case in CASES])
async def test_without_a_key_it_is_said_which_variable_to_set(ask, upstream, tool):
    _, arguments, provider, variable = next(case for case in CASES if case[0] == tool)
    upstream.says({"message": "Requires authentication"}, 401)
    error = (await ask(tool, **arguments)).error
    assert (error.kind, error.message) == ("auth_required", f"{provider} requires a key. Set {variable}.")


class TestWithKeys:
    @pytest.fixture
    def environ(self, environ):
        return environ | dict.fromkeys((case[3] for case in CASES), "ada:wrong-word")

    @pytest.mark.parametrize(("status", "body"), REFUSALS)
    @pytest.mark.parametrize("tool", ["github_search", "openalex_search"])
    async def test_with_a_key_it_is_said_which_variable_to_check(self, ask, upstream, tool, status, body):
        _, arguments, provider, variable = next(case for case in CASES if case[0] == tool)
        upstream.says(body, status)
        error = (await ask(tool, **arguments)).error
        assert (error.kind, error.message) == ("auth_required", f"{provider} rejected the key in {variable}. Check it.")
        assert "wrong-word" not in error.message


async def test_the_key_of_a_language_model_is_named_too(ask, upstream, site):
    upstream.says({"error": {"message": "bad key"}}, 401)
    page = site.says("/otters", "<article><p>Otters hold hands while they sleep.</p></article>")
    error = (await ask("cinder_extract", urls=[page], prompt="the animal")).error
    assert (error.kind, error.message) == ("auth_required", "llm requires a key. Set LLM_API_KEY.")


@pytest.mark.parametrize(("status", "body"), [(401, {}), (200, {"error": "Unauthorized"})])
async def test_an_upstream_that_takes_no_key_refuses_access(ask, upstream, status, body):
    upstream.says(body, status)
    error = (await ask("crossref_search", q="x")).error
    assert error.kind == "auth_required"
    assert "crossref refused access: the request is not authorized." in (error.message, error.hint)
