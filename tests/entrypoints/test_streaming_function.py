"""The function Mcp where its Function URL streams: the loop, the real function, and the official client in front."""

import gzip
import json
import shutil
import threading
import time
from contextlib import ExitStack
from dataclasses import replace

import anyio
import pytest
from mcp.client.client import Client
from tests.conftest import Site
from tests.support.fake_runtime_api import (
    API,
    PATIENCE,
    PRELUDE_TYPE,
    ROOT,
    FakeRuntimeApi,
    build_event,
    decode_error,
    serve_function_url,
    start_function,
)
from tests.support.pages import article

DOCUMENTS = {"docs": [{"title": "Otters", "url": "https://otters.example/"}]}
BOTH = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
SENT = BOTH | {"mcp-protocol-version": "2025-11-25"}


def ask(method, number=1, **params):
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def call(name, arguments=None, token="t"):
    meta = {} if token is None else {"_meta": {"progressToken": token}}
    return ask("tools/call", name=name, arguments=arguments or {}, **meta)


def search(query):
    """Arguments of a search that no other test has asked for, since answers are cached."""
    return {"query": query, "num_results": 1}


def post(message, path="/mcp", *, domain=None, **headers):
    return build_event("POST", path, message, **({"domain": domain} if domain else {}), **{**SENT, **headers})


@pytest.fixture(scope="module")
def web():
    """A search engine that finds one page."""
    site = Site()
    page = site.says("/otters", article())
    found = {"results": [{"title": "Otters", "url": page, "content": "A snippet."}]}
    site.says("/searxng/search", json.dumps(found), kind="application/json")
    yield site
    site.close()


@pytest.fixture
def hang(web):
    """The search engine answers only after `hang.set()`."""
    freed = threading.Event()
    page = web.pages["/searxng/search"]
    web.pages["/searxng/search"] = replace(page, before=lambda: freed.wait(PATIENCE))
    yield freed
    freed.set()
    web.pages["/searxng/search"] = page


@pytest.fixture(scope="module")
def start(web, tmp_path_factory):
    """`start(code, count)`: the Runtime API of functions whose handler is this text, and their log."""
    with ExitStack() as ends:

        def start(code, count=1, **more):
            folder = tmp_path_factory.mktemp("task")
            shutil.copytree(ROOT / "functions/mcp", folder, dirs_exist_ok=True)
            (folder / "handler.py").write_text(code)
            api, home = FakeRuntimeApi(), tmp_path_factory.mktemp("home")
            ends.callback(api.close)
            environ = {
                "ASSAY_HOME": str(home),
                "HOME": str(home),
                "ALLOW_PRIVATE_IPS": "true",
                "CHROME_PATH": "disabled",
                "SEARXNG_URL": web.url + "/searxng",
                "ALLOWED_ORIGINS": "https://app.example",
            }
            for _ in range(count):
                ends.enter_context(start_function(api, environ | more, folder, home / "log"))
            return api, home / "log"

        yield start


@pytest.fixture(scope="module")
def real(start):
    """The Runtime API of the real function, of which two instances run."""
    api, log = start((ROOT / "functions/mcp/handler.py").read_text(), 2)
    yield api
    assert "could not be" not in log.read_text()


@pytest.fixture(scope="module")
def failing(start):
    return start((ROOT / "tests/support/failing_function.py").read_text())


def test_progress_arrives_while_the_call_runs(real, hang):
    running = real.invoke(post(call("search_and_scrape", search("otters")), origin="https://app.example", host="x"))
    prelude = running.read_prelude()
    first = running.read_event()
    assert not running.ended.is_set()
    assert (first["method"], first["params"]["progressToken"]) == ("notifications/progress", "t")
    hang.set()
    *_, last = iter(running.read_event, None)
    assert last["result"]["structuredContent"]["sources"]
    assert running.headers["content-type"] == PRELUDE_TYPE
    assert (running.is_streamed, running.was_cut, running.trailers) == (True, False, {})
    assert prelude["statusCode"] == 200
    sent = prelude["headers"]
    assert (sent["content-type"], sent["cache-control"]) == ("text/event-stream", "no-cache, no-transform")
    assert (sent["x-frame-options"], sent["x-request-id"]) == ("DENY", "r-1")
    assert sent["access-control-allow-origin"] == "https://app.example"


@pytest.mark.parametrize(
    ("event", "status", "kind"),
    [
        (post(ask("tools/list")), 200, "application/json"),
        (post(call("dedupe_rank", DOCUMENTS, token=None)), 200, "application/json"),
        (post(call("dedupe_rank", DOCUMENTS), accept="application/json"), 200, "application/json"),
        (post({"jsonrpc": "2.0", "method": "notifications/initialized"}), 202, None),
        (post("no JSON"), 400, "application/json"),
        (build_event("GET", "/mcp", None, **SENT), 405, "application/json"),
        (post(DOCUMENTS, "/tools/dedupe_rank"), 200, "application/json"),
        (post({}, "/v1/no-such-route"), 404, "application/json"),
        (build_event("GET", "/v1/calls/no-such-call"), 404, "application/json"),
    ],
)
def test_what_reports_no_progress_is_answered_with_json(event, status, kind, real):
    answered = real.ask(event)
    prelude = answered.read_prelude()
    assert answered.is_streamed
    assert (prelude["statusCode"], prelude["headers"].get("content-type")) == (status, kind)
    body = answered.read_body()
    assert json.loads(body) if kind else body == b""


