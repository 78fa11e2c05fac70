"""Calls are counted exactly, by person and tool."""

import asyncio

import pytest


@pytest.mark.parametrize("rows", [16, 1], ids=["spread", "in one row"])
async def test_fifty_concurrent_calls_are_all_counted(usage_of, rows):
    one, other = usage_of(rows=rows), usage_of(rows=rows)
    await asyncio.gather(*(store.count("web_search") for store in (one, other) for _ in range(25)))
    assert [(each.tool, each.count) for each in await usage_of().read()] == [("web_search", 50)]


async def test_the_tool_used_last_comes_first_and_others_see_nothing(usage_of, clock):
    store, began = usage_of(), clock.now
    for tool in ("web_search", "scrape_page", "web_search"):
        await store.count(tool)
        clock.now += 1
    found = await store.read()
    assert [(each.tool, each.count, each.first - began, each.last - began) for each in found] == [
        ("web_search", 2, 0, 2),
        ("scrape_page", 1, 1, 1),
    ]
    assert await usage_of("bob").read() == await usage_of("ada", "beta").read() == []
