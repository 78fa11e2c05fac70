"""An answer over MCP has fewer than 25,000 tokens of four bytes, whatever length a caller asks for."""

import json

import pytest

from assay.context import Caller, Context
from assay.entrypoints.mcp.local_http import LocalMcp
from assay.entrypoints.mcp.tool_catalogue import ToolCatalogue
from assay.invoke import invoke
from assay.state import artifacts

LIMIT = 100_000  # bytes
PARAGRAPH = 'The "otters" of the river hold hands while they sleep, so that nothing parts them before morning. '


def page(size):
    paragraphs = "".join(f"<p>{number}. {PARAGRAPH}</p>" for number in range(size // len(PARAGRAPH)))
    return f"<html><head><title>Otters</title></head><body><article><h1>Otters</h1>{paragraphs}</article></body></html>"


@pytest.fixture
def ask(services, asker):
    app = asker(LocalMcp(services, ToolCatalogue()).app)

    async def call(name, **arguments):
        got = await app.legacy("tools/call", {"name": name, "arguments": arguments})
        assert len(got.body) < LIMIT
        assert got.result["isError"] is False, got.result["content"][0]["text"]
        return got.result

    return call


async def read_whole_artifact(ask, identity):
    """The artifact as a client pages it, as large a page as it may ask for at a time."""
    parts, offset = [], 0
    while offset is not None:
        part = (await ask("read_artifact", id=identity, offset=offset, length=200_000))["structuredContent"]
        parts.append(part["content"])
        offset = part.get("nextOffset")
    return json.loads("".join(parts))


@pytest.mark.parametrize("most", [50_000, 5_000_000])
async def test_a_page_of_some_length_comes_whole_as_json_and_cut_as_text(most, ask, site):
    result = await ask("scrape_page", url=site.says("/long", page(56_000)), max_length=most)
    [item, link] = result["content"]
    content = result["structuredContent"]["content"]
    assert len(content) > 45_000
    assert 15_000 < len(item["text"]) < len(content)
    assert item["text"].splitlines()[-1].startswith("structuredContent has the whole answer, and read_artifact pages")
    assert (link["type"], link["title"]) == ("resource_link", "The whole answer")
    assert (await read_whole_artifact(ask, link["uri"]))["content"] == content
    assert (await read_whole_artifact(ask, item["text"].split()[-1]))["content"] == content


async def test_a_short_page_comes_whole(ask, site):
    result = await ask("scrape_page", url=site.says("/short", page(30_000)))
    [item] = result["content"]
    assert result["structuredContent"]["content"] in item["text"]


@pytest.mark.parametrize("size", [100_000, 900_000])
async def test_a_long_page_is_linked(size, ask, site):
    result = await ask("scrape_page", url=site.says("/longer", page(size)), max_length=5_000_000)
    assert result["structuredContent"]["linked"] is True
    results = await read_whole_artifact(ask, result["content"][1]["uri"])
    assert results["contentLength"] > size * 0.9


async def test_every_part_of_an_artifact_fits_and_none_is_lost(ask, services):
    text = json.dumps({"text": 'ä"\\\n' * 60_000}, ensure_ascii=False)
    stored = await artifacts.store(services.bucket, "local", text.encode(), services.clock())
    assert await read_whole_artifact(ask, stored.uri) == json.loads(text)


async def test_other_callers_are_sent_as_much_as_they_ask_for(services, site):
    arguments = {"url": site.says("/longer", page(400_000)), "max_length": 5_000_000}
    reply = await invoke("scrape_page", arguments, Context(services, Caller()))
    assert len(reply.text) > 360_000
