"""The tools that scrape, search and extract through every entry point, and under their own addresses."""

import asyncio
import json
import os

import httpx
import pytest
import pytest_asyncio
from tests.support.forked_commands import run_command
from tests.support.pages import article
from tests.support.upstream import Upstream

from assay.bootstrap import local_services
from assay.entrypoints import mcp_function
from assay.entrypoints.http import rest
from assay.entrypoints.http.local_server import create_app
from assay.entrypoints.mcp import stateless_server
from assay.toolkit import tool_registry

ROUTES = {
    "cinder_scrape": "/v1/scrape",
    "cinder_search": "/v1/search",
    "cinder_extract": "/v1/extract",
}
VARYING = {"_meta", "loadTime", "searchTime", "totalTime", "elapsed"}
SCHEMA = {"type": "object", "properties": {"heading": {"type": "string"}, "price": {"type": "number"}}}
QUESTIONS = {
    "a page": ("cinder_scrape", {"url": "{site}/weir"}),
    "a page as json": ("cinder_scrape", {"url": "{site}/weir", "returnFormat": "json", "includeMetadata": "false"}),
    "a page that is not there": ("cinder_scrape", {"url": "{site}/nowhere"}),
    "a browser that is not there": ("cinder_scrape", {"url": "{site}/weir", "mode": "dynamic"}),
    "a file": ("cinder_scrape", {"url": "{site}/file"}),
    "a search": ("cinder_search", {"query": "weir", "numResults": 1}),
    "a search out of range": ("cinder_search", {"query": "weir", "numResults": 101}),
    "a search and its pages": ("cinder_search_and_scrape", {"query": "weir"}),
    "an extraction": ("cinder_extract", {"urls": ["{site}/weir"], "prompt": "the heading", "schema": SCHEMA}),
    "a schema that is none": ("cinder_extract", {"urls": ["{site}/weir"], "prompt": "x", "schema": {"type": 5}}),
    "eleven addresses": ("cinder_extract", {"urls": ["{site}/weir"] * 11, "prompt": "x"}),
}


@pytest_asyncio.fixture
async def llm():
    llm = await Upstream().start()
    content = json.dumps({"data": {"heading": "The weir", "price": None}})
    llm.says({"choices": [{"message": {"content": content}}], "usage": {"prompt_tokens": 9, "completion_tokens": 3}})
    yield llm
    await llm.close()


@pytest.fixture
def environ(environ, site, llm):
    site.says("/weir", article(head="<title>The weir</title>"))
    site.says("/file", b"\x89PNG\x00" * 99, kind="image/png")
    hits = [{"title": f"Weir {n}", "url": f"{site.url}/weir?{n}", "content": "A weir."} for n in range(2)]
    site.says("/searxng/search", json.dumps({"results": hits}), kind="application/json")
    return environ | {"LLM_BASE_URL": f"{llm.url}/v1", "LLM_MODEL": "m", "CHROME_PATH": "disabled"}


def event(path, arguments):
    return {
        "rawPath": path,
        "headers": {},
        "requestContext": {"http": {"method": "POST", "path": path}},
        "body": json.dumps(arguments),
    }


async def by_tools_address(tool, arguments, services, _):
    return await by_local(f"/tools/{tool}", arguments, services)


async def by_rest(tool, arguments, services, _):
    return await by_local(ROUTES.get(tool, f"/tools/{tool}"), arguments, services)


async def by_local(path, arguments, services):
    transport = httpx.ASGITransport(create_app(services))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8787") as client:
        return (await client.post(path, json=arguments)).json()


async def by_rest_on_lambda(tool, arguments, services, _):
    if tool not in ROUTES:
        return await by_rest(tool, arguments, services, _)
    return json.loads((await rest.answer(event(ROUTES[tool], arguments), None, services))["body"])


