"""Fill a store with what a large deployment has: sessions, calls of the past, memories, failed jobs and watches."""

import asyncio
import random
import secrets
import time
from collections.abc import Callable
from dataclasses import astuple, dataclass
from itertools import batched

from tests.support import belongings
from tests.support.belongings import Belongings

from assay.caller import Caller
from assay.crawl.job import CRAWLS, CrawlJob
from assay.memory.memory_store import MemoryStore
from assay.monitoring.watch_records import Watch, WatchState
from assay.monitoring.watch_store import WatchStore
from assay.provider_base.provider_lookup import list_provider_names
from assay.services import Services
from assay.sessions.session_index import MAX_SESSIONS
from assay.sessions.store import MAX_STEPS, SessionStore
from assay.state.audit import Call
from assay.state.budget import ProviderUse
from assay.state.ports import TableStore
from assay.statistics.call_history import CallHistory
from assay.statistics.summed_rows import SLOTS
from assay.text.timestamps import format_utc
from assay.toolkit.tool_registry import tool_names

DAY, HOUR = 86_400, 3_600
MONTH = 30 * DAY
WORDS = ("otter", "river", "weir", "salmon", "heron", "bank", "survey", "winter", "spring", "count", "habitat", "water")


@dataclass(frozen=True)
class Amounts:
    """How much there is. Sessions are those of all tenants, each of which has as many as a tenant may."""

    sessions: int = 10_000
    calls: int = 1_000_000
    memories: int = 10_000
    failed_jobs: int = 1_000
    watches: int = 100

    def scale(self, share: float) -> "Amounts":
        """As much of each; at least what one tenant and one watch take."""
        return Amounts(*(max(round(amount * share), least) for amount, least in zip(astuple(self), LEAST, strict=True)))


LEAST = (MAX_SESSIONS, 1_000, 0, 0, 1)


async def fill(services: Services, caller: Caller, amounts: Amounts) -> tuple[Belongings, str]:
    """Give the person these amounts, and one thing of every kind; return the id of their longest session."""
    session = await fill_sessions(services.table, caller, amounts.sessions)
    await fill_history(services.table, amounts.calls, amounts.sessions // MAX_SESSIONS)
    await fill_memories(services.table, caller, amounts.memories - 3)
    await fill_failed_jobs(services.table, caller, amounts.failed_jobs)
    await fill_watches(services.table, caller, amounts.watches - 1)
    ada = await belongings.fill(
        services, caller, consents=("memory", "monitoring", "workspaces")
    )  # some of it ends soon
    return ada, session


async def fill_sessions(table: TableStore, caller: Caller, number: int) -> str:
    """Sessions of two steps of many tenants, the last of which is the caller's; their sessions have all steps."""
    tenants = [*(f"tenant-{place}" for place in range(number // MAX_SESSIONS - 1)), caller.tenant]
    for names in batched(tenants, 8, strict=False):
        await asyncio.gather(*(_fill_tenant(table, name, caller) for name in names))
    store = SessionStore(table, caller.tenant, caller.user)
    return await write_session(store, MAX_STEPS)


async def _fill_tenant(table: TableStore, tenant: str, caller: Caller) -> None:
    is_callers = tenant == caller.tenant
    store = SessionStore(table, tenant, caller.user if is_callers else "someone")
    for _ in range(MAX_SESSIONS - 2 if is_callers else MAX_SESSIONS):  # they get two more
        await write_session(store, 20 if is_callers else 2)


async def write_session(store: SessionStore, steps: int) -> str:
    """Write a session with these steps, each of which found a source; return its id."""
    session = ""
    for number in range(1, steps + 1):
        step = {
            "stepNumber": number,
            "description": _write_text(),
            "nextStepNeeded": True,
            "timestamp": format_utc(time.time()),
        }
        if number == 1:
            session = (await store.begin(_write_text(), step, completed=False, head={})).id
        else:
            await store.add(session, step, completed=False, head={})
        address = f"https://{number}.example/{secrets.token_hex(4)}"
        await store.note(session, [{"url": address, "title": _write_text(), "foundInStep": number}])
    return session


async def fill_history(table: TableStore, calls: int, tenants: int) -> None:
    """Calls of 92 days and of the hours of the last three, by as many processes as a sum has rows."""
    now = time.time()
    moments = [*(now - day * DAY for day in range(91, 3, -1)), *(now - hour * HOUR for hour in range(72, -1, -1))]
    tools, providers = tool_names(), list_provider_names()
    share = calls // (len(moments) * SLOTS) + 1
    for moment in moments:
        for _ in range(SLOTS):
            history = CallHistory(table, lambda moment=moment: moment)  # type: ignore[misc]
            for _ in range(share):
                tool = random.randrange(len(tools))
                use = ProviderUse(providers[(3 * tool + random.randrange(3)) % len(providers)], 1, 0, 5_000, (0.3,))
                tenant = f"tenant-{min(int(random.expovariate(8 / tenants)), tenants - 1)}"
                seconds = random.expovariate(1.0)
                call = Call(moment, tools[tool], tenant, "u", "mcp", "r", seconds, None, False, 5, uses=(use,))
                await history.record(call)
            await history.flush()


async def fill_memories(table: TableStore, caller: Caller, number: int) -> None:
    store = MemoryStore(table, caller.tenant, caller.user)
    for place in range(number):
        await store.save(
            f"{place} {secrets.token_hex(4)}: {_write_text()}",
            topic=random.choice(WORDS),
            urls=[f"https://{place}.example/"],
        )


async def fill_failed_jobs(table: TableStore, caller: Caller, number: int) -> None:
    now = time.time()
    for place in range(number):
        limits = {"max_depth": 1, "max_pages": 9, "url": f"https://{place}.example/"}
        owner = {"tenant": caller.tenant, "user": caller.user}
        job = CrawlJob(id=secrets.token_hex(16), created=now, until=now + DAY, **owner, **limits)
        await CRAWLS.create(table, job)
        await CRAWLS.end(table, job, "failed", now, units=0, error=_write_text())


async def fill_watches(table: TableStore, caller: Caller, number: int) -> None:
    store, now = WatchStore(table, caller.tenant, caller.user), time.time()
    for _ in range(number):
        watch = Watch(
            id=secrets.token_hex(16),
            kind="news",
            query=_write_text(),
            every=DAY,
            created=now,
            until=now + MONTH,
            days=30,
        )
        await store.reserve(watch.id, watch.until)
        await store.put_state(watch, WatchState())
        await store.put(watch, 0)


def _write_text() -> str:
    return " ".join(random.choices(WORDS, k=12))


class CountingTable:
    """A table that counts what is asked of it."""

    def __init__(self, table: TableStore) -> None:
        self._table = table
        self.reads = self.writes = self.rows = 0

    def __getattr__(self, name: str) -> Callable[..., object]:
        method = getattr(self._table, name)
        if name not in ("get", "get_many", "query", "put", "delete", "add"):
            return method  # type: ignore[no-any-return]

        async def count(*arguments: object, **more: object) -> object:
            answer = await method(*arguments, **more)
            if name in ("put", "delete", "add"):
                self.writes += 1
            else:
                self.reads += 1
                self.rows += len(answer.items) if name == "query" else len(answer) if name == "get_many" else 1
            return answer

        return count
