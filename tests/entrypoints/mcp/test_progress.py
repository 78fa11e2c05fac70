"""Every tool that may take more than two seconds tells how far it is, to the official client over both transports."""

import json
import os
import sys
import time
from pathlib import Path

import pytest
import pytest_asyncio
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from tests.support.fake_scholarly_apis import FakeScholarlyApis, addresses, work
from tests.support.pages import html
from tests.support.upstream import Upstream

PRODUCT = '{"@context": "https://schema.org", "@type": "Product", "name": "A lamp of brass"}'
LAMP = html(f'<p>A lamp of brass.</p><script type="application/ld+json">{PRODUCT}</script>', "<title>Lamp</title>")
ARCHIVED = "http://93.184.215.14/paper"  # public by its number: no name is asked for
DOI = "10.1234/otters.1"
TITLE = "Otters and their stones, part 1"
COUNTS = "".join(
    f"<p>In {year} Ada counted {year % 97} otters at the weir, each with a stone.</p>" for year in range(1900, 2000)
)
WORK = html(f"<article><h1>{TITLE}</h1>{COUNTS}</article>", f"<title>{TITLE}</title>")


@pytest_asyncio.fixture
async def archive():
    """The Internet Archive, which takes a copy at once."""
    upstream = await Upstream().start()
    stamp = time.strftime("%Y%m%d%H%M%S", time.gmtime())
    upstream.then(b"", 302, location=f"/web/{stamp}/{ARCHIVED}")
    upstream.says(b"<html>the copy")
    yield upstream.url
    await upstream.close()


@pytest.fixture
def environ(environ, site, archive):
    return environ | addresses(site.url) | {"OPENALEX_EMAIL": "ada@river.example", "WAYBACK_BASE_URL": archive}


@pytest.fixture
def world(site, article):
    """A search engine that finds two pages, and a work with an open copy."""
    other = site.says("/lamp", LAMP)
    results = [{"title": "Otters", "url": url, "content": "A snippet."} for url in (article, other)]
    site.says("/searxng/search", json.dumps({"results": results}), kind="application/json")
    scholarly_apis = FakeScholarlyApis(site)
    scholarly_apis.says("openalex", "/works/doi:10.1234%2Fotters.1", work(1, best_oa_location=None))
    scholarly_apis.copies(DOI, site.says("/copy.html", WORK))
    return article, other


SCHEMA = {"type": "object", "properties": {"name": {"type": "string"}}}
CALLS = {
    "audit_bibliography": lambda urls: {"entries": [{"url": url, "title": "Otters"} for url in urls]},
    "audit_document": lambda urls: {"text": "".join(f"- Otters: <{url}>\n" for url in urls)},
    "search_and_scrape": lambda _: {"query": "otters", "num_results": 2},
    "verify_recommendation": lambda urls: {"recommendations": [{"title": "Otters", "url": url} for url in urls]},
    "research_export": lambda _: {"verify_links": True},
    "archive_source": lambda _: {"url": ARCHIVED},
    "paper_fulltext": lambda _: {"identifier": DOI},
    "cinder_extract": lambda urls: {"urls": list(urls), "prompt": "The product's name", "schema": SCHEMA},
    "cinder_search_and_scrape": lambda _: {"query": "otters", "numResults": 2},
}
LEAST = {
    "archive_source": 1,
    "audit_document": 1,
    "paper_fulltext": 2,
    "research_export": 1,
}  # others: one for each of two pages


@pytest.mark.parametrize("tool", CALLS)
async def test_a_slow_tool_tells_how_far_it_is(tool, address, world):
    async with Client(address) as client:
        await call_and_listen(client, tool, world)


async def test_it_does_so_over_standard_input_and_output(environ, world):
    command = StdioServerParameters(
        command=sys.executable,
        args=["-m", "assay.entrypoints.cli.main", "mcp"],
        env=os.environ | environ | {"PYTHONPATH": str(Path(__file__).parents[3] / "shared")},
    )
    async with Client(stdio_client(command)) as client:
        for tool in CALLS:
            await call_and_listen(client, tool, world)


async def call_and_listen(client, tool, world):
    """Call the tool; what it reports meanwhile is steps that grow, each in words."""
    read_head = []

    async def progress(done, total, message):
        read_head.append((done, total, message))

    arguments = CALLS[tool](world)
    if tool == "research_export":
        arguments["sessionId"] = await session(client, world[0])
    result = await client.call_tool(tool, arguments, progress_callback=progress)
    assert not result.is_error, (tool, result.content[0].text)
    assert len(read_head) >= LEAST.get(tool, 2), (tool, read_head)
    assert [done for done, _, _ in read_head] == sorted({done for done, _, _ in read_head}), (tool, read_head)
    assert all(message and (total is None or done <= total) for done, total, message in read_head), (tool, read_head)


async def session(client, url):
    """A session that has met one page."""
    step = {"searchStep": "Look", "stepNumber": 1, "nextStepNeeded": True, "researchGoal": "Otters"}
    identity = (await client.call_tool("sequential_search", step)).structured_content["sessionId"]
    await client.call_tool("scrape_page", {"url": url, "sessionId": identity})
    return identity
