"""Resources of every kind, answered as the official SDK answers them."""

import base64

import pytest

from assay.entrypoints.mcp.resources import RESOURCES, Resource

BOTH = pytest.mark.parametrize("era", ["legacy", "modern"])


async def bytes_of(uri, ctx):
    return b"\x00\xff"


async def broken_disk(uri, ctx):
    raise OSError("/secret/path is gone")


@pytest.fixture
def catalogue(registry):
    dot = Resource({"uri": "test://dot", "name": "dot", "mimeType": "image/png"}, bytes_of)
    nested = Resource({"uriTemplate": "test://{a}/x/{b}", "name": "nested"}, bytes_of)
    broken = Resource({"uri": "test://broken", "name": "broken"}, broken_disk)
    return registry.catalogue(resources=(*RESOURCES, dot, nested, broken))


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
async def test_bytes_are_read_as_base64(era, ask):
    for uri in ("test://dot", "test://one/x/two"):
        [item] = (await ask(era, "resources/read", {"uri": uri})).result["contents"]
        assert base64.b64decode(item["blob"]) == b"\x00\xff"
    assert "error" in (await ask(era, "resources/read", {"uri": "test://one/more/x/two"})).json


@BOTH
async def test_a_resource_that_breaks_is_reported_without_its_reason(era, ask):
    got = await ask(era, "resources/read", {"uri": "test://broken"})
    assert (got.status, got.error["code"]) == (200, -32603)
    assert "secret" not in got.body.decode()


async def test_what_is_offered_is_reported(thin, sdk):
    offered, theirs = [(await engine.modern("server/discover")).result["capabilities"] for engine in (thin, sdk)]
    assert offered == theirs
    assert set(offered) == {"tools", "resources", "prompts", "completions"}
