"""Fields read off results, by the path that every caller takes."""

import json

import pytest

from assay.settings import Settings

ROW = {
    "title": "Acme",
    "url": "https://acme.example/",
    "publishedDate": "2026-07-01",
    "author": "Ada",
    "summary": '{"name": "Acme", "founded": null}',
    "highlights": ["Founded in 1949 in Tucson."],
    "entities": [{"name": "Acme", "type": "company"}],
}
SCHEMA = {"type": "object", "properties": {"name": {"type": "string"}, "founded": {"type": ["integer", "null"]}}}


@pytest.fixture
def exa(services, site):
    more = {"EXA_API_KEY": "k", "EXA_BASE_URL": f"{site.url}/exa"}
    services.settings = Settings.read(dict(services.settings.environ) | more)

    def says(*rows, status=200, cost=0.008):
        body = {"results": list(rows), "costDollars": {"total": cost}}
        site.says("/exa/search", json.dumps(body), status, "application/json")

    says(ROW)
    return says


def sent_bodies(site):
    return [json.loads(one.body) for one in site.requests]


async def test_a_provider_that_sends_more_than_asked_is_cut(ask, exa):
    exa(*({**ROW, "url": f"https://acme.example/{number}"} for number in range(60)))
    wire = (await ask("structured_search", query="acme", num_results=3)).wire
    assert (wire["resultCount"], [row["url"][-1] for row in wire["results"]]) == (3, ["0", "1", "2"])


async def test_the_answer_has_its_shape(ask, exa, site):
    reply = await ask("structured_search", query="acme", category="company", num_results=1, schema=SCHEMA)
    assert reply.wire == {
        "query": "acme",
        "category": "company",
        "resultCount": 1,
        "results": [
            {
                "title": "Acme",
                "url": "https://acme.example/",
                "publishedDate": "2026-07-01T00:00:00Z",
                "author": "Ada",
                "summary": {"name": "Acme", "founded": None},
                "highlights": ["Founded in 1949 in Tucson."],
                "entities": [{"name": "Acme", "type": "company"}],
            }
        ],
        "provider": "exa",
        "costUsd": 0.008,
        "trust": "untrusted-external-content",
    }
    assert sent_bodies(site)[0]["contents"]["summary"] == {"schema": SCHEMA}
    assert '{"name":"Acme","founded":null}' in reply.text
    assert "“Founded in 1949 in Tucson.”" in reply.text


async def test_without_a_schema_a_summary_is_text(ask, exa, site):
    exa(ROW | {"summary": "Makes anvils."})
    reply = await ask("structured_search", query="acme")
    assert reply.wire["results"][0]["summary"] == "Makes anvils."
    assert (sent_bodies(site)[0]["numResults"], sent_bodies(site)[0]["contents"]["summary"]) == (5, True)
    assert "category" not in sent_bodies(site)[0]


@pytest.mark.parametrize("change", [{"query": "b"}, {"category": "news"}, {"num_results": 2}, {"schema": SCHEMA}])
async def test_another_question_is_another_answer(ask, exa, site, change):
    for _ in range(2):
        await ask("structured_search", query="a")
    await ask("structured_search", **{"query": "a"} | change)
    assert len(site.requests) == 2


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"category": "cats"}, "category"),
        ({"schema": {"type": "object", "properties": {"a": {"type": "object"}}}}, "schema"),
        ({"schema": {"type": "array"}}, "schema"),
        ({"schema": {}}, "schema"),
        ({"schema": "x"}, "schema"),
        ({"num_results": 11}, "num_results"),
        ({"num_results": 0}, "num_results"),
        ({"query": ""}, "query"),
        ({"fields_schema": SCHEMA}, "fields_schema"),
    ],
)
async def test_what_would_be_paid_in_vain_is_refused_before(ask, exa, site, wrong, field):
    refused = (await ask("structured_search", **{"query": "a"} | wrong)).error
    assert (refused.kind, refused.field) == ("validation", field)
    assert site.requests == []


async def test_an_unknown_category_is_answered_with_all_there_are(ask, exa):
    refused = (await ask("structured_search", query="a", category="cats")).error
    for known in ("company", "people", "research paper", "news", "pdf", "github", "financial report", "personal site"):
        assert known in refused.sentence()


async def test_nothing_found_is_not_an_error_and_not_kept(ask, exa, site):
    exa()
    for _ in range(2):
        reply = await ask("structured_search", query="a")
        assert (reply.error, reply.wire["resultCount"]) == (None, 0)
        assert "does not mean" not in reply.text or "exists" in reply.text
    assert len(site.requests) == 2


async def test_a_row_without_an_address_is_left_out_and_counted(ask, exa):
    exa(ROW, {"title": "x", "url": "javascript:x"}, None)
    reply = await ask("structured_search", query="a")
    assert reply.wire["resultCount"] == 1
    assert "1 result(s)" in reply.wire["warnings"][0]


async def test_without_a_key_it_says_whose_would_do(ask, site):
    refused = (await ask("structured_search", query="a")).error
    assert (refused.kind, refused.alternatives) == ("config", ("exa",))
    assert "EXA_API_KEY" in refused.sentence()


async def test_an_outage_is_an_error(ask, exa):
    exa(status=503)
    assert (await ask("structured_search", query="a")).error.kind == "upstream_unavailable"


@pytest.mark.parametrize("price", [-1, "x", None, True, 1e12])
async def test_a_bill_that_makes_no_sense_is_the_list_price(ask, exa, price):
    exa(ROW, cost=price)
    assert (await ask("structured_search", query="a", num_results=2)).wire["costUsd"] == 0.009
