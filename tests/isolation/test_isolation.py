"""Whoever is not Ada gets the answer that they would get if Ada had nothing, for as much work, and changes nothing of hers.

Each test asks two installations the same: one where Ada has data of every kind, and one where the same names never
existed. The answers, the operations on the stores and the requests to upstreams are the same.
"""

import json
import re
from collections import Counter
from datetime import UTC, datetime

import pytest
from tests.isolation.conftest import ADA, COLLEAGUE, EVE, EVES_ADMINISTRATOR
from tests.isolation.isolation_rows import (
    ADMINISTRATION,
    ENDPOINTS,
    MCP_METHODS,
    PACED_OR_PUBLIC,
    REPORTING_JOBS,
    TOOLS,
    WITHOUT_PERSONAL_DATA,
    list_samples,
)
from tests.support.sample_calls import HOST

from assay.entrypoints.mcp.methods import ONLY_MODERN
from assay.entrypoints.mcp.protocol_versions import CAPABILITIES_KEY, CLIENT_KEY, LEGACY, MODERN, VERSION_KEY
from assay.entrypoints.mcp.task_negotiation import TASKS
from assay.jobs import job_report, runner, watched_urls
from assay.jobs.job_timing import JobTiming
from assay.own_stores import OwnStores
from assay.personal_data.erasure import count_items, erase_person
from assay.personal_data.namespaces import NAMESPACES, Person
from assay.sessions.session_keys import build_owner
from assay.statistics.call_statistics import build_statistics_key
from assay.toolkit import tool_registry
from assay.usage.usage_store import build_usage_key

CLIENT = {"name": "test", "version": "1"}
SHARED_BY_TENANT = ("ratelimit", "x-ratelimit")  # headers: the limits of a tenant are those of its people together


def check_same(filled, empty, label, *, is_colleague=False):
    """Check that both observations agree; a colleague shares the limits of the tenant."""
    if is_colleague:
        for each in (filled, empty):
            each.headers = {n: v for n, v in each.headers.items() if not n.startswith(SHARED_BY_TENANT)}
    assert (filled.status, filled.body) == (empty.status, empty.body), label
    assert filled.headers == empty.headers, label
    assert filled.operations == empty.operations, label
    assert filled.requests == empty.requests, label


async def compare_requests(pair, caller, label, requests):
    """Send the requests to both installations; return what the caller saw beside Ada's data."""
    before, seen = list_stored(pair), []
    for request in requests:
        filled, empty = [await each.observe(caller, **request) for each in (pair.filled, pair.empty)]
        check_same(filled, empty, f"{label} {request}", is_colleague=caller == COLLEAGUE)
        assert pair.ada.mark in repr(request) or not filled.has_text(pair.ada.mark), label
        seen.append(filled)
    check_changes(pair, caller, before, label)
    return seen


def list_stored(pair):
    return pair.filled.list_stored(), pair.empty.list_stored()


def check_changes(pair, caller, before, label):
    """Check that beside Ada's data only as many rows and objects changed as without: the caller's own.

    The counts of calls are left out, because calls go to random rows.
    """
    counts = (build_usage_key(caller.tenant, caller.user).encode(), build_statistics_key(caller.tenant).encode())
    lost = [old - new for old, new in zip(before, list_stored(pair), strict=True)]
    numbers = [sum(row[0] not in counts for row in rows) for rows in lost]
    assert numbers[0] == numbers[1], label


def build_requests(tool, calls):
    return [{"method": "POST", "path": f"/tools/{tool}", "json": arguments} for arguments in calls]


async def send(installation, caller, requests):
    return [await installation.observe(caller, **request) for request in requests]