async def by_mcp(tool, arguments, services, _):
    message = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    sent = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    query = {
        "headers": sent | {"mcp-protocol-version": "2025-11-25"},
        "requestContext": {"http": {"method": "POST"}},
        "body": json.dumps(message),
    }
    answer = json.loads(
        (await stateless_server.handle_event(query, None, services, mcp_function.catalogue_here()))["body"]
    )["result"]
    if not answer.get("isError"):
        return answer["structuredContent"]
    sentence, _, envelope = answer["content"][0]["text"].partition("\n\n")
    return {"error": json.loads(envelope)["error"] | {"message": sentence}}


async def by_command_line(tool, arguments, _, environ):
    call = ("call", tool, json.dumps(arguments))
    done = await asyncio.to_thread(run_command, *call, env=os.environ | environ)
    return json.loads(done.stdout or done.stderr)


ENTRY_POINTS = [by_tools_address, by_rest, by_rest_on_lambda, by_mcp, by_command_line]


def steady(body):
    """The body without what tells only of the moment."""
    if isinstance(body, dict):
        return {name: steady(value) for name, value in body.items() if name not in VARYING}
    return [steady(inner) for inner in body] if isinstance(body, list) else body


def insert_url(value, site):
    return json.loads(json.dumps(value).replace("{site}", site.url))


@pytest.mark.parametrize("question", QUESTIONS)
async def test_the_answer_does_not_depend_on_the_door(question, site, settings, environ, tmp_path):
    tool, arguments = QUESTIONS[question]
    bodies = {}
    for place, entry_point in enumerate(ENTRY_POINTS):
        fresh = environ | {"ASSAY_HOME": str(tmp_path / f"entry_point{place}")}
        services = local_services(type(settings).read(fresh))
        bodies[entry_point.__name__] = steady(await entry_point(tool, insert_url(arguments, site), services, fresh))
        await services.close()
    [expected, *others] = bodies.items()
    assert expected[1]
    for name, body in others:
        assert body == expected[1], f"{name} answers otherwise than {expected[0]}"


@pytest.mark.parametrize(
    ("tool", "arguments", "status"),
    [
        ("cinder_scrape", {"url": "{site}/nowhere"}, 200),
        ("cinder_scrape", {"url": "gopher://x/"}, 400),
        ("cinder_scrape", {"url": "{site}/weir", "mode": "dynamic"}, 503),
        ("cinder_search", {"query": "weir", "maxAge": 0}, 400),
        ("cinder_extract", {"urls": [], "prompt": "x"}, 400),
    ],
)
async def test_a_status_fits_its_answer(tool, arguments, status, services, site):
    output = await rest.answer(event(ROUTES[tool], insert_url(arguments, site)), None, services)
    assert output["statusCode"] == status


async def test_what_is_not_a_post_is_told_what_is(services):
    request = event("/v1/scrape", {})
    request["requestContext"]["http"]["method"] = "GET"
    output = await rest.answer(request, None, services)
    assert output["statusCode"] == 405
    assert "POST" in json.loads(output["body"])["error"]["message"]


@pytest.mark.parametrize("name", ["cinder_get_crawl_status", "cinder_cancel_crawl"])
@pytest.mark.parametrize("entry_point", [by_tools_address, by_mcp, by_command_line])
async def test_a_crawl_is_named_by_id_or_as_the_answer_names_it(name, entry_point, services, environ):
    outputs = [
        await entry_point(name, arguments, services, environ)
        for arguments in ({"id": "none"}, {"crawlId": "none"}, {"id": "none", "crawlId": "none"})
    ]
    assert outputs[0]["error"]["kind"] == "not_found"
    assert outputs[1:] == outputs[:1] * 2
    both = await entry_point(name, {"id": "none", "crawlId": "other"}, services, environ)
    assert both["error"]["kind"] == "validation"
    assert "id" in tool_registry.find_tool(name).input_schema["properties"]
    assert "crawlId" not in tool_registry.find_tool(name).input_schema["properties"]
