"""Fifty writers in five threads or processes lose nothing: memories, contributions, counted calls, quotas.

The tests of each of these stores have fifty writers on both stores, SQLite and an engine that speaks DynamoDB.
"""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.store_writers import NOW, SETTINGS, WRITERS, tell_time, write_at_once
from tests.support.table_instances import in_sqlite  # noqa: F401  a fixture

from assay.memory.memory_store import MemoryStore
from assay.state.rate_limit import LimitCounters, read_quotas
from assay.usage.usage_store import UsageStore
from assay.workspaces.workspace_store import WorkspaceMembers, WorkspaceStore

ROOT = Path(__file__).parents[2]
GROUPS = 5


@pytest.fixture
def clock():
    return tell_time


async def check_all(table):
    memories = MemoryStore(table, "acme", "ada", clock=tell_time)
    notes = [memory.note async for memory in memories.iterate_all()]
    assert sorted(notes) == sorted(["The same", *(f"Note number {number}" for number in range(GROUPS * WRITERS))])
    assert (await memories.recall(query="herd")).total == GROUPS * WRITERS
    [same] = [memory async for memory in memories.iterate_all() if memory.note == "The same"]
    assert set(same.urls) == {f"https://a.example/{number}" for number in range(7)}
    workspace = WorkspaceStore(table, "river", "acme", "ada", clock=tell_time)
    shared = [each.note for each in (await workspace.read(limit=100)).contributions]
    assert sorted(shared) == sorted(f"Finding {number}" for number in range(GROUPS * WRITERS))
    [used] = await UsageStore(table, "acme", "ada", clock=tell_time).read()
    assert (used.tool, used.count) == ("web_search", GROUPS * WRITERS)
    quotas = await read_quotas(LimitCounters(table), SETTINGS, "acme", "ada", NOW)
    assert {quota.rule.name: quota.counted for quota in quotas} == {"tenant-minute": 50, "user-day": 50}


async def open_workspace(table):
    await WorkspaceMembers(table, "river", tell_time).add("acme", "ada")


async def test_fifty_writers_in_five_threads_lose_nothing(in_sqlite):  # noqa: F811
    table = in_sqlite()
    await open_workspace(table)

    async def write_group(first):
        own = in_sqlite()
        await write_at_once(own, first)
        await own.close()

    await asyncio.gather(*(asyncio.to_thread(asyncio.run, write_group(group * WRITERS)) for group in range(GROUPS)))
    await check_all(table)
    await table.close()


async def test_fifty_writers_in_five_processes_lose_nothing(in_sqlite, tmp_path):  # noqa: F811
    table = in_sqlite()
    await open_workspace(table)
    environ = os.environ | {"PYTHONPATH": f"{ROOT}:{ROOT / 'shared'}"}
    program = [sys.executable, "-m", "tests.support.store_writers", str(tmp_path)]
    children = [
        subprocess.Popen([*program, str(group * WRITERS)], env=environ, cwd=ROOT, stderr=subprocess.PIPE)
        for group in range(GROUPS)
    ]
    for child in children:
        _, complaint = child.communicate(timeout=60)
        assert (child.returncode, complaint) == (0, b"")
    await check_all(table)
    await table.close()
