"""Starting a tool in the background, for clients that know no tasks."""

from typing import get_args

import pytest

from assay.caller import Caller
from assay.toolkit import tool_registry
from assay.tools.start_tool_call import BackgroundTool

ASK = {"tool": "search_and_scrape", "arguments": {"query": "otters", "num_results": 1}}


def test_every_tool_that_may_take_long_can_be_started():
    found = {name for name in tool_registry.tool_names() if tool_registry.find_tool(name).background}
    assert set(get_args(BackgroundTool.__value__)) == found


def test_only_tools_that_change_nothing_run_in_the_background():
    """After the death of a worker, another one makes the call again."""
    for name in tool_registry.tool_names():
        tool = tool_registry.find_tool(name)
        assert tool.read_only or not tool.background, name
        assert not (tool.background and tool.follows), name


async def test_it_answers_at_once_and_the_answer_comes_later(ask, serve_results, article):
    serve_results(article)
    started = await ask("start_tool_call", **ASK)
    assert (started.wire["status"], started.wire["tool"]) == ("working", "search_and_scrape")
    assert started.wire["callId"] in started.text
    assert (await ask("get_tool_call", id=started.wire["callId"], waitSeconds=20)).wire["status"] == "completed"


@pytest.mark.parametrize(
    ("asked", "named"),
    [
        (ASK | {"arguments": {"querry": "otters"}}, "querry"),
        (ASK | {"arguments": {}}, "query"),
        (ASK | {"tool": "memory_forget"}, "tool"),
        (ASK | {"tool": "start_tool_call"}, "tool"),
        (ASK | {"arguments": "otters"}, "arguments"),
    ],
)
async def test_wrong_arguments_are_refused_at_once(asked, named, ask):
    reply = await ask("start_tool_call", **asked)
    assert reply.error.kind == "validation"
    assert named in reply.error.sentence()


async def test_a_caller_starts_no_tool_that_it_may_not_call(ask):
    only = Caller("acme", "ada", frozenset({"tool:start_tool_call"}))
    refused = (await ask("start_tool_call", only, **ASK)).error
    assert refused.kind == "forbidden"
    assert "search_and_scrape" in refused.sentence()
