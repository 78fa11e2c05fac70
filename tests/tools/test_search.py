"""search, through `invoke`: what clients that pair it with `fetch` expect, exactly."""

import json

import pytest

SAMPLE = {"query": "otters"}
HITS = [
    {"title": f"Otters {n}", "url": f"https://otters.example/{n}", "content": "They hold hands."} for n in range(12)
]


@pytest.fixture
def find(ask, site):
    async def find(results, **arguments):
        site.says("/searxng/search", json.dumps({"results": results}), kind="application/json")
        return await ask("search", **({"query": "otters"} | arguments))

    return find


async def test_a_result_has_id_title_and_url_and_nothing_else(find):
    reply = await find(HITS)
    assert len(reply.wire["results"]) == 10
    assert reply.wire["results"][0] == {
        "id": "https://otters.example/0",
        "title": "Otters 0",
        "url": "https://otters.example/0",
    }
    assert set(reply.wire) == {"results"}
    assert json.loads(reply.text) == reply.wire
    assert reply.meta["trust"] == "untrusted-external-content"


async def test_no_results_are_an_empty_list_with_what_to_try(find):
    reply = await find([])
    assert reply.wire == {"results": []}
    assert reply.meta["hints"]["epistemicWarning"]


async def test_an_outage_is_an_error_and_not_an_empty_list(ask, site):
    site.says("/searxng/search", b"down", 503)
    assert (await ask("search", query="otters")).error.kind != "validation"


@pytest.mark.parametrize("arguments", [{"query": ""}, {"query": "a" * 501}, {"query": "a", "site": "x.example"}])
async def test_it_takes_a_query_alone(find, arguments):
    assert (await find(HITS, **arguments)).error.kind == "validation"