@pytest.mark.parametrize("tool", TOOLS)
async def test_a_tool_shows_and_changes_nothing_of_another_tenant(tool, pair):
    row = TOOLS[tool]
    requests = build_requests(tool, row.build(pair.ada))
    if not row.changes:  # now, so that this process remembers something of Ada
        own = await send(pair.filled, ADA, requests)
    seen = await compare_requests(pair, EVE, tool, requests)
    if row.changes:
        own = await send(pair.filled, ADA, requests)
    assert not [one for one in own if one.status == 500]
    has_other = any(one.answer != other.answer for one, other in zip(own, seen, strict=True))
    assert has_other or not row.differs


@pytest.mark.parametrize("tool", [tool for tool, row in TOOLS.items() if row.owner == "person"])
async def test_a_tool_shows_and_changes_nothing_of_a_colleague(tool, pair):
    await pair.admit(COLLEAGUE)
    await compare_requests(pair, COLLEAGUE, tool, build_requests(tool, TOOLS[tool].build(pair.ada)))


@pytest.mark.parametrize("tool", sorted(WITHOUT_PERSONAL_DATA))
async def test_a_tool_does_not_show_what_another_tenant_asked(tool, pair):
    requests = build_requests(tool, list_samples(tool, pair.ada))
    if tool not in PACED_OR_PUBLIC:
        await send(pair.filled, ADA, requests)
    for each in await compare_requests(pair, EVE, tool, requests):
        assert each.status == 200


CACHED = [tool for tool in sorted(WITHOUT_PERSONAL_DATA) if tool_registry.find_tool(tool).cache is not None]


@pytest.mark.parametrize("isolation", ["shared"])
async def test_a_shared_cache_shares_nothing_but_public_answers(pair, isolation):
    shared = set()
    for tool in CACHED:
        [request, *_] = build_requests(tool, list_samples(tool, pair.ada))
        await send(pair.filled, ADA, [request])
        filled, empty = [json.loads((await each.observe(EVE, **request)).body) for each in (pair.filled, pair.empty)]
        metas = [answer.pop("_meta", {}) for answer in (filled, empty)]
        assert filled == empty, tool
        assert not metas[1].get("cached"), tool
        shared |= {tool} if metas[0].get("cached") else set()
    assert shared >= {"web_search", "academic_search", "cinder_extract"}


OWN_ENDPOINTS = {
    *("POST /oauth/consent", "POST /tools/{name}", "GET /v1/crawl/{id}"),
    *("GET /console/account", "GET /console/audits", "GET /console/calls", "GET /console/crawls"),
}


async def test_an_endpoint_shows_and_changes_nothing_of_another_tenant(pair):
    for endpoint, build in ENDPOINTS.items():
        method, path = endpoint.split(" ")
        requests = [{"method": method, "path": path, **request} for request in build(pair.ada)]
        seen = await compare_requests(pair, EVE, endpoint, requests)
        if endpoint in OWN_ENDPOINTS:
            own = await send(pair.filled, ADA, requests)
            assert any(one.answer != other.answer for one, other in zip(own, seen, strict=True)), endpoint


async def test_an_administrator_sees_and_changes_nothing_of_another_tenant(pair):
    await pair.admit(EVES_ADMINISTRATOR)
    for endpoint, build in ADMINISTRATION.items():
        method, path = endpoint.split(" ")
        place = "json" if method == "POST" else "params"
        for about in build(pair.ada):
            requests = [
                {"method": method, "path": path, place: each} for each in (about, {**about, "tenant_id": "acme"})
            ]
            await compare_requests(pair, EVES_ADMINISTRATOR, endpoint, requests)


METHODS_OF_PEOPLE = ("completion/complete", "tasks/get", "tasks/result", "tasks/list", "tasks/cancel")
METHODS_WITH_NAMES = {"resources/read", "tools/call", *METHODS_OF_PEOPLE}


