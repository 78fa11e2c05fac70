"""MCP on Lambda: both front doors and the frozen catalogue."""

import json

from infra.scripts.emulator import STREAMING_LOOP

from assay.toolkit import tool_registry

LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
DOORS = [("function_url_post", "/"), ("http_api_post", "/mcp")]
ACCEPT = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-11-25"}


def calling(name, **arguments):
    return {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": name, "arguments": arguments}}


async def test_it_says_what_the_local_server_says(run, event, local, site):
    site.says("/searxng/search", json.dumps(HITS), kind="application/json")
    function = run("Mcp")
    questions = [
        {"jsonrpc": "2.0", "id": 0, "method": "ping"},
        LIST,
        calling("web_search", query="otters"),
        calling("web_search", query=""),
        calling("web_search", querry="otters"),
        calling("no_such_tool"),
        calling("scrape_page", url="http://127.0.0.1/"),
        *(
            {"jsonrpc": "2.0", "id": 3, "method": "resources/read", "params": {"uri": f"ui://assay/{view}"}}
            for view in ("audit", "session", "crawl")
        ),
    ]
    for question in questions:
        for recorded, path in DOORS:
            answer = function.call(event(recorded, question, path=path, headers=ACCEPT))
            here = await local.post("/mcp", json=question, headers=ACCEPT)
            assert answer["statusCode"] == here.status_code, (question, answer)
            assert plain(json.loads(answer["body"])) == plain(here.json()), question
    assert "Traceback" not in function.log()


def test_frozen_answers_are_those_of_the_server(run, event):
    frozen, server = run("Mcp", CUSTOM_LENSES_PATH=""), run("Mcp")
    client = {"clientInfo": {"name": "client", "version": "1"}, "capabilities": {}}
    for method, params in (("initialize", {"protocolVersion": "2025-11-25"} | client), ("tools/list", {})):
        ask = event("function_url_post", LIST | {"method": method, "params": params}, headers=ACCEPT)
        assert frozen.call(ask) == server.call(ask)


def test_under_the_loop_that_streams_the_answers_are_the_same(run, event):
    usual, streaming = run("Mcp", CUSTOM_LENSES_PATH=""), run("Mcp", loop=STREAMING_LOOP, CUSTOM_LENSES_PATH="")
    documents = [{"id": "a", "text": "Otters hold hands"}]
    for question in (LIST, calling("dedupe_rank", docs=documents), calling("no_such_tool")):
        ask = event("http_api_post", question, path="/mcp", headers=ACCEPT)
        assert plain_response(streaming.call(ask)) == plain_response(usual.call(ask))
        ask = event("function_url_post", question, headers=ACCEPT)
        head, _, body = streaming.read(ask).partition(bytes(8))
        assert plain_response({**json.loads(head), "body": body}) == plain_response(usual.call(ask))
    assert "Traceback" not in streaming.log()


def plain_response(response):
    """The response without what differs between two calls."""
    headers = {name: value for name, value in response["headers"].items() if not name.startswith("ratelimit")}
    return response["statusCode"], headers, plain(json.loads(response["body"]))


HITS = {"results": [{"title": "Otters", "url": "https://otters.example/1", "content": "They hold hands."}]}


def plain(answer):
    """The answer without what tells how old it is."""
    answer.get("result", {}).pop("_meta", None)
    return answer


def test_all_tools_are_listed(run, event):
    function = run("Mcp", ASSAY_UNCONFIGURED_TOOLS="show")
    answer = function.call(event("function_url_post", LIST, headers=ACCEPT))
    names = [tool["name"] for tool in json.loads(answer["body"])["result"]["tools"]]
    assert names == sorted(names)
    assert set(names) == set(tool_registry.tool_names())


def test_what_is_not_a_message_is_refused_at_once(run, event):
    function = run("Mcp")
    for recorded, path in DOORS:
        for method in ("GET", "DELETE"):  # there is no stream to wait for and no session to end
            answer = function.call(event(recorded, "", path=path, method=method, headers=ACCEPT))
            assert answer["statusCode"] == 405
            assert answer["headers"]["allow"] == "POST"
        unknown = {"jsonrpc": "2.0", "id": 3, "method": "no/such"}
        answer = function.call(event(recorded, unknown, path=path, headers=ACCEPT))
        assert json.loads(answer["body"])["error"]["code"] == -32601
        elsewhere = {**ACCEPT, "origin": "https://evil.example"}
        assert function.call(event(recorded, LIST, path=path, headers=elsewhere))["statusCode"] == 403
