"""An answer over MCP has at most 20,000 tokens of four bytes, whatever length a caller asks for."""

import json

import pytest
from tests.support import sample_calls
from tests.support.sample_calls import LONG_TEXT, PAGE, SampleServices, arguments_of

from assay.caller import Caller
from assay.context import Context
from assay.entrypoints.mcp.local_http import LocalMcp
from assay.entrypoints.mcp.tool_catalogue import ToolCatalogue
from assay.invoke import invoke
from assay.net.provider_client import ProviderClient
from assay.state import artifacts
from assay.toolkit import tool_registry

LIMIT = 80_000  # bytes
PARAGRAPH = 'The "otters" of the river hold hands while they sleep, so that nothing parts them before morning. '


def page(size):
    paragraphs = "".join(f"<p>{number}. {PARAGRAPH}</p>" for number in range(size // len(PARAGRAPH)))
    return f"<html><head><title>Otters</title></head><body><article><h1>Otters</h1>{paragraphs}</article></body></html>"


@pytest.fixture
def ask(services, asker):
    app = asker(LocalMcp(services, ToolCatalogue()).app)

    async def call(name, /, **arguments):
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
@pytest.mark.parametrize("size", [56_000, 400_000])
async def test_a_long_page_comes_in_parts_alike_as_json_and_as_text(size, most, ask, site):
    url, offset, parts = site.says("/long", page(size)), 0, []
    while offset is not None:
        result = await ask("scrape_page", url=url, offset=offset, max_length=most)
        [item] = result["content"]
        answer = result["structuredContent"]
        assert answer["content"] in item["text"]
        assert answer["truncated"] is ("nextOffset" in answer)
        assert len(answer["content"]) > 25_000 or "nextOffset" not in answer
        offset = answer.get("nextOffset")
        parts.append(answer["content"].removesuffix("\n\n[content truncated]"))
        assert offset is None or f"Go on with offset {offset}." in item["text"]
    numbers = [int(line.partition(".")[0]) for part in parts for line in part.split("\n") if line[:1].isdigit()]
    assert numbers == list(range(size // len(PARAGRAPH)))


async def test_a_short_page_comes_whole(ask, site):
    result = await ask("scrape_page", url=site.says("/short", page(30_000)))
    [item] = result["content"]
    assert result["structuredContent"]["content"] in item["text"]


async def test_a_long_answer_comes_whole_as_json_and_cut_as_text(ask):
    sources = [{"url": f"https://a.example/{number}", "title": PARAGRAPH * 3} for number in range(100)]
    result = await ask("format_bibliography", sources=sources, style="bibtex")
    [item, link] = result["content"]
    assert item["text"].splitlines()[-1].startswith("structuredContent has the whole answer, and read_artifact pages")
    assert (link["type"], link["title"]) == ("resource_link", "The whole answer")
    assert await read_whole_artifact(ask, link["uri"]) == result["structuredContent"]
    assert await read_whole_artifact(ask, item["text"].split()[-1]) == result["structuredContent"]


async def test_a_body_as_it_came_is_linked(ask, site):
    result = await ask("scrape_page", url=site.says("/longer", page(400_000)), mode="raw", max_length=5_000_000)
    assert result["structuredContent"]["linked"] is True
    results = await read_whole_artifact(ask, result["content"][1]["uri"])
    assert results["contentLength"] > 390_000


async def test_every_part_of_an_artifact_fits_and_none_is_lost(ask, services):
    text = json.dumps({"text": 'ä"\\\n' * 60_000}, ensure_ascii=False)
    stored = await artifacts.store(services.bucket, "local", text.encode(), services.clock())
    assert await read_whole_artifact(ask, stored.uri) == json.loads(text)


async def test_other_callers_are_sent_as_much_as_they_ask_for(services, site):
    arguments = {"url": site.says("/longer", page(400_000)), "max_length": 5_000_000}
    reply = await invoke("scrape_page", arguments, Context(services, Caller()))
    assert len(reply.text) > 360_000


# Tools whose longest answer here is longer than fits, or than a model wants to read at once.
TOO_LONG = {
    "cinder_scrape", "dedupe_rank", "http_fetch", "metadata_extract", "news_search",
    "openalex_search", "paper_fulltext", "readability_extract", "rss_fetch", "search_and_scrape", "searxng_search",
}  # fmt: skip
SIZES = ("num_results", "limit", "per_page", "size", "rows", "max_length", "length", "max_results", "max_bytes")
LONG_HTML = f"<title>Otters</title><meta property='og:title' content='{'x' * 90_000}'><article>{'<p>' + LONG_TEXT * 50}"
LONG_ARGUMENTS = {  # of tools whose answers are as long as what they are given
    "readability_extract": {"html": LONG_HTML, "base_url": PAGE},
    "metadata_extract": {"html": LONG_HTML, "base_url": PAGE},
    "dedupe_rank": {"docs": [{"id": f"{number:0>200}", "text": LONG_TEXT} for number in range(500)]},
    "audit_bibliography": {"entries": [{"doi": f"10.1234/otters.{number}", "title": "Otters"} for number in range(30)]},
}


@pytest.fixture
def environ(environ, site, request):
    return environ | (sample_calls.environ(site.url) if "samples" in request.fixturenames else {})


@pytest.fixture
def samples(services, site, fake_hosts):
    services.http = ProviderClient(services.settings, pause=0)
    samples = SampleServices(services, site, fake_hosts)
    samples.says_much()
    return samples


def ask_for_most(name):
    """The arguments that make the tool's answer as long as it can be."""
    fields = tool_registry.find_tool(name).input_schema["properties"]
    most = {field: fields[field]["maximum"] for field in SIZES if "maximum" in fields.get(field, {})}
    return {} if name == "econ_search" else most  # whose providers have limits of their own


@pytest.mark.parametrize("name", tool_registry.tool_names())
async def test_the_longest_answer_of_each_tool_fits_and_is_never_cut_in_silence(name, samples, asker):
    app = asker(LocalMcp(samples.services, ToolCatalogue()).app)

    async def ask(tool, /, **arguments):
        got = await app.legacy("tools/call", {"name": tool, "arguments": arguments})
        assert len(got.body) <= LIMIT
        assert got.result["isError"] is False, got.result["content"][0]["text"]
        return got.result

    async def call(tool, arguments):
        return (await ask(tool, **arguments))["structuredContent"]

    arguments = await arguments_of(name, samples, call) | ask_for_most(name) | LONG_ARGUMENTS.get(name, {})
    result = await ask(name, **arguments)
    if len(result["content"]) == 1:
        assert name not in TOO_LONG
        return
    link = result["content"][1]
    assert link["uri"] in result["content"][0]["text"]
    whole = await read_whole_artifact(ask, link["uri"])
    assert whole == result["structuredContent"] or result["structuredContent"]["linked"]
    assert len(json.dumps(whole)) > len(json.dumps(result["structuredContent"])) or whole == result["structuredContent"]
