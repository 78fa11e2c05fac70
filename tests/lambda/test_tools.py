"""Each tool's Lambda answers as the local server does."""

import json
import re

import pytest

from assay.toolkit import tool_registry

MALFORMED = ["not json", "[]", '{"query": "cats"', '{"noSuchField": 1}', '{"a": NaN}', "null", '"cats"']


def logical(name):
    return "Tool" + re.sub(r"\W|_", "", name)


@pytest.mark.parametrize("name", tool_registry.tool_names())
@pytest.mark.asyncio(loop_scope="module")
async def test_it_refuses_what_the_local_server_refuses_and_in_its_words(name, run, event, refusing):
    function = run(logical(name))
    for body in MALFORMED:
        there = function.call(event("http_api_post", body, path=f"/tools/{name}"))
        here = await refusing.post(f"/tools/{name}", content=body)
        assert there["statusCode"] == here.status_code == 400, body
        assert json.loads(there["body"]) == here.json()


@pytest.mark.parametrize("name", ["read_artifact"])
def test_a_body_that_lies_about_its_coding_is_the_callers_fault(name, run, event):
    answer = run(logical(name)).call(event("http_api_post", "%%%", is_base64=True))
    assert answer["statusCode"] == 400
    assert json.loads(answer["body"])["error"]["field"] == "body"


def test_the_function_of_bibliographies_has_the_styles_and_their_processor(run, event):
    sources = [{"doi": "10.1038/nature14539", "title": "Deep learning", "author": "Yann LeCun", "date": "2015"}]
    body = json.dumps({"style": "ieee", "sources": sources})
    answer = run(logical("format_bibliography")).call(event("http_api_post", body, path="/tools/format_bibliography"))
    assert answer["statusCode"] == 200, answer["body"]
    assert (
        json.loads(answer["body"])["bibliography"] == "[1] Y. LeCun, “Deep learning,” 2015, doi: 10.1038/nature14539."
    )


HITS = {
    "results": [
        {"title": f"Otters {place}", "url": f"https://otters.example/{place}", "content": "They hold hands."}
        for place in range(3)
    ]
}


async def test_a_search_finds_the_same_through_lambda_and_keeps_it_for_the_next_caller(run, event, local, site):
    site.says("/searxng/search", json.dumps(HITS), kind="application/json")
    ask = {"query": "otters of lambda", "num_results": 3}
    function = run("Toolwebsearch")
    first, second = (function.call(event("http_api_post", ask)) for _ in range(2))
    assert first["statusCode"] == second["statusCode"] == 200, first["body"]
    there, again, here = (
        json.loads(first["body"]),
        json.loads(second["body"]),
        (await local.post("/tools/web_search", json=ask)).json(),
    )
    assert [there["_meta"]["cached"], again["_meta"]["cached"], here["_meta"]["cached"]] == [False, True, False]
    for answer in (there, again, here):
        del answer["_meta"]
    assert there == again == here
    assert len(there["results"]) == 3
    another = run("Toolwebsearch").call(event("http_api_post", ask))  # a new environment, the same table
    assert json.loads(another["body"])["_meta"]["cached"] is True
    assert len(site.requests) == 2  # Lambda's and the local server's


async def test_warm_calls_share_one_loop_and_its_connections(run, event, site):
    site.says("/searxng/search", json.dumps(HITS), kind="application/json")
    function = run("Toolwebsearch")
    answers = [function.call(event("http_api_post", {"query": f"otters {turn}"})) for turn in range(4)]
    assert [answer["statusCode"] for answer in answers] == [200] * 4
    assert "Traceback" not in function.log()


async def test_a_private_address_is_refused_in_the_same_words(run, event, local, site):
    ask = {"url": site.says("/page", "<p>secret</p>")}
    there = run("Toolscrapepage").call(event("http_api_post", ask))
    here = await local.post("/tools/scrape_page", json=ask)
    assert there["statusCode"] == here.status_code == 400
    assert json.loads(there["body"]) == here.json()
    assert site.requests == []


def test_lambda_does_not_let_its_operator_open_private_addresses(run, event, site):
    ask = {"url": site.says("/page", "<p>secret</p>")}
    answer = run("Toolscrapepage", ALLOW_PRIVATE_IPS="true").call(event("http_api_post", ask))
    assert answer["statusCode"] == 500
    assert "ALLOW_PRIVATE_IPS" in answer["body"]
    assert site.requests == []


async def test_an_artifact_is_read_from_the_bucket_and_by_its_owner_alone(run, event, cloud, rings):
    from assay.aws.s3_bucket import S3Bucket
    from assay.state import artifacts

    bucket = S3Bucket(cloud.bucket, cloud.s3)
    stored = await artifacts.store(bucket, "acme", json.dumps({"long": "otter " * 9000}).encode(), 4e9)
    function = run("Toolreadartifact")
    page = json.loads(function.call(event("http_api_post", {"id": stored.id, "offset": 4, "length": 20}))["body"])
    assert "otter" in json.dumps(page)
    ring = json.loads(rings("another"))
    ring[0]["tenant"] = "others"
    stranger = run("Toolreadartifact", ASSAY_API_KEYS=json.dumps(ring))
    assert stranger.call(event("http_api_post", {"id": stored.id}, key="another"))["statusCode"] == 404
