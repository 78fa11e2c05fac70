"""Calls are counted exactly by tenant and tool, and read with few queries."""

import asyncio
from dataclasses import replace

import pytest

from assay.caller import Caller
from assay.context import Context
from assay.errors import Blocked
from assay.invoke import invoke
from assay.state.audit import Call
from assay.statistics.call_statistics import CallStatistics, build_statistics_key, list_tenants, read_tools
from assay.statistics.recent_errors import MOST, read_errors, record_error
from assay.statistics.summed_rows import SLOTS
from assay.statistics.tool_figures import ToolFigures
from assay.text.timestamps import format_utc

CALL = Call(1_000.0, "web_search", "acme", "ada", "mcp", "r1", 0.3, None, False, 5, provider="brave,exa")
ADA, BOB = Caller("acme", "ada"), Caller("acme", "bob")


async def test_fifty_calls_of_two_processes_are_all_counted(instances, clock):
    table = instances()
    one, other = CallStatistics(table, clock), CallStatistics(instances(), clock)
    failed = replace(CALL, error="blocked", cached=True, seconds=3.0, at=1_010.0)
    await asyncio.gather(*(each.record(CALL) for each in (one, other) for _ in range(20)))
    await asyncio.gather(*(each.record(failed) for each in (one, other) for _ in range(5)))
    await other.record(replace(CALL, tenant="beta", tool="scrape_page"))
    found = await read_tools(table, "acme")
    assert list(found) == ["web_search"]
    shown = found["web_search"].summarize()
    assert (shown["totalCalls"], shown["successCalls"], shown["errorsByKind"]) == (50, 40, {"blocked": 10})
    assert (shown["cacheHits"], shown["avgLatencyMs"]) == (10, 840)
    assert 2_500 <= shown["p95LatencyMs"] <= 3_000
    assert (found["web_search"].first, found["web_search"].last) == (1_000.0, 1_010.0)
    assert found["web_search"].providers == {"brave": 50, "exa": 50}
    assert await list_tenants(table) == ["acme", "beta"]
    assert len((await table.query("statistics-tenants")).items) == 2


async def test_the_rows_of_a_tool_stay_few(instances, clock):
    table = instances()
    for _ in range(3 * SLOTS):
        await CallStatistics(table, clock).record(CALL)
    assert len((await table.query(build_statistics_key("acme"), limit=500)).items) <= SLOTS
    assert (await read_tools(table, "acme"))["web_search"].calls == 3 * SLOTS


class FullDisk:
    """A table that cannot be written while `is_full`."""

    def __init__(self, table):
        self._table, self.is_full = table, True

    def __getattr__(self, name):
        if name == "put" and self.is_full:
            raise OSError("no space left on device")
        return getattr(self._table, name)


async def test_a_call_that_could_not_be_stored_is_stored_with_the_next_one(instances, clock):
    disk = FullDisk(instances())
    statistics = CallStatistics(disk, clock)
    with pytest.raises(OSError, match="no space"):
        await statistics.record(CALL)
    disk.is_full = False
    await statistics.record(replace(CALL, error="network"))
    [figures] = (await read_tools(disk, "acme")).values()
    assert (figures.calls, figures.errors) == (2, {"network": 1})


def test_percentiles_lie_within_the_measured_durations():
    assert ToolFigures().estimate_percentile(0.95) == 0.0
    spread = [replace(CALL, seconds=seconds) for seconds in (0.001, 0.2, 0.3, 4.0, 47.0)]
    figures = sum(map(ToolFigures.from_call, spread), ToolFigures())
    assert [round(figures.estimate_percentile(share), 1) for share in (0.2, 0.5, 0.8, 1.0)] == [0.0, 0.4, 5.0, 47.0]
    assert ToolFigures.from_json(figures.to_json()) == figures


async def test_only_the_last_errors_are_stored_and_their_messages_are_for_the_person(instances, clock):
    table = instances()
    for number in range(MOST + 5):
        call = replace(CALL, at=clock.now + number, error="blocked", user="ada" if number % 2 else "anonymous")
        await record_error(table, call, Blocked(f"host{number}.example refuses", provider="tls"))
    own = await read_errors(table, "acme", "ada")
    assert len(own) == MOST
    assert own[1].items() >= {"at": format_utc(clock.now + 53), "cause": "host53.example refuses"}.items()
    for user in ("bob", "anonymous", None):
        assert not any("cause" in each for each in await read_errors(table, "acme", user))
    assert await read_errors(table, "beta", "ada") == []


async def test_calls_of_servers_are_counted_and_those_of_a_command_line_are_not(services):
    for entrypoint in ("mcp", "https", "cli", "python"):
        ctx = Context(services, ADA, entrypoint=entrypoint, request_id=f"from {entrypoint}")
        await invoke("format_bibliography", {"sources": [{"url": "https://a.example/", "title": "A"}]}, ctx)
    await invoke("format_bibliography", {"sources": 1}, Context(services, BOB, entrypoint="mcp", request_id="bad"))
    found = await read_tools(services.table, "acme")
    assert {name: (each.calls, dict(each.errors)) for name, each in found.items()} == {
        "format_bibliography": (3, {"validation": 1})
    }
    [error] = await read_errors(services.table, "acme", "bob")
    assert (error["requestId"], error["kind"], error["suggestedAction"]) == ("bad", "validation", "inform_user")
    assert "sources" in error["cause"]
