"""Forms that a tool or a prompt shows to the person, in both eras of MCP."""

import mcp_types as types
import pytest
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError

from assay.context import Context
from assay.entrypoints.mcp.local_http import LocalMcp
from assay.entrypoints.mcp.tool_catalogue import ToolCatalogue
from assay.errors import InvalidInput, ToolError
from assay.invoke import Reply, execute
from assay.models.common import Input, Output
from assay.toolkit.person_form import PersonForm
from assay.toolkit.tool import tool

BOTH = pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
FORM = {"elicitation": {}}
ALL = {"everything": True, "dryRun": False}
NAME = PersonForm("name", "Your name?", {"name": {"type": "string"}}, ("name",))
AGE = PersonForm(
    "age",
    "Your age?",
    {"age": {"type": "integer"}, "group": {"type": "array", "items": {"anyOf": [{"const": "a", "title": "A"}]}}},
    ("age",),
)


@pytest.fixture
def environ(environ):
    return environ | {"MEMORY_ENABLED": "true", "ASSAY_CONSENT": "memory"}


class Person:
    def __init__(self, action="accept", content=None):
        self.asked, self._answer = [], types.ElicitResult(action=action, content=content)

    async def __call__(self, _, params):
        self.asked.append(params)
        return self._answer


class NothingAsked(Input):
    pass


class Told(Output):
    name: str
    age: int


@tool(open_world=False)
async def introduce(ask: NothingAsked, ctx: Context) -> Told:
    """Ask for a name, then for an age."""
    if not ctx.can_ask:
        raise InvalidInput("Nobody can be asked.")
    name, age = await ctx.ask_person(NAME), await ctx.ask_person(AGE)
    return Told(name=(name or {}).get("name", ""), age=(age or {}).get("age", -1))


@pytest.fixture
def asking(services, asker):
    """A server with a tool that shows two forms."""

    async def run(name, arguments, ctx):
        try:
            return await execute(introduce, arguments, ctx)
        except ToolError as failure:
            return Reply(error=failure.detach())

    catalogue = ToolCatalogue(names=lambda: ("introduce",), find=lambda _: introduce, run=run)
    return asker(LocalMcp(services, catalogue).app)


async def introduce_oneself(server, capabilities=FORM, **more):
    meta = {"_meta": {"io.modelcontextprotocol/clientCapabilities": capabilities}}
    reply = await server.modern("tools/call", {"name": "introduce", "arguments": {}} | more | meta)
    return reply.json.get("result") or reply.error


def accept(**content):
    return {"action": "accept", "content": content}


@BOTH
@pytest.mark.parametrize(
    ("action", "content", "left"),
    [("accept", {"delete": True}, 0), ("accept", {"delete": False}, 1), ("decline", None, 1), ("cancel", None, 1)],
)
async def test_all_memories_go_only_if_the_person_agrees(mode, action, content, left, address):
    person = Person(action, content)
    async with Client(address, mode=mode, elicitation_callback=person) as client:
        await client.call_tool("memory_save", {"note": "Otters hold hands"})
        done = (await client.call_tool("memory_forget", ALL)).structured_content
        assert (done["dryRun"], done["count"]) == (bool(left), 1)
        assert (await client.call_tool("memory_recall", {})).structured_content["total"] == left
    [question] = person.asked
    assert "1 memories" in question.message


@BOTH
async def test_a_client_that_cannot_ask_deletes_as_before(mode, address):
    async with Client(address, mode=mode) as client:
        await client.call_tool("memory_save", {"note": "Otters hold hands"})
        assert (await client.call_tool("memory_forget", ALL)).structured_content["dryRun"] is False


async def test_each_round_carries_the_answers_of_those_before(asking):
    first = await introduce_oneself(asking)
    assert list(first["inputRequests"]) == ["name"]
    second = await introduce_oneself(
        asking, requestState=first["requestState"], inputResponses={"name": accept(name="Ada")}
    )
    assert list(second["inputRequests"]) == ["age"]
    done = await introduce_oneself(
        asking, requestState=second["requestState"], inputResponses={"age": accept(age=36, group=["a"])}
    )
    assert done["structuredContent"] == {"name": "Ada", "age": 36}
    forged = second["requestState"][:-4] + "AAA="
    assert (await introduce_oneself(asking, requestState=forged, inputResponses={}))["code"] == -32602


async def test_answers_that_come_with_the_first_request_are_read_and_others_ignored(asking):
    responses = {"name": accept(name="Ada", more=1), "age": {"action": "decline"}, "other": accept(x=1)}
    done = await introduce_oneself(asking, inputResponses=responses)
    assert done["structuredContent"] == {"name": "Ada", "age": -1}


@pytest.mark.parametrize(
    "response",
    [None, 5, [], {}, {"action": "accept"}, {"action": "yes", "content": {"age": 5}}]
    + [accept(age=age) for age in ("5", 5.5, True, None, [5])]
    + [accept(), accept(age=5, group=["b"]), accept(age=5, group="a"), accept(age=5, group=[["a"]])],
)
async def test_an_answer_that_does_not_fit_the_form_is_asked_again(response, asking):
    asked = await introduce_oneself(asking, inputResponses={"name": accept(name="Ada"), "age": response})
    assert list(asked["inputRequests"]) == ["age"]
    again = await introduce_oneself(asking, requestState=asked["requestState"], inputResponses={"age": response})
    assert list(again["inputRequests"]) == ["age"]


@pytest.mark.parametrize("capabilities", [{}, {"elicitation": {"url": {}}}, {"sampling": {}}])
async def test_a_client_that_shows_no_forms_is_shown_none(capabilities, asking):
    done = await introduce_oneself(asking, capabilities)
    assert (done["resultType"], done["isError"]) == ("complete", True)


@BOTH
async def test_a_prompt_asks_for_what_it_requires(mode, address):
    person = Person(content={"claim": "Otters hold hands"})
    async with Client(address, mode=mode, elicitation_callback=person) as client:
        got = await client.get_prompt("fact-check", {})
        given = await client.get_prompt("fact-check", {"claim": "Otters hold hands"})
    assert got.messages == given.messages
    [question] = person.asked
    assert question.requested_schema["required"] == ["claim"]


@BOTH
@pytest.mark.parametrize("person", [None, Person("decline"), Person(content={"claim": ""})])
async def test_a_prompt_without_what_it_requires_is_refused(mode, person, address):
    async with Client(address, mode=mode, elicitation_callback=person) as client:
        with pytest.raises(MCPError, match="claim is required"):
            await client.get_prompt("fact-check", {})
