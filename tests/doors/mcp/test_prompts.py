"""Prompts, completions and binary resources: offered where a catalogue has them, alike by both engines."""

import base64

import pytest

from assay.doors.mcp.prompts import Prompt
from assay.doors.mcp.resources import RESOURCES, Resource

CARD = {
    "name": "review",
    "description": "Review what is known.",
    "arguments": [{"name": "topic", "required": True}, {"name": "depth"}],
}
BOTH = pytest.mark.parametrize("era", ["legacy", "modern"])


def write(given):
    text = f"Review {given['topic']} at depth {given.get('depth', 'standard')}."
    return [{"role": "user", "content": {"type": "text", "text": text}}]


async def bytes_of(uri, ctx):
    return b"\x00\xff"


async def broken_disk(uri, ctx):
    raise OSError("/secret/path is gone")


@pytest.fixture
def catalogue(registry):
    prompt = Prompt(CARD, write, {"depth": ("standard", "quick", "Deep", "deeper")})
    dot = Resource({"uri": "test://dot", "name": "dot", "mimeType": "image/png"}, bytes_of)
    nested = Resource({"uriTemplate": "test://{a}/x/{b}", "name": "nested"}, bytes_of)
    broken = Resource({"uri": "test://broken", "name": "broken"}, broken_disk)
    return registry.catalogue(prompts=(prompt,), resources=(*RESOURCES, dot, nested, broken))


@pytest.fixture
def ask(thin, sdk):
    async def both(era, method, params=None):
        ours, theirs = [await getattr(engine, era)(method, params) for engine in (thin, sdk)]
        assert ours.status == theirs.status
        assert ours.json.get("result") == theirs.json.get("result")
        assert ours.json.get("error", {}).get("code") == theirs.json.get("error", {}).get("code")
        return ours

    return both


@BOTH
async def test_a_prompt_is_listed_and_written(era, ask):
    assert (await ask(era, "prompts/list")).result["prompts"] == [CARD]
    got = await ask(era, "prompts/get", {"name": "review", "arguments": {"topic": "otters"}})
    assert got.result["messages"][0]["content"]["text"] == "Review otters at depth standard."


@BOTH
@pytest.mark.parametrize(
    "params",
    [
        {"name": "nope"},
        {"name": "review"},
        {"name": "review", "arguments": {"topic": " "}},
        {"name": "review", "arguments": {"topic": "a", "depht": "b"}},
        {"name": "review", "arguments": {"topic": 5}},
        {"name": "review", "arguments": []},
        {"name": 5},
        {},
        {"name": "review", "arguments": {"topic": "a"}, "requestState": "x"},
    ],
)
async def test_a_prompt_that_cannot_be_written_is_refused(era, params, ask):
    assert (await ask(era, "prompts/get", params)).error["code"] in (-32602, -32020)  # no header can name a number


@BOTH
async def test_an_argument_is_completed(era, ask):
    reference = {"type": "ref/prompt", "name": "review"}
    for begun, values in (("de", ["Deep", "deeper"]), ("q", ["quick"]), ("x", [])):
        got = await ask(era, "completion/complete", {"ref": reference, "argument": {"name": "depth", "value": begun}})
        assert got.result["completion"] == {"values": values, "total": len(values), "hasMore": False}
    for wrong in ({"ref": {"type": "ref/other"}}, {"argument": {"name": "depth"}}, {"ref": reference | {"name": "no"}}):
        params = {"ref": reference, "argument": {"name": "depth", "value": ""}} | wrong
        assert (await ask(era, "completion/complete", params)).error["code"] == -32602


@BOTH
async def test_bytes_are_read_as_base64(era, ask):
    for uri in ("test://dot", "test://one/x/two"):
        [item] = (await ask(era, "resources/read", {"uri": uri})).result["contents"]
        assert base64.b64decode(item["blob"]) == b"\x00\xff"
    assert "error" in (await ask(era, "resources/read", {"uri": "test://one/more/x/two"})).json


@BOTH
async def test_a_resource_that_breaks_is_told_without_its_reason(era, ask):
    got = await ask(era, "resources/read", {"uri": "test://broken"})
    assert (got.status, got.error["code"]) == (200, -32603)
    assert "secret" not in got.body.decode()


async def test_what_is_offered_is_said(ask):
    offered = (await ask("modern", "server/discover")).result["capabilities"]
    assert set(offered) == {"tools", "resources", "prompts", "completions"}
