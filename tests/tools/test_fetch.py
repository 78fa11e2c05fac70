"""fetch, through `invoke`: what clients that pair it with `search` expect, exactly."""

import json

import pytest

from assay.context import MCP_ANSWER_BYTES

SAMPLE = {"id": "http://river.example/otters"}
PARAGRAPH = 'The "otters" of the river hold hands while they sleep, so that nothing parts them before morning. '


def page(body):
    return (
        f"<html lang=en><head><title>Otters</title></head><body><article><h1>Otters</h1>{body}</article></body></html>"
    )


def long_page(paragraphs, text=PARAGRAPH):
    return page("".join(f"<p>{number}: {text}</p>" for number in range(paragraphs)))


@pytest.fixture
def fetch(ask):
    async def fetch(identity):
        reply = await ask("fetch", id=identity)
        assert reply.error is None, reply.error
        assert json.loads(reply.text) == reply.wire
        return reply.wire

    return fetch


async def test_a_page_comes_with_id_title_text_url_and_metadata(fetch, site):
    url = site.says("/otters", long_page(20))
    answer = await fetch(url)
    assert set(answer) == {"id", "title", "text", "url", "metadata"}
    assert (answer["id"], answer["url"], answer["title"]) == (url, url, "Otters")
    assert "19: The" in answer["text"]
    assert answer["metadata"]["trust"] == "untrusted-external-content"
    assert all(isinstance(value, str) and value for value in answer["metadata"].values())
    assert "nextId" not in answer["metadata"]


@pytest.mark.parametrize(
    "text", [PARAGRAPH, '"""\\\\' * 40, "水獺 in dem Fluß 🦦 " * 8], ids=["prose", "escaped", "signs"]
)
async def test_a_long_page_comes_in_parts_of_which_none_is_lost(text, fetch, site):
    identity = url = site.says("/long", long_page(1_500, text))
    numbers, parts = set(), 0
    while identity:
        answer = await fetch(identity)
        body = json.dumps(answer, ensure_ascii=False)
        assert len(body.encode()) + len(json.dumps(body, ensure_ascii=False).encode()) <= MCP_ANSWER_BYTES + 200
        assert answer["url"] == url
        numbers |= {int(line.partition(":")[0]) for line in answer["text"].split("\n") if line[:1].isdigit()}
        identity, parts = answer["metadata"].get("nextId"), parts + 1
        assert identity is None or identity in answer["text"][-200:]
    assert numbers == set(range(1_500))
    assert parts > 1


@pytest.mark.parametrize("identity", ["otters", "ftp://otters.example/", "javascript:1", "https://[", "42"])
async def test_what_is_no_id_is_refused(ask, identity):
    failure = (await ask("fetch", id=identity)).error
    assert (failure.kind, failure.field) == ("validation", "id")


async def test_a_part_beyond_the_end_is_refused(ask, site):
    url = site.says("/short", long_page(3))
    failure = (await ask("fetch", id=f"{url}#bytes=900000-")).error
    assert failure.field == "id"
    assert failure.message.endswith(f"Its first part has the id {url}")
    assert "offset" not in failure.message  # the tool has none


async def test_an_address_inside_is_not_read(ask, services):
    services.settings = services.settings.__class__.read({"ASSAY_HOME": str(services.settings.home)})
    assert (await ask("fetch", id="http://169.254.169.254/latest/meta-data/")).error is not None