@pytest.mark.parametrize(
    ("caller", "methods"), [(EVE, MCP_METHODS), (COLLEAGUE, METHODS_OF_PEOPLE)], ids=["another tenant", "colleague"]
)
async def test_a_method_of_mcp_shows_and_changes_nothing_of_others(caller, methods, pair):
    if caller == COLLEAGUE:
        await pair.admit(caller)
    for method in methods:
        requests = [build_message(method, params) for params in MCP_METHODS[method](pair.ada)]
        seen = await compare_requests(pair, caller, method, requests)
        if method in METHODS_WITH_NAMES:
            own = await send(pair.filled, ADA, requests)
            assert any(one.answer != other.answer for one, other in zip(own, seen, strict=True)), method


def build_message(method, params):
    version = MODERN[-1] if method in ONLY_MODERN else LEGACY[-1]
    headers = {"accept": "application/json, text/event-stream", "mcp-protocol-version": version}
    if method in ONLY_MODERN:
        headers["mcp-method"] = method
        client = {"extensions": {TASKS: {}}}
        params = {**params, "_meta": {VERSION_KEY: version, CLIENT_KEY: CLIENT, CAPABILITIES_KEY: client}}
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return {"method": "POST", "path": "/mcp", "json": message, "headers": headers}


@pytest.mark.parametrize("caller", [EVE, COLLEAGUE], ids=["another tenant", "colleague"])
async def test_a_namespace_lists_and_erases_nothing_of_others(caller, pair):
    person = Person(caller.tenant, caller.user)
    if caller == COLLEAGUE:
        await pair.admit(caller)
    for namespace in NAMESPACES:
        found = []
        for each in (pair.filled, pair.empty):
            each.operations.clear()
            items = await namespace.list_items(each.services, person)
            found.append((len(items), Counter(each.operations)))
        assert found[0] == found[1], namespace.name
    before = list_stored(pair)
    counts = await count_items(pair.filled.services, Person("acme", "ada"))
    assert 0 not in counts.values()
    receipts = []
    for each in (pair.filled, pair.empty):
        each.operations.clear()
        receipt = await erase_person(each.services, person, OwnStores(each.services, caller).consents)
        receipts.append((receipt["deleted"], receipt["consentsWithdrawn"], Counter(each.operations)))
    assert receipts[0] == receipts[1]
    check_changes(pair, caller, before, "erasure")
    assert await count_items(pair.filled.services, Person("acme", "ada")) == counts


@pytest.mark.parametrize("job", sorted(REPORTING_JOBS))
async def test_a_scheduled_job_reports_to_each_what_is_theirs(job, pair):
    services = pair.filled.services
    for caller in (ADA, EVE):
        address = f"http://{HOST}/of-{caller.user}"
        pair.filled.upstreams.fake_hosts.says(HOST, f"/of-{caller.user}", "<p>otters")
        await watched_urls.watch(services, caller, [address], jobs=[job])
    await runner.run(job, services, timing=JobTiming(saving=0.0, saving_patience=1.0))
    for caller in (ADA, EVE):
        watched = await watched_urls.list_watched(services, caller, [job])
        owner = build_owner(caller.tenant, caller.user)
        day = datetime.fromtimestamp(services.clock(), UTC).date().isoformat()
        report = await job_report.load_latest(services.bucket, owner, job, [day])
        for shown in (json.dumps(watched), report):
            found = set(re.findall(f"{HOST}/of-\\w+", shown))
            assert found == {f"{HOST}/of-{caller.user}"}


async def test_a_scheduled_look_shows_each_what_their_own_watches_found(pair):
    save = {"query": "otters", "kind": "news", "everyHours": 1}
    await compare_requests(pair, EVE, "monitor_query_save", build_requests("monitor_query_save", [save]))
    pair.clock.now += 25 * 3600
    for each in (pair.filled, pair.empty):
        await runner.run("query_watch", each.services)
    for tool in ("monitor_list", "monitor_query_check"):
        arguments = {} if tool == "monitor_list" else {"query": "otters", "kind": "news"}
        [own] = await compare_requests(pair, EVE, tool, build_requests(tool, [arguments]))
        assert own.has_text("otters")
