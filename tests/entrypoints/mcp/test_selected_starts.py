"""What a connection leaves out, start_tool_call does not start either: over HTTP, on Lambda and on standard input."""

import json
import os
import subprocess
import sys

import pytest
from tests.entrypoints.mcp.conftest import modern_request

from assay.entrypoints.mcp.local_http import LocalMcp
from assay.entrypoints.mcp.stateless_server import handle_event
from assay.entrypoints.mcp.tool_catalogue import load_catalogue
from assay.tool_calls.call_job import CALLS

OUT = ["exclude=search_and_scrape", "exclude=core", "tools=crawl", "toolset=start_tool_call"]
IN = ["", "tools=start_tool_call,search_and_scrape", "exclude=paper_fulltext"]
START = {
    "name": "start_tool_call",
    "arguments": {"tool": "search_and_scrape", "arguments": {"query": "otters", "num_results": 1}},
}


@pytest.fixture
def server(services, asker):
    services.runs_workers = False
    return asker(LocalMcp(services).app)


async def start_on_lambda(services, era, query):
    body, headers = modern_request("tools/call", START)
    if era == "legacy":
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": START}
        body = json.dumps(message).encode()
        headers = {name: value for name, value in headers.items() if not name.startswith("mcp-")}
    http = {"method": "POST", "path": "/mcp", "sourceIp": "127.0.0.1"}
    request = {"domainName": "127.0.0.1", "requestId": "r-1", "http": http}
    event = {"rawPath": "/mcp", "rawQueryString": query, "headers": headers, "requestContext": request}
    reply = await handle_event(event | {"body": body.decode()}, None, services, load_catalogue())
    return json.loads(reply["body"])["result"]


async def start_locally(server, era, query):
    ask = server.modern if era == "modern" else server.legacy
    return (await ask("tools/call", START, query=query)).result


def read_error(result):
    return json.loads(result["content"][0]["text"].partition("\n\n")[2])["error"]


@pytest.mark.parametrize("era", ["legacy", "modern"])
@pytest.mark.parametrize("query", OUT)
async def test_a_tool_that_is_left_out_is_not_started(query, era, server, services):
    for result in (await start_locally(server, era, query), await start_on_lambda(services, era, query)):
        assert result["isError"]
        assert (read_error(result)["kind"], read_error(result)["field"]) == ("validation", "tool")
        assert "?exclude=" in result["content"][0]["text"]
    assert await CALLS.list_active(services.table) == []


@pytest.mark.parametrize("era", ["legacy", "modern"])
@pytest.mark.parametrize("query", IN)
async def test_a_tool_that_is_selected_is_started(query, era, server, services):
    for result in (await start_locally(server, era, query), await start_on_lambda(services, era, query)):
        assert result["structuredContent"]["status"] == "working"


def test_the_options_of_the_command_bound_it_as_well(environ):
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": START},
    ]
    command = [sys.executable, "-m", "assay.entrypoints.cli.main", "mcp", "--exclude", "search_and_scrape"]
    lines = "".join(json.dumps(message) + "\n" for message in messages).encode()
    done = subprocess.run(command, env=os.environ | environ, input=lines, capture_output=True, timeout=60, check=True)
    [result] = [json.loads(line)["result"] for line in done.stdout.splitlines() if json.loads(line)["id"] == 2]
    assert read_error(result)["field"] == "tool"
