"""Long tool calls as tasks: created before they are answered, fetched later, cancelled, and nobody else's."""

import asyncio
import json
import threading
import time
from dataclasses import replace
from typing import Any, Literal

import mcp_types as types
import pytest
from mcp.client.client import Client
from mcp.client.extension import ClaimContext, ClientExtension, ResultClaim
from tests.entrypoints.mcp.conftest import SENT
from tests.oauth.browsers import KEY, RING
from tests.support import table_factories
from tests.support.pages import html

from assay.crawl.job import CRAWLS
from assay.entrypoints.mcp.local_http import LocalMcp
from assay.tool_calls.call_job import CALLS
from assay.work_queue import sweeper
from assay.work_queue.job_kinds import TimeShare, find_kind
from assay.work_queue.work_timing import WorkTiming
from assay.work_queue.worker import Worker

TASKS = "io.modelcontextprotocol/tasks"
DECLARED = {"_meta": {"io.modelcontextprotocol/clientCapabilities": {"extensions": {TASKS: {}}}}}

QUICK = WorkTiming(idle=0.05, lease=2.0, beat=0.2, sweep=0.2)


class TaskHandle(types.Result):
    result_type: Literal["task"] = "task"
    task_id: str
    status: str
    poll_interval_ms: int


class TaskState(types.Result):
    task_id: str
    status: str
    status_message: str | None = None
    result: dict[str, Any] | None = None
    error: dict[str, Any] | None = None


class TaskParams(types.RequestParams):
    task_id: str


class GetTask(types.Request[TaskParams, Literal["tasks/get"]]):
    method: Literal["tasks/get"] = "tasks/get"
    params: TaskParams
    name_param = "taskId"


class TaskExtension(ClientExtension):
    """The extension as a host implements it: it polls until the task has ended."""

    identifier = TASKS

    def __init__(self) -> None:
        self.states: list[TaskState] = []

    def claims(self) -> list[ResultClaim[TaskHandle]]:
        return [ResultClaim(result_type="task", model=TaskHandle, resolve=self._resolve)]

    async def _resolve(self, handle: TaskHandle, ctx: ClaimContext) -> types.CallToolResult:
        while True:
            request = GetTask(params=TaskParams(task_id=handle.task_id))
            self.states.append(await ctx.session.send_request(request, TaskState))
            if self.states[-1].status != "working":
                return types.CallToolResult.model_validate(self.states[-1].result)
            await asyncio.sleep(0.05)


@pytest.fixture
def found(site, article):
    """A search engine that finds a page."""
    results = [{"title": "Otters", "url": article, "content": "A snippet."}]
    site.says("/searxng/search", json.dumps({"results": results}), kind="application/json")
    return article


@pytest.fixture
def raw(services, asker):
    """A client of the local server that writes its messages itself."""
    return asker(LocalMcp(services).app)


async def test_the_official_client_gets_the_same_answer_from_a_task(address, found):
    arguments = {"query": "otters", "num_results": 1}
    extension = TaskExtension()
    async with Client(address, extensions=[extension]) as client:
        assert client.server_capabilities.extensions == {TASKS: {}}
        later = await client.call_tool("search_and_scrape", arguments)
    async with Client(address) as client:
        at_once = await client.call_tool("search_and_scrape", arguments)
    assert extension.states[-1].status == "completed"
    assert not later.is_error
    assert [source["url"] for source in later.structured_content["sources"]] == [found]
    assert later.structured_content["sources"] == at_once.structured_content["sources"]
    assert later.content[0].text == at_once.content[0].text


async def test_a_crawl_is_a_task_until_its_last_page_is_read(address, site):
    for n in range(5):
        site.says(f"/{n}", html(f"<p>Otter {n} swims.</p><a href='/{n + 1}'>on</a>", f"<title>{n}</title>"))
    extension = TaskExtension()
    async with Client(address, extensions=[extension]) as client:
        result = await client.call_tool("cinder_crawl", {"url": site.url + "/0", "maxDepth": 5, "maxPages": 5})
    assert (result.structured_content["status"], result.structured_content["pagesCrawled"]) == ("completed", 5)


async def test_an_audit_of_a_manuscript_is_a_task_until_its_report_is_whole(address, article):
    text = f"Otters hold hands [1].\n\n# References\n\n[1] Brook A. On otters. River News. 2025. {article}\n"
    extension = TaskExtension()
    async with Client(address, extensions=[extension]) as client:
        result = await client.call_tool("audit_document", {"text": text, "claims": 0})
    assert result.structured_content["status"] == "completed"
    assert result.structured_content["references"][0]["linkLive"] is True


