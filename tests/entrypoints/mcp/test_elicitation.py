"""Questions to the person during a call: a missing consent and a cost beyond the limit, in both eras of MCP."""

import hashlib
import json
import os
import sys
from pathlib import Path

import httpx
import mcp_types as types
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from tests.support.upstream import Upstream

from assay.bootstrap import local_services
from assay.caller import Caller
from assay.entrypoints.mcp.local_http import LocalMcp
from assay.entrypoints.mcp.stateless_server import handle_event
from assay.entrypoints.mcp.tool_catalogue import ToolCatalogue
from assay.own_stores import OwnStores
from assay.settings import Settings

BOTH = pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
FORM, URL = {"elicitation": {}}, {"elicitation": {"url": {}}}
CALL = {"name": "get_my_analytics", "arguments": {}}
PAID = {"name": "answer", "arguments": {"query": "Do cats purr?"}}
AGREED = {"action": "accept", "content": {"agree": True}}


@pytest.fixture
async def upstream():
    upstream = await Upstream().start()
    upstream.says({"answer": "Cats purr.", "citations": [], "costDollars": {"total": 0.005}})
    yield upstream
    await upstream.close()


@pytest.fixture
def environ(environ, upstream):
    paid = {"EXA_API_KEY": "k", "EXA_BASE_URL": upstream.url, "TAVILY_API_KEY": "", "SEARXNG_URL": ""}
    limits = {"ASSAY_MAX_CALL_COST_USD": "0.004", "ASSAY_DAILY_BUDGET_USD": "1"}
    return environ | paid | limits | {"USER_ANALYTICS_ENABLED": "true", "TERMS_VERSION": "7"}


@pytest.fixture
def clock():
    class Clock:
        now = 1_800_000_000.0

        def __call__(self):
            return self.now

    return Clock()


@pytest.fixture
def server(services, asker):
    return asker(LocalMcp(services).app)


class Person:
    """Answers what the client asks, and remembers the questions."""

    def __init__(self, action="accept", content=None, decides=None):
        self.asked = []
        self._answer = types.ElicitResult(action=action, content=content)
        self._decides = decides

    async def __call__(self, context, params):
        self.asked.append(params)
        if self._decides is not None:
            await self._decides(context)
        return self._answer


def consents(services):
    return OwnStores(services, Caller()).consents


async def ask(server, params, capabilities=FORM, **more):
    meta = {"_meta": {"io.modelcontextprotocol/clientCapabilities": capabilities}}
    return await server.modern("tools/call", params | more | meta)


async def answer(server, params, asked, response=AGREED, **more):
    [key] = asked["inputRequests"]
    return await ask(server, params, requestState=asked["requestState"], inputResponses={key: response}, **more)


def shown(result):
    """What of a result does not differ from call to call."""
    return result.is_error, result.structured_content, [item.text for item in result.content]


@BOTH
async def test_the_page_is_opened_and_the_call_goes_on_with_the_consent_given_there(mode, address, services):
    async def decide(_):
        await consents(services).decide("analytics", granted=True, decided_from="web", terms_version="7")

    person = Person(decides=decide)
    async with Client(address, mode=mode, elicitation_callback=person) as client:
        result = await client.call_tool("get_my_analytics", {})
    assert result.structured_content["status"] == "empty"
    [question] = person.asked
    assert (question.mode, question.url) == ("url", address.removesuffix("/mcp") + "/oauth/personal-data")
    assert "analytics" in question.message


@BOTH
async def test_who_opens_the_page_but_decides_nothing_is_asked_once(mode, address, services):
    person = Person()
    async with Client(address, mode=mode, elicitation_callback=person) as client:
        result = await client.call_tool("get_my_analytics", {})
    assert result.structured_content["status"] == "no_consent"
    assert len(person.asked) == 1
    assert await consents(services).read_history() == []


