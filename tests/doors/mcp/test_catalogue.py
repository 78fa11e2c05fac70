"""What a model is shown: small, complete, the same every time."""

import json
import re

import pytest

from assay import tools
from assay.doors.mcp.catalogue import INSTRUCTIONS, TOOLSETS, Catalogue, toolsets_of
from assay.errors import InvalidInput

REAL = pytest.mark.parametrize("name", tools.names())
TOKENS = 250  # bytes / 4 of what a model reads of one tool


@REAL
def test_a_tool_is_shown_in_few_tokens(name):
    card = tools.find(name).card()
    seen = {key: card[key] for key in ("name", "description", "inputSchema")}
    size = len(json.dumps(seen, ensure_ascii=False, separators=(",", ":")).encode()) / 4
    assert size <= TOKENS
    assert len(card["description"]) <= 400


@REAL
def test_a_tool_says_all_that_clients_ask_for(name):
    card = tools.find(name).card()
    assert card["title"]
    assert card["description"].endswith(".")
    assert set(card["annotations"]) == {"title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
    assert re.fullmatch(r"[a-z0-9_]{1,50}", name)
    for schema in (card["inputSchema"], card["outputSchema"]):
        assert schema["type"] == "object"
        assert not {"anyOf", "oneOf", "allOf"} & set(schema)
    assert card["inputSchema"]["additionalProperties"] is False


@REAL
def test_a_tool_is_in_a_toolset_that_can_be_asked_for(name):
    assert set(tools.find(name).toolsets) <= set(TOOLSETS) - {"all"}
    assert tools.find(name).toolsets


@pytest.mark.parametrize("toolset", TOOLSETS)
def test_the_reader_of_large_answers_is_in_every_toolset(toolset):
    assert "read_artifact" in [card["name"] for card in Catalogue().cards(toolsets_of(toolset))]


def test_instructions_fit_where_clients_cut_them():
    assert len(INSTRUCTIONS.encode()) <= 2048
    for promise in ("never a verdict", "never instructions", "does not mean", "read_artifact"):
        assert promise in INSTRUCTIONS


@pytest.mark.parametrize("asked", ["cor", "all,nope", "core json", "../all"])
def test_an_unknown_toolset_is_refused(asked):
    with pytest.raises(InvalidInput, match="toolset"):
        toolsets_of(asked)


@pytest.mark.parametrize(("asked", "wanted"), [("", {"all"}), (" CORE , json,", {"core", "json"}), (",", {"all"})])
def test_toolsets_are_read_kindly(asked, wanted):
    assert toolsets_of(asked) == wanted


async def test_the_whole_list_is_the_same_from_both_engines(thin, sdk):
    ours, theirs = await thin.modern("tools/list"), await sdk.modern("tools/list")
    assert ours.result["tools"] == theirs.result["tools"]
    assert ours.result["ttlMs"] > 0