async def test_only_a_client_that_declares_the_extension_gets_a_task(raw, found):
    call = {"name": "search_and_scrape", "arguments": {"query": "otters", "num_results": 1}}
    assert (await raw.modern("tools/call", call)).result["resultType"] == "complete"
    assert (await raw.modern("tools/call", call | DECLARED)).result["resultType"] == "task"
    quick = {"name": "read_artifact", "arguments": {"id": "0" * 64}}
    assert (await raw.modern("tools/call", quick | DECLARED)).result["resultType"] == "complete"
    refused = await raw.modern("tasks/get", {"taskId": "0" * 32})
    assert refused.error["code"] == -32021
    assert refused.error["data"]["requiredCapabilities"] == {"extensions": {TASKS: {}}}


@pytest.fixture
def start(raw, services):
    """`await start()`: a task that no worker touches; its handle."""
    services.runs_workers = False

    async def create(client=raw, **more: Any) -> Any:
        call = {"name": "search_and_scrape", "arguments": {"query": "otters", "num_results": 1}} | DECLARED
        return (await client.modern("tools/call", call, **more)).result

    return create


async def read(client, task, method="tasks/get", **more):
    return await client.modern(method, {"taskId": task} | DECLARED | more.pop("params", {}), **more)


async def test_a_created_task_is_known_at_once(raw, start):
    handle = await start()
    assert len(handle["taskId"]) == 32
    assert handle["ttlMs"] == 86_400_000
    task = (await read(raw, handle["taskId"])).result
    assert (task["status"], task["createdAt"], task["resultType"]) == ("working", handle["createdAt"], "complete")
    assert "result" not in task


async def test_a_task_is_kept_in_the_table_of_aws_as_well(raw, start, services, engine_url, clock, found):
    await services.table.close()
    name = table_factories.create_engine_table(engine_url)
    services.table = table_factories.open_engine_table(engine_url, name, clock)
    task = (await start())["taskId"]
    assert (await read(raw, task)).result["status"] == "working"
    await Worker(services, services.queue, QUICK).run()
    state = (await read(raw, task)).result
    assert (state["status"], state["result"]["isError"]) == ("completed", False)
    assert (await read(raw, task, "tasks/cancel")).status == 200


async def test_wrong_arguments_are_refused_at_once_and_create_nothing(raw, services):
    call = {"name": "search_and_scrape", "arguments": {"querry": "otters"}}
    result = (await raw.modern("tools/call", call | DECLARED)).result
    assert (result["resultType"], result["isError"]) == ("complete", True)
    assert "querry" in result["content"][0]["text"]
    legacy = await raw.legacy("tools/call", call | {"task": {}})
    assert legacy.error["code"] == -32602
    assert (await raw.legacy("tasks/list")).result == {"tasks": []}


FORGED = {
    "unknown": "0" * 32,
    "path": "../../audit/x",
    "long": "a" * 5_000,
    "upper": "A" * 32,
    "empty": "",
    "nul": "\0" * 32,
}


@pytest.mark.parametrize("task", FORGED.values(), ids=FORGED)
@pytest.mark.parametrize("method", ["tasks/get", "tasks/cancel", "tasks/update"])
async def test_a_forged_id_is_an_unknown_task(raw, method, task):
    params = {"inputResponses": {}} if method == "tasks/update" else {}
    header = {"mcp-name": task if task.isprintable() else "=?base64?" + "AAAA" * 10 + "AAA=?="}
    got = await read(raw, task, method, params=params, headers=header if task != "\0" * 32 else {})
    assert got.error["code"] == -32602
    assert got.error["message"] == (await read(raw, "1" * 32, method, params=params)).error["message"]


async def test_the_name_header_names_the_task_or_is_absent(raw, start):
    task = (await start())["taskId"]
    assert (await read(raw, task, headers={"mcp-name": task})).status == 200
    assert (await read(raw, task, headers={"mcp-name": "0" * 32})).error["code"] == -32020


async def ask_older(client, method, headers, **params):
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    sent = SENT | {"mcp-protocol-version": "2025-11-25"} | headers
    return await client.send(json.dumps(message).encode(), sent)


class TestOfTwoPeople:
    @pytest.fixture
    def environ(self, environ):
        return environ | {"ASSAY_API_KEYS": RING}

    async def test_the_task_of_somebody_else_is_an_unknown_one(self, raw, start):
        ada, bob = ({"authorization": f"Bearer {key}"} for key in (KEY, "assay_bob"))
        task = (await start(headers=ada))["taskId"]
        assert (await read(raw, task, headers=ada)).result["status"] == "working"
        for method in ("tasks/get", "tasks/cancel", "tasks/update"):
            params = {"inputResponses": {}}
            foreign, unknown = [await read(raw, each, method, params=params, headers=bob) for each in (task, "0" * 32)]
            assert (foreign.status, foreign.error) == (unknown.status, unknown.error)
        for method in ("tasks/get", "tasks/cancel", "tasks/result"):
            foreign, unknown = [await ask_older(raw, method, bob, taskId=each) for each in (task, "0" * 32)]
            assert (foreign.status, foreign.error) == (unknown.status, unknown.error)
        assert (await ask_older(raw, "tasks/list", bob)).result == {"tasks": []}
        assert (await read(raw, task, headers=ada)).result["status"] == "working"


