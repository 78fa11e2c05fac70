"""Further settings come from a parameter, so that no provider's key stands in a template."""

import json

HITS = {"results": [{"title": "Otters", "url": "https://otters.example/1", "content": "They hold hands."}]}


def test_a_parameter_says_where_to_search(run, event, cloud, site):
    site.says("/elsewhere/search", json.dumps(HITS), kind="application/json")
    name = cloud.parameter(json.dumps({"SEARXNG_URL": site.url + "/elsewhere", "ASSAY_TABLE": "another"}))
    function = run("Toolwebsearch", SEARXNG_URL="", ASSAY_SETTINGS=f"ssm:{name}")
    answer = function.call(event("http_api_post", {"query": "otters by parameter"}))
    assert answer["statusCode"] == 200, answer["body"]  # the environment's own table was asked, not another
    assert {request.path.partition("?")[0] for request in site.requests} == {"/elsewhere/search"}


def test_a_parameter_cannot_open_private_addresses(run, event, cloud):
    name = cloud.parameter(json.dumps({"ALLOW_PRIVATE_IPS": "true"}))
    answer = run("Toolreadartifact", ASSAY_SETTINGS=f"ssm:{name}").call(event("http_api_post", {"id": "0" * 64}))
    assert answer["statusCode"] == 500
    assert "ALLOW_PRIVATE_IPS" in answer["body"]


def test_a_parameter_that_is_not_an_object_of_texts_is_reported_without_being_shown(run, event, cloud):
    for text in ("BRAVE=hidden-thing", '{"BRAVE_API_KEY": 1, "x": "hidden-thing"}'):
        function = run("Toolreadartifact", ASSAY_SETTINGS=f"ssm:{cloud.parameter(text)}")
        answer = function.call(event("http_api_post", {"id": "0" * 64}))
        assert answer["statusCode"] == 500
        assert json.loads(answer["body"])["error"]["field"] == "ASSAY_SETTINGS"
        assert "hidden-thing" not in answer["body"] + function.log()