@BOTH
@pytest.mark.parametrize("action", ["decline", "cancel"])
async def test_who_declines_gets_what_a_client_without_questions_gets(mode, action, address, services, upstream):
    person = Person(action)
    async with Client(address, mode=mode, elicitation_callback=person) as client, Client(address, mode=mode) as plain:
        for call in (CALL, PAID):
            declined = await client.call_tool(call["name"], call["arguments"])
            assert shown(declined) == shown(await plain.call_tool(call["name"], call["arguments"]))
    assert len(person.asked) == 2
    assert await consents(services).read_history() == []
    assert upstream.requests == []


@BOTH
async def test_a_call_costs_more_than_its_limit_if_the_person_allows_it(mode, address, upstream):
    person = Person(content={"agree": True})
    async with Client(address, mode=mode, elicitation_callback=person) as client:
        result = await client.call_tool("answer", PAID["arguments"])
        assert not result.is_error
        assert result.structured_content["costUsd"] == 0.005
    [question] = person.asked
    assert "$0.005" in question.message
    assert len(upstream.requests) == 1


@BOTH
async def test_a_form_sent_without_the_agreement_is_declined(mode, address, upstream):
    async with Client(address, mode=mode, elicitation_callback=Person(content={"agree": False})) as client:
        assert (await client.call_tool("answer", PAID["arguments"])).is_error
    assert upstream.requests == []


@BOTH
async def test_without_an_address_a_form_asks_on_standard_input_and_output(mode, environ, services):
    person = Person(content={"agree": True})
    assay = str(Path(sys.executable).with_name("assay"))
    command = StdioServerParameters(command=assay, args=["mcp"], env=dict(os.environ) | environ)
    async with Client(stdio_client(command), mode=mode, elicitation_callback=person) as client:
        result = await client.call_tool("get_my_analytics", {})
    assert result.structured_content["status"] == "empty"
    [question] = person.asked
    assert question.mode == "form"
    assert question.requested_schema["required"] == ["agree"]
    [decision] = await consents(services).read_history()
    assert (decision.purpose, decision.granted, decision.terms_version) == ("analytics", True, "7")
    assert decision.decided_from == "elicitation"


async def test_a_consent_by_form_is_recorded_by_any_instance_and_once(server, services, settings, clock, asker):
    asked = (await ask(server, CALL)).result
    assert asked["resultType"] == "input_required"
    other = local_services(settings, clock)
    try:
        result = (await answer(asker(LocalMcp(other).app), CALL, asked)).result
    finally:
        await other.close()
    assert result["structuredContent"]["status"] == "empty"
    await consents(services).decide("analytics", granted=False, decided_from="web")
    replayed = await answer(server, CALL, asked)
    assert (replayed.status, replayed.error["code"]) == (400, -32602)
    assert not await consents(services).is_granted("analytics")


async def test_a_note_is_saved_once_the_person_consents(environ, clock, asker):
    services = local_services(Settings.read(environ | {"MEMORY_ENABLED": "true"}), clock)
    server = asker(LocalMcp(services).app)
    note = {"name": "memory_save", "arguments": {"note": "Otters hold hands", "topic": "otters"}}
    try:
        asked = (await ask(server, note)).result
        assert "memory" in asked["inputRequests"]["consent"]["params"]["message"]
        assert (await answer(server, note, asked)).result["structuredContent"]["status"] == "ok"
        recalled = (await ask(server, {"name": "memory_recall", "arguments": {}})).result["structuredContent"]
    finally:
        await services.close()
    assert [each["note"] for each in recalled["memories"]] == ["Otters hold hands"]


async def test_an_allowed_cost_counts_for_one_call(server, upstream):
    asked = (await ask(server, PAID)).result
    assert not (await answer(server, PAID, asked)).result["isError"]
    assert (await answer(server, PAID, asked)).error["code"] == -32602
    other = PAID | {"arguments": {"query": "Do dogs purr?"}}
    assert (await answer(server, other, asked)).error["code"] == -32602
    assert len(upstream.requests) == 1