async def test_a_task_is_cancelled_once_and_for_all(raw, start, services, site):
    task = (await start())["taskId"]
    for _ in range(2):
        assert set((await read(raw, task, "tasks/cancel")).result) == {"resultType", "_meta"}
    await Worker(services, services.queue, QUICK).run()
    assert (await read(raw, task)).result["status"] == "cancelled"
    assert site.requests == []


async def test_a_cancelled_task_of_2025_11_25_is_not_cancelled_again(raw, services):
    services.runs_workers = False
    call = {"name": "search_and_scrape", "arguments": {"query": "otters", "num_results": 1}, "task": {}}
    task = {"taskId": (await raw.legacy("tools/call", call)).result["task"]["taskId"]}
    assert (await raw.legacy("tasks/cancel", task)).result["status"] == "cancelled"
    assert (await raw.legacy("tasks/cancel", task)).error["code"] == -32602
    assert (await raw.legacy("tasks/get", task)).result["status"] == "cancelled"
    assert (await raw.legacy("tasks/result", task)).error["code"] == -32800


async def test_a_running_call_stops_when_its_task_is_cancelled(raw, start, services, site):
    asked, freed = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    def hang():
        loop.call_soon_threadsafe(asked.set)
        freed.wait(20)

    site.says("/searxng/search", "{}", before=hang)
    task = (await start())["taskId"]
    worker = asyncio.create_task(Worker(services, services.queue, QUICK).run())
    try:
        await asyncio.wait_for(asked.wait(), 60)
        await read(raw, task, "tasks/cancel")
        await asyncio.wait_for(worker, 60)  # it has nothing left to do, although the search engine still hangs
    finally:
        freed.set()
    assert (await read(raw, task)).result["status"] == "cancelled"


async def test_cancelling_after_the_end_changes_nothing(raw, start, services, found):
    task = (await start())["taskId"]
    await Worker(services, services.queue, QUICK).run()
    before = (await read(raw, task)).result
    assert (await read(raw, task, "tasks/cancel")).status == 200
    assert (await read(raw, task)).result == before
    assert before["status"] == "completed"


async def test_a_cancelled_crawl_task_ends_its_crawl(raw, services, article):
    services.runs_workers = False
    call = {"name": "cinder_crawl", "arguments": {"url": article}} | DECLARED
    task = (await raw.modern("tools/call", call)).result["taskId"]
    await read(raw, task, "tasks/cancel")
    assert (await read(raw, task)).result["status"] == "cancelled"
    assert await CRAWLS.list_active(services.table) == []


async def test_a_worker_that_dies_does_not_lose_the_call(raw, start, services, clock, found):
    task = (await start())["taskId"]
    [message] = await services.queue.receive(visible=1)
    assert message.receives == 1  # this worker dies with the message in its hands
    services.clock = lambda: time.time() + 300
    await sweeper.sweep(services)
    await Worker(services, services.queue, QUICK).run()
    assert (await read(raw, task)).result["status"] == "completed"


async def test_a_call_that_kills_every_worker_fails_in_words(raw, start, services):
    task = (await start())["taskId"]
    job = await CALLS.load(services.table, task)
    for _ in range(3):
        await services.table.add(CALLS.key_of(task), "attempt/call", until=job.until)
    share = TimeShare(QUICK, asyncio.get_running_loop().time() + 10, is_careful=True)
    await find_kind("tool-call").run_slice(services, job, share)
    state = (await read(raw, task)).result
    assert (state["status"], state["error"]["code"]) == ("failed", -32603)
    assert "crashed" in state["statusMessage"]


async def test_an_error_of_the_tool_is_a_completed_task(raw, start, services, site):
    site.says("/searxng/search", "broken", status=500)
    task = (await start())["taskId"]
    await Worker(services, services.queue, QUICK).run()
    state = (await read(raw, task)).result
    assert (state["status"], state["result"]["isError"]) == ("completed", True)
    assert '"kind"' in state["result"]["content"][0]["text"]


async def test_a_task_expires_with_its_result(raw, start, services, found, clock):
    task = (await start())["taskId"]
    await Worker(services, services.queue, QUICK).run()
    assert (await read(raw, task)).result["status"] == "completed"
    await services.table.delete(CALLS.key_of(task))  # as expiry does
    assert (await read(raw, task)).error["code"] == -32602


