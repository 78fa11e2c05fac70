"""Writers of one person's memories, contributions, counted calls and quotas, ten at once; also as a program."""

import asyncio
import sys
from pathlib import Path

from tests.support.table_factories import sqlite

from assay.memory.memory_store import MemoryStore
from assay.settings import Settings
from assay.state.ports import TableStore
from assay.state.rate_limit import LimitCounters, count_call
from assay.usage.usage_store import UsageStore
from assay.workspaces.workspace_store import WorkspaceStore

WRITERS = 10
NOW = 1_795_000_000.0
SETTINGS = Settings.read({"RATE_LIMIT_PER_TENANT": "1000", "MAX_CALLS_PER_DAY": "1000"})


def tell_time() -> float:
    return NOW


async def write_at_once(table: TableStore, first: int) -> None:
    """Write each kind ten times at once, the writers numbered from `first` on."""
    memories = MemoryStore(table, "acme", "ada", clock=tell_time)
    workspace = WorkspaceStore(table, "river", "acme", "ada", clock=tell_time)
    usage = UsageStore(table, "acme", "ada", clock=tell_time)

    async def write(number: int) -> None:
        await asyncio.gather(
            memories.save(f"Note number {number}", tags=["herd"]),
            memories.save("The same", urls=[f"https://a.example/{number % 7}"]),
            workspace.contribute(f"Finding {number}"),
            usage.count("web_search"),
            count_call(LimitCounters(table), SETTINGS, "acme", "ada", NOW),
        )

    await asyncio.gather(*(write(first + number) for number in range(WRITERS)))


async def _write_to_file(folder: Path, first: int) -> None:
    table = sqlite(folder, tell_time)
    await write_at_once(table, first)
    await table.close()


if __name__ == "__main__":
    asyncio.run(_write_to_file(Path(sys.argv[1]), int(sys.argv[2])))