@pytest.mark.parametrize("capabilities", [{}, {"elicitation": None}, {"elicitation": []}, URL, {"sampling": {}}])
async def test_a_client_that_declares_no_form_is_not_asked_by_one(capabilities, server):
    for call in (CALL, PAID):
        got = (await ask(server, call, capabilities)).result
        if capabilities is URL and call is CALL:
            assert got["resultType"] == "input_required"
        else:
            assert got["resultType"] == "complete"


@pytest.mark.parametrize("budget", ["", "0.004"])
async def test_beyond_the_budget_of_the_day_nobody_is_asked(budget, environ, clock, asker):
    services = local_services(Settings.read(environ | {"ASSAY_DAILY_BUDGET_USD": budget}), clock)
    try:
        got = (await ask(asker(LocalMcp(services).app), PAID)).result
    finally:
        await services.close()
    assert (got["resultType"], got["isError"]) == ("complete", True)


class TestInvalidStates:
    async def test_forged_foreign_and_expired_states_get_one_error(self, server, services, clock, asker):
        asked = (await ask(server, CALL)).result
        state = asked["requestState"]
        content, _, signature = state.partition(".")
        forged = ["", ".", "x", "é" * 9, state[:-5], content, "." + signature, f"{content}.{signature}.x", "A" + state]
        errors = [
            (await answer(server, CALL, asked | {"requestState": each})).error["message"]
            for each in [*forged, "A" * 20_000]
        ]
        changed = CALL | {"arguments": {"sessionId": "x"}}
        errors.append((await answer(server, changed, asked)).error["message"])
        errors.append((await answer(server, CALL | {"name": "memory_recall"}, asked)).error["message"])
        stranger = asker(LocalMcp(services).app)
        paid = (await ask(stranger, PAID)).result
        errors.append((await answer(server, CALL, asked | {"requestState": paid["requestState"]})).error["message"])
        clock.now += 601
        errors.append((await answer(server, CALL, asked)).error["message"])
        assert set(errors) == {"The requestState does not belong to this call. Call again without it."}
        assert await consents(services).read_history() == []

    async def test_the_state_of_another_caller_is_refused(self, environ, clock, asker):
        keys = {"ada-secret-key-0000001": "ada", "bob-secret-key-0000002": "bob"}
        ring = [
            {"name": user, "sha256": hashlib.sha256(key.encode()).hexdigest(), "tenant": "acme", "user": user}
            | {"scopes": ["*"]}
            for key, user in keys.items()
        ]
        services = local_services(Settings.read(environ | {"ASSAY_API_KEYS": json.dumps(ring)}), clock)
        ada, bob = ({"authorization": f"Bearer {key}"} for key in keys)
        server = asker(LocalMcp(services).app)
        try:
            meta = {"_meta": {"io.modelcontextprotocol/clientCapabilities": FORM}}
            asked = (await server.modern("tools/call", CALL | meta, headers=ada)).result
            retry = CALL | meta | {"requestState": asked["requestState"], "inputResponses": {"consent": AGREED}}
            assert (await server.modern("tools/call", retry, headers=bob)).error["code"] == -32602
            got = (await server.modern("tools/call", retry, headers=ada)).result
            assert got["structuredContent"]["status"] == "empty"
            assert await OwnStores(services, Caller("acme", "bob")).consents.read_history() == []
        finally:
            await services.close()

    @pytest.mark.parametrize(
        "responses",
        [None, {}, {"other": AGREED}, {"consent": 5}, {"consent": {"action": "accept"}}]
        + [{"consent": {"action": "accept", "content": content}} for content in ({}, [], {"agree": "true"}, None)],
    )
    async def test_answers_that_accept_nothing_store_nothing(self, responses, server, services):
        asked = (await ask(server, CALL)).result
        given = {} if responses is None else {"inputResponses": responses}
        got = (await ask(server, CALL, requestState=asked["requestState"], **given)).result
        assert got["structuredContent"]["status"] == "no_consent"
        assert await consents(services).read_history() == []

    @pytest.mark.parametrize("more", [{"inputResponses": []}, {"requestState": 5}, {"requestState": {}}])
    async def test_params_of_another_type_are_refused(self, more, server):
        assert (await ask(server, CALL, **more)).error["code"] == -32602

    async def test_answers_without_a_state_are_ignored(self, server, services):
        got = (await ask(server, CALL, inputResponses={"consent": AGREED})).result
        assert got["resultType"] == "input_required"
        assert await consents(services).read_history() == []