async def test_unknown_fields_of_coming_revisions_are_ignored(raw, start):
    task = (await start())["taskId"]
    more = {"inputResponses": {"never-asked": {"action": "accept"}}, "urgency": 5}
    assert (await read(raw, task, "tasks/update", params=more)).status == 200
    assert (await read(raw, task, params={"verbosity": {"deep": [1]}})).result["status"] == "working"
    assert (await read(raw, task, "tasks/update")).error["code"] == -32602


async def test_a_revision_has_the_methods_that_it_defines(raw, start):
    task = {"taskId": (await start())["taskId"]}
    for method in ("tasks/result", "tasks/list"):
        assert (await raw.modern(method, task | DECLARED)).error["code"] == -32601
    assert (await raw.legacy("tasks/update", task | {"inputResponses": {}})).error["code"] == -32601
    for method in ("tasks/get", "tasks/result", "tasks/list", "tasks/cancel"):
        assert (await raw.legacy(method, task, version="2025-06-18")).error["code"] == -32601


async def test_the_tasks_of_2025_11_25_are_chosen_by_the_client(raw, found):
    tools = {card["name"]: card for card in (await raw.legacy("tools/list")).result["tools"]}
    assert tools["search_and_scrape"]["execution"] == {"taskSupport": "optional"}
    assert "execution" not in tools["web_search"]
    call = {"name": "search_and_scrape", "arguments": {"query": "otters", "num_results": 1}}
    task = (await raw.legacy("tools/call", call | {"task": {"ttl": 120_000}})).result["task"]
    assert (task["status"], task["ttl"]) == ("working", 120_000)
    result = (await raw.legacy("tasks/result", {"taskId": task["taskId"]})).result
    assert result["_meta"]["io.modelcontextprotocol/related-task"] == {"taskId": task["taskId"]}
    assert result["structuredContent"]["sources"][0]["url"] == found
    assert (await raw.legacy("tasks/get", {"taskId": task["taskId"]})).result["status"] == "completed"
    listed = (await raw.legacy("tasks/list")).result["tasks"]
    assert [each["taskId"] for each in listed] == [task["taskId"]]
    ended = await raw.legacy("tasks/cancel", {"taskId": task["taskId"]})
    assert ended.error["code"] == -32602
    unsupported = await raw.legacy("tools/call", {"name": "read_artifact", "arguments": {"id": "x"}, "task": {}})
    assert unsupported.error["code"] == -32601


@pytest.mark.parametrize("task", [5, "soon", {"ttl": "1"}, {"ttl": -1}, {"ttl": True}, [1]])
async def test_a_task_field_of_another_kind_is_refused(raw, task):
    call = {"name": "search_and_scrape", "arguments": {"query": "otters"}, "task": task}
    assert (await raw.legacy("tools/call", call)).error["code"] == -32602


async def test_a_long_list_of_tasks_has_pages(raw, services):
    services.runs_workers = False
    services.settings = replace(services.settings, calls_per_tenant=100)
    call = {"name": "search_and_scrape", "arguments": {"query": "otters"}, "task": {}}
    made = {(await raw.legacy("tools/call", call)).result["task"]["taskId"] for _ in range(55)}
    first = (await raw.legacy("tasks/list")).result
    second = (await raw.legacy("tasks/list", {"cursor": first["nextCursor"]})).result
    assert {each["taskId"] for page in (first, second) for each in page["tasks"]} == made
    assert "nextCursor" not in second
    assert (await raw.legacy("tasks/list", {"cursor": "../x"})).error["code"] == -32602


async def test_a_tenant_has_a_limited_number_of_tasks(raw, start, services):
    services.settings = replace(services.settings, calls_per_tenant=2)
    handles = [await start() for _ in range(3)]
    assert [handle["resultType"] for handle in handles] == ["task", "task", "complete"]
    assert "the limit is 2" in handles[2]["content"][0]["text"]


async def test_a_result_that_is_larger_than_a_row_is_linked_as_ever(raw, services, site):
    urls = [
        site.says(f"/{n}", html("<article>" + f"<p>{n} otters swim {'and dive ' * 40}.</p>" * 900 + "</article>"))
        for n in range(4)
    ]
    results = [{"title": f"Otters {n}", "url": url, "content": "A snippet."} for n, url in enumerate(urls)]
    site.says("/searxng/search", json.dumps({"results": results}), kind="application/json")
    arguments = {"query": "otters", "num_results": 4, "max_length_per_source": 20_000, "deduplicate": False}
    call = {"name": "search_and_scrape", "arguments": arguments} | DECLARED
    task = (await raw.modern("tools/call", call)).result["taskId"]
    while (state := (await read(raw, task)).result)["status"] == "working":
        await asyncio.sleep(0.05)
    assert state["result"]["content"][1]["type"] == "resource_link"
    assert len(json.dumps(state["result"])) < 96_000
