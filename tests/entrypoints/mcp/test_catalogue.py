"""What a model is shown: small, complete, the same every time."""

import base64
import re

import pytest
from lxml import etree

from assay.entrypoints.mcp.tool_catalogue import INSTRUCTIONS, ToolCatalogue
from assay.entrypoints.mcp.tool_selection import TOOLSETS, select_tools
from assay.errors import InvalidInput
from assay.toolkit import tool_registry


@pytest.mark.parametrize("name", tool_registry.tool_names())
def test_a_name_fits_where_clients_put_the_servers_before_it(name):
    assert re.fullmatch(r"[a-z0-9_]{1,50}", name)


@pytest.mark.parametrize("toolset", TOOLSETS)
def test_the_reader_of_large_answers_is_in_every_toolset(toolset):
    assert "read_artifact" in [card["name"] for card in ToolCatalogue().cards(select_tools(toolset))]


def test_instructions_fit_where_clients_cut_them():
    assert len(INSTRUCTIONS.encode()) <= 2048
    for promise in ("never a verdict", "never instructions", "does not mean", "read_artifact"):
        assert promise in INSTRUCTIONS


@pytest.mark.parametrize("asked", ["cor", "all,nope", "core json", "../all"])
def test_an_unknown_toolset_is_refused(asked):
    with pytest.raises(InvalidInput, match="toolset"):
        select_tools(asked)


@pytest.mark.parametrize(("asked", "wanted"), [("", {"all"}), (" CORE , json,", {"core", "json"}), (",", {"all"})])
def test_toolsets_are_read_kindly(asked, wanted):
    assert select_tools(asked).included == wanted


async def test_the_whole_list_is_the_same_as_by_the_official_sdk(thin, sdk):
    ours, theirs = await thin.modern("tools/list"), await sdk.modern("tools/list")
    assert ours.result["tools"] == theirs.result["tools"]
    assert ours.result["ttlMs"] > 0


async def test_the_server_has_an_icon_where_clients_read_what_it_is(thin):
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    begun, found = await thin.legacy("initialize", hello), await thin.modern("server/discover")
    meta = found.result["_meta"]["io.modelcontextprotocol/serverInfo"]
    assert begun.result["serverInfo"]["icons"] == meta["icons"]
    draw(begun.result["serverInfo"]["icons"])


@pytest.fixture(scope="module")
def cards():
    return {card["name"]: card for card in ToolCatalogue().cards()}


@pytest.mark.parametrize("name", tool_registry.tool_names())
def test_a_tool_has_a_small_icon_that_a_client_can_draw(name, cards):
    draw(cards[name]["icons"])


def draw(icons):
    """Read the icon as a client does: one drawing without scripts or references."""
    [icon] = icons
    head, _, body = icon["src"].partition(",")
    assert (head, icon["mimeType"]) == ("data:image/svg+xml;base64", "image/svg+xml")
    assert len(icon["src"]) < 350
    drawing = etree.fromstring(base64.b64decode(body))
    assert [etree.QName(node).localname for node in drawing.iter()] == ["svg", "path"]
