"""The hints of a tool are true: each tool is called, and what the call changes and whom it asks is compared with them."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pytest
from tests.support import sample_calls
from tests.support.sample_calls import SampleServices, arguments_of

from assay.caller import Caller
from assay.context import Context
from assay.invoke import invoke
from assay.net.provider_client import ProviderClient
from assay.toolkit import tool_registry

NAMES = tool_registry.tool_names()
WRITING = [name for name in NAMES if not tool_registry.find_tool(name).read_only]

# Rows that any call may leave: what was found, what is counted, whose turn it is, and how long a session is kept.
BOOKKEEPING = ("cache/", "usage/", "consent/", "pace ", "crawl-host/", "audit-index/", "budget/", "rate/", "breaker/")
SESSIONS = ("session/", "sessions/")

# Arguments with which a tool asks upstreams that its sample does not ask.
FURTHER = {"sequential_search": {"depth": "thorough"}}


async def await_crawl(call: Any, answer: dict[str, Any]) -> None:
    await call("cinder_get_crawl_status", {"id": answer["crawlId"], "waitSeconds": 20})


async def await_tool_call(call: Any, answer: dict[str, Any]) -> None:
    await call("get_tool_call", {"id": answer["callId"], "waitSeconds": 20})


# What a tool began and does after it answered.
AFTERWARDS = {"cinder_crawl": await_crawl, "start_tool_call": await_tool_call}

# Calls that change what is there, where the sample does not: the call before, and their arguments from its answer.
type Replacing = tuple[str, dict[str, Any], Callable[[dict[str, Any]], dict[str, Any]]]
OTTERS = sample_calls.SAMPLES["monitor_query_save"]
REPLACING: Mapping[str, Replacing] = {
    "audit_document": (
        "audit_document",
        {"wait_seconds": 0},
        lambda answer: {"audit_id": answer["auditId"], "cancel": True},
    ),
    "cinder_cancel_crawl": (
        "cinder_crawl",
        sample_calls.SAMPLES["cinder_crawl"],
        lambda begun: {"id": begun["crawlId"]},
    ),
    "cancel_tool_call": (
        "start_tool_call",
        sample_calls.SAMPLES["start_tool_call"],
        lambda begun: {"id": begun["callId"]},
    ),
    "memory_save": ("memory_save", {}, lambda answer: {"id": answer["id"], "note": "Otters keep a stone."}),
    "monitor_query_save": ("monitor_query_save", {"feed": "new"}, lambda _: {**OTTERS, "feed": "new"}),
    "memory_forget": ("memory_recall", {}, lambda _: {"topic": "Otters", "dryRun": False}),
}


@dataclass
class RecordingTable:
    """A table that records which rows it adds, and which it changes or deletes."""

    inner: Any
    added: set[str] = field(default_factory=set)
    changed: set[str] = field(default_factory=set)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    async def put(self, key: str, sort: str, value: bytes, **options: Any) -> int:
        before = await self.inner.get(key, sort)
        version = await self.inner.put(key, sort, value, **options)
        row = f"{key} {sort}"
        if before is None:
            self.added.add(row)
        elif before.value != value and row not in self.added:
            self.changed.add(row)
        return version

    async def delete(self, key: str, sort: str = "-", **options: Any) -> None:
        row = f"{key} {sort}"
        if row not in self.added and await self.inner.get(key, sort) is not None:
            self.changed.add(row)
        await self.inner.delete(key, sort, **options)


class Observation(NamedTuple):
    """What a call did: the rows that it added, those that it changed or deleted, and whether it asked an upstream."""

    added: set[str]
    changed: set[str]
    has_asked: bool

    def without(self, *prefixes: str) -> set[str]:
        return {row for row in self.added | self.changed if not row.startswith(prefixes)}


@pytest.fixture
def environ(environ: dict[str, str], site: Any) -> dict[str, str]:
    return environ | sample_calls.environ(site.url)


@pytest.fixture
def table(services: Any) -> RecordingTable:
    services.table = RecordingTable(services.table)
    return services.table


@pytest.fixture
def call(services: Any, table: RecordingTable) -> Any:
    async def call(name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        reply = await invoke(name, arguments, Context(services, Caller()))
        assert reply.error is None, reply.error
        return reply.wire

    return call


@pytest.fixture
def samples(services: Any, site: Any, fake_hosts: Any, call: Any) -> SampleServices:
    services.http = ProviderClient(services.settings, pause=0)
    samples = SampleServices(services, site, fake_hosts)
    samples.answers()
    return samples


@pytest.fixture
def observe(table: RecordingTable, fake_hosts: Any, site: Any) -> Any:
    async def observe(work: Awaitable[Any]) -> Observation:
        table.added.clear()
        table.changed.clear()
        before = len(site.requests) + len(fake_hosts.visits)
        await work
        asked = len(site.requests) + len(fake_hosts.visits) - before
        kept = ({row for row in rows if not row.startswith(BOOKKEEPING)} for rows in (table.added, table.changed))
        return Observation(*kept, asked > 0)

    return observe


@pytest.mark.parametrize("name", NAMES)
async def test_a_tool_reads_or_writes_and_reaches_upstreams_as_it_says(name, samples, call, observe):
    tool = tool_registry.find_tool(name)
    arguments = await arguments_of(name, samples, call)

    async def use() -> None:
        answer = await call(name, arguments | FURTHER.get(name, {}))
        if name in AFTERWARDS:
            await AFTERWARDS[name](call, answer)

    result = await observe(use())
    assert tool.open_world is result.has_asked
    if tool.read_only:
        assert result.without(*SESSIONS) == set()
        assert (tool.destructive, tool.idempotent) == (False, True)


@pytest.mark.parametrize("name", WRITING)
async def test_a_tool_that_changes_or_ends_what_is_there_is_destructive(name, samples, call, observe):
    tool = tool_registry.find_tool(name)
    arguments = await arguments_of(name, samples, call)
    if name in REPLACING:
        before, more, replace = REPLACING[name]
        arguments = replace(await call(before, (arguments if before == name else {}) | more))
    first = await observe(call(name, arguments))
    assert first.added or first.changed, "a tool that changes nothing is read-only"
    assert tool.destructive is bool({row for row in first.changed if not row.startswith(SESSIONS)})


@pytest.mark.parametrize("name", WRITING)
async def test_a_tool_is_idempotent_if_a_second_call_changes_nothing(name, samples, call, observe, services):
    arguments = await arguments_of(name, samples, call)
    if name == "memory_forget":  # its sample only shows what would go
        arguments = REPLACING[name][2]({})
    await invoke(name, arguments, Context(services, Caller()))
    second = await observe(invoke(name, arguments, Context(services, Caller())))
    assert tool_registry.find_tool(name).idempotent is not bool(second.without())
