"""Callers who are refused leave nothing behind: not their arguments, not their connections, not their addresses."""

import gc
import json
import sys
import tracemalloc
from collections.abc import Iterator

import pytest

from assay.entrypoints.http import http_api
from assay.services import Services
from assay.text.json_encoding import encode_json
from assay.text.url_parts import MAX_URL, join_url, split_url
from assay.toolkit import tool_registry

SMALL, LARGE = 5_000, 1_000_000  # characters of an argument
MEDIUM = 200_000  # as large to every tool as LARGE is; blocks of memory are counted, whatever their size
FILLED = 900  # calls after which the bounded buffers of statistics and events are full
SPELLINGS = 24  # all bodies in all spellings of `refuse`: what a tool keeps once is kept by them
CALLS = 48
BLOCKS = 1_000  # of memory that may stay behind CALLS: figures of the tool; an error with its frames takes dozens each
GROUPS = 2  # of tools, each with services of its own


@pytest.fixture
def without_collector() -> Iterator[None]:
    """Without the garbage collector: what only it would free does not count as freed.

    What is garbage already stays, before and after; to collect it would visit all that this process holds.
    """
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def tracing(without_collector) -> Iterator[None]:
    tracemalloc.start()
    yield
    tracemalloc.stop()


def bodies(name: str, size: int) -> list[str]:
    """Requests that are refused: every argument of the tool in five wrong ways, and one that it does not have."""
    fields = tool_registry.find_tool(name).input_schema["properties"]
    text = "x" * min(size, 5 * LARGE // (len(fields) + 1))
    wrong = (text, {"x": text}, [text], f"http://river.example/{text}", 1.5)
    refused = [*(dict.fromkeys(fields, value) | {"nonsense": text} for value in wrong), text, [text]]
    return [*(encode_json(one).decode() for one in refused), '{"' + text]


async def refuse(name: str, size: int, times: int, services: Services) -> None:
    arguments = bodies(name, size)
    for number in range(times):
        body = arguments[number % len(arguments)].replace("x", "xyzuvw"[number % 6], 50)
        answer = await http_api.answer(name, {"body": body}, None, services)
        assert answer["statusCode"] in (400, 404), answer["body"]


@pytest.mark.parametrize("group", range(GROUPS))
async def test_hundreds_of_refusals_leave_memory_as_it_was(group, services, without_collector):
    names = tool_registry.tool_names()[group::GROUPS]
    await refuse(names[0], SMALL, FILLED, services)
    left = {}
    for name in names:
        await refuse(name, SMALL, SPELLINGS, services)
        before = sys.getallocatedblocks()
        await refuse(name, SMALL, CALLS, services)
        await refuse(name, MEDIUM, 8, services)
        left[name] = sys.getallocatedblocks() - before
    assert {name: blocks for name, blocks in left.items() if blocks >= BLOCKS} == {}


async def test_a_call_that_fails_within_its_tool_leaves_memory_as_it_was(services, tracing):
    async def fail(number: int) -> None:
        body = {
            "html": f"<p>{number}" + "x" * LARGE,
            "base_url": "http://river.example/",
            "url": f"http://10.0.0.{number}/",
        }
        for name in ("scrape_page", "metadata_extract", "http_fetch"):
            known = tool_registry.find_tool(name).input_schema["properties"]
            arguments = {key: value for key, value in body.items() if key in known}
            if name == "http_fetch":
                arguments["headers"] = {"x-load": "x" * LARGE}
            await http_api.answer(name, {"body": json.dumps(arguments)}, None, services)

    await fail(1)
    before = tracemalloc.get_traced_memory()[0]
    for number in range(2, 22):
        await fail(number)
    assert tracemalloc.get_traced_memory()[0] - before < 4 * LARGE


@pytest.mark.parametrize("use", [split_url, lambda url: join_url("http://river.example/", url)], ids=["split", "join"])
def test_addresses_of_any_length_are_not_kept(use, tracing):
    before = tracemalloc.get_traced_memory()[0]
    for number in range(200):
        try:
            use(f"http://river.example/{number}" + "x" * (MAX_URL + 1))
        except ValueError:
            continue
    assert tracemalloc.get_traced_memory()[0] - before < MAX_URL
