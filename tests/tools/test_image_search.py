"""Searching for pictures, by the path that every caller takes."""

import json
from urllib.parse import parse_qs, urlsplit

import pytest

FOUND = [
    {
        "title": f"Otter {n}",
        "url": f"https://www.pages.example/{n}",
        "img_src": f"https://img.example/{n}.jpg",
        "thumbnail_src": f"https://img.example/{n}s.jpg",
        "resolution": "1920 x 1080",
        "content": "",
    }
    for n in range(12)
]


@pytest.fixture
def serve_results(site):
    def says(results=FOUND, status=200):
        site.says("/searxng/search", json.dumps({"results": results}), status, "application/json")

    says()
    return says


def sent_queries(site):
    return [{name: value[0] for name, value in parse_qs(urlsplit(one.path).query).items()} for one in site.requests]


async def test_the_answer_has_its_shape(ask, serve_results, site):
    reply = await ask("image_search", query="otters", num_results=2, safe="high", language="de", country="CH")
    assert reply.error is None
    assert set(reply.wire) == {"images", "query", "resultCount", "trust"}
    assert reply.wire["images"][0] == {
        "title": "Otter 0",
        "link": "https://img.example/0.jpg",
        "thumbnailLink": "https://img.example/0s.jpg",
        "displayLink": "www.pages.example",
        "contextLink": "https://www.pages.example/0",
        "width": 1920,
        "height": 1080,
    }
    assert reply.wire["resultCount"] == 2
    assert "1. Otter 0 (1920x1080)" in reply.text
    [sent] = sent_queries(site)
    assert (sent["categories"], sent["safesearch"], sent["language"]) == ("images", "2", "de-CH")


async def test_a_picture_comes_once(ask, serve_results):
    serve_results([FOUND[0], FOUND[0] | {"img_src": "http://www.img.example/0.jpg?utm_source=x"}, FOUND[1]])
    reply = await ask("image_search", query="otters")
    assert [image["title"] for image in reply.wire["images"]] == ["Otter 0", "Otter 1"]


async def test_a_filter_that_cannot_be_honoured_is_named(ask, serve_results):
    reply = await ask("image_search", query="otters", size="large", type="photo", dominant_color="red")
    assert reply.wire["warnings"] == ["searxng does not support size, type, dominant_color; ignored."]
    assert "Warning: searxng does not support" in reply.text


async def test_one_question_is_one_request(ask, serve_results, site):
    first = await ask("image_search", query="otters")
    again = await ask("image_search", query="otters")
    assert (first.meta.get("cached"), again.meta["cached"], len(site.requests)) == (None, True, 1)
    await ask("image_search", query="otters", size="icon")
    assert len(site.requests) == 2


async def test_nothing_found_says_how_to_go_on(ask, serve_results):
    serve_results([])
    reply = await ask("image_search", query="otters", size="icon")
    assert reply.wire["hints"]["reason"] == "filters_too_restrictive"
    assert reply.wire["hints"]["suggestedActions"] == [{"action": "remove_filter", "parameter": "size"}]


async def test_a_provider_that_knows_no_pictures_is_refused_with_those_that_do(ask, serve_results, site):
    reply = await ask("image_search", query="otters", provider="duckduckgo")
    assert (reply.error.kind, reply.error.suggested_action) == ("config", "try_different_provider")
    assert reply.error.alternatives == ("searxng",)
    assert "brave" in reply.error.sentence()
    assert site.requests == []


async def test_without_any_provider_the_variables_are_named(tmp_path):
    from assay.bootstrap import local_services
    from assay.caller import Caller
    from assay.context import Context
    from assay.invoke import invoke
    from assay.settings import Settings

    services = local_services(Settings.read({"ASSAY_HOME": str(tmp_path / "home")}))
    reply = await invoke("image_search", {"query": "otters"}, Context(services, Caller()))
    await services.close()
    assert (reply.error.kind, reply.error.suggested_action) == ("config", "check_api_key")
    assert "BRAVE_API_KEY" in reply.error.sentence()
    assert "SEARXNG_URL" in reply.error.sentence()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({}, "query"),
        ({"num_results": 201}, "num_results"),
        ({"num_results": 0}, "num_results"),
        ({"size": "gigantic"}, "size"),
        ({"type": "drawing"}, "type"),
        ({"color_type": "red"}, "color_type"),
        ({"dominant_color": "mauve"}, "dominant_color"),
        ({"file_type": "exe"}, "file_type"),
        ({"safe": "strict"}, "safe"),
        ({"country": "usa"}, "country"),
        ({"colour": "red"}, "colour"),
    ],
)
async def test_a_wrong_argument_is_named(ask, serve_results, site, wrong, said):
    reply = await ask("image_search", **({"query": "otters"} | wrong if wrong else {}))
    assert reply.error.kind == "validation"
    assert said in reply.error.sentence()
    assert site.requests == []


async def test_what_is_blank_is_unset(ask, serve_results):
    blank = ["size", "type", "color_type", "dominant_color", "file_type", "country", "language", "provider"]
    reply = await ask("image_search", query="otters", **dict.fromkeys(blank, ""))
    assert reply.error is None
    assert "warnings" not in reply.wire