class TestLambda:
    """The function at an address: no stream, and no memory of earlier requests."""

    async def call(self, services, body, headers):
        http = {"method": "POST", "path": "/mcp", "sourceIp": "127.0.0.1"}
        request = {"domainName": "127.0.0.1", "requestId": "r-1", "http": http}
        event = {"rawPath": "/mcp", "headers": headers, "requestContext": request, "body": body}
        return json.loads((await handle_event(event, None, services, ToolCatalogue()))["body"])["result"]

    async def test_one_function_asks_and_another_goes_on(self, services, settings, clock, modern_request):
        meta = {"_meta": {"io.modelcontextprotocol/clientCapabilities": FORM}}
        asked = await self.call(services, *_decode(modern_request("tools/call", CALL | meta)))
        retry = CALL | meta | {"requestState": asked["requestState"], "inputResponses": {"consent": AGREED}}
        other = local_services(settings, clock)
        try:
            got = await self.call(other, *_decode(modern_request("tools/call", retry)))
        finally:
            await other.close()
        assert got["structuredContent"]["status"] == "empty"

    async def test_a_client_of_older_revisions_gets_the_answer_as_before(self, services):
        headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
        headers |= {"host": "127.0.0.1", "mcp-protocol-version": "2025-11-25"}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": CALL})
        assert (await self.call(services, body, headers))["structuredContent"]["status"] == "no_consent"


def _decode(request):
    body, headers = request
    return body.decode(), headers


class TestOlderClients:
    async def test_a_response_of_another_session_answers_nothing(self, address, upstream):
        async def forge(context):
            document = {"jsonrpc": "2.0", "id": context.request_id, "result": AGREED}
            sent = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-11-25"}
            async with httpx.AsyncClient(timeout=60) as stranger:
                for session in ({}, {"mcp-session-id": "0" * 32}):
                    got = await stranger.post(address, json=document, headers=sent | session)
                    assert got.status_code == 202

        person = Person("decline", decides=forge)
        async with Client(address, mode="legacy", elicitation_callback=person) as client:
            assert (await client.call_tool("answer", PAID["arguments"])).is_error
        assert len(person.asked) == 1
        assert upstream.requests == []

    async def open(self, server, capabilities):
        params = {"protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": {}}
        params["clientInfo"] = {"name": "t", "version": "1"}
        return (await server.legacy("initialize", params)).headers["mcp-session-id"]

    async def test_without_a_stream_the_page_comes_with_the_error_of_the_protocol(self, server, services):
        session = await self.open(server, URL)
        body = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_my_analytics","arguments":{}}}'
        sent = {"content-type": "application/json", "accept": "application/json", "host": "127.0.0.1"}
        sent |= {"mcp-protocol-version": "2025-11-25", "mcp-session-id": session}
        got = await server.send(body, sent)
        assert got.error["code"] == -32042
        [elicitation] = got.error["data"]["elicitations"]
        types.ElicitRequestURLParams.model_validate(elicitation)
        assert elicitation["url"].endswith("/oauth/personal-data")
        del sent["mcp-session-id"]  # another client, which declared nothing
        assert (await server.send(body, sent)).result["structuredContent"]["status"] == "no_consent"