def test_a_compressed_answer_is_sent_as_bytes(real):
    answered = real.ask(post(ask("tools/list"), **{"accept-encoding": "gzip"}))
    assert answered.read_prelude()["headers"]["content-encoding"] == "gzip"
    assert len(json.loads(gzip.decompress(answered.read_body()))["result"]["tools"]) > 40


def test_the_http_api_gets_whole_responses_from_the_same_function(real):
    for message in (ask("tools/list"), call("dedupe_rank", DOCUMENTS)):
        answered = real.ask(post(message, domain=API))
        assert not answered.is_streamed
        assert answered.response["statusCode"] == 200
        assert json.loads(answered.response["body"])["result"]


def test_a_call_that_outlives_the_function_goes_on_and_the_stream_says_so(real, hang):
    running = real.invoke(post(call("search_and_scrape", search("weasels"))), seconds=6.0)
    assert running.read_prelude()["headers"]["content-type"] == "text/event-stream"
    *_, last = iter(running.read_event, None)
    assert last["result"]["isError"]
    assert "get_tool_call" in last["result"]["content"][0]["text"]
    assert not hang.is_set()


def test_a_failure_before_the_first_byte_is_an_error_of_the_function(failing):
    api, log = failing
    for event in (build_event("POST", "/fails", {}), ["no", "event"]):
        answered = api.ask(event)
        assert answered.error["errorMessage"]
        assert answered.headers["lambda-runtime-function-error-type"] == answered.error["errorType"]
    lines = [json.loads(line) for line in log.read_text().splitlines() if "before the first byte" in line]
    assert [(line["level"], line["logger"]) for line in lines] == [("ERROR", "assay")]
    assert "ValueError" in lines[0]["stackTrace"]
    assert json.loads(next_answer(api))["result"]  # the next invocation succeeds


def next_answer(api):
    answered = api.ask(post(call("echo", {"query": "otters"}, token=None)))
    assert answered.read_prelude()["statusCode"] == 200
    return answered.read_body()


def test_a_failure_after_the_first_byte_ends_the_stream_with_an_error(failing):
    api, _ = failing
    answered = api.ask(post(call("empty")))
    assert answered.read_prelude()["statusCode"] == 200
    *_, last = iter(answered.read_event, None)
    assert (last["id"], last["error"]["code"]) == (1, -32603)
    assert "broken" not in json.dumps(last)
    assert answered.trailers["lambda-runtime-function-error-type"] == "RuntimeError"
    assert decode_error(answered.trailers)["errorMessage"] == "the tool is broken"
    assert json.loads(next_answer(api))["result"]


def test_a_client_that_never_reads_ends_its_call(failing):
    api, log = failing
    unread = api.invoke(post(call("noisy")), is_read=False)
    assert json.loads(next_answer(api))["result"]  # after the call has ended: an instance serves one at a time
    assert "the flood was cancelled" in log.read_text()
    unread.may_read.set()
    assert unread.ended.wait(PATIENCE)
    assert unread.was_cut


def test_a_function_that_cannot_start_says_why(start):
    api, _ = start("raise RuntimeError('no such table')")
    headers, error = api.init_errors.get(timeout=PATIENCE)
    assert (error["errorType"], error["errorMessage"]) == ("RuntimeError", "no such table")
    assert headers["lambda-runtime-function-error-type"] == "RuntimeError"


@pytest.fixture(scope="module")
def address(real):
    with serve_function_url(real) as url:
        yield url + "/mcp"


async def test_the_official_client_lists_calls_and_is_told_progress(address, hang):
    reports = []

    async def progress(done, total, message):
        reports.append((done, total, message))
        hang.set()

    async with Client(address) as client:
        assert len((await client.list_tools()).tools) > 40
        result = await client.call_tool("search_and_scrape", search("badgers"), progress_callback=progress)
    assert not result.is_error
    assert len(reports) >= 2
    assert hang.is_set()  # by the first report, without which the call would have hung


async def test_the_official_client_may_give_a_call_up_and_go_on(address, hang):
    begun = anyio.Event()

    async def progress(*_):
        begun.set()

    async with Client(address) as client:
        began = time.monotonic()
        async with anyio.create_task_group() as group:
            group.start_soon(
                lambda: client.call_tool("search_and_scrape", search("martens"), progress_callback=progress)
            )
            await begun.wait()
            group.cancel_scope.cancel()
        assert time.monotonic() - began < PATIENCE / 2
        result = await client.call_tool("dedupe_rank", DOCUMENTS)  # the other instance answers
    assert not result.is_error
