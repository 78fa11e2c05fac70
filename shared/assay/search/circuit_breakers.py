"""Circuit breakers, one for each provider. Their state is stored in the table, so all instances share it.

DynamoDB takes 1,000 writes a second of a row, and a breaker is one row. While a provider fails now and then, a row that
counted every failure and every success after one would be written at the rate of the calls. So at most `MAX_WRITES` of
a second are taken: the row says how many it has had. What comes later waits in its process, and is added to the next
write of that process. A process that fails often enough by itself opens the breaker at once, whatever the row has had.

A process learns of failures in the row within a second, and a success resets only those it knows of. So one that had an
answer within the last second does not add to the failures of others, which its answer may have followed: it counts its
own failures since then.
"""

import asyncio
import json
import logging
import math
import random
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from assay.errors import Network, RateLimited, Refused, ToolError, UpstreamFailed
from assay.provider_base.provider import LocalQueueFull
from assay.settings import Settings
from assay.state import json_documents
from assay.state.best_effort_writes import attempt_to_store
from assay.state.budget import BudgetExhausted, CostLimitExceeded
from assay.state.clock_skew import is_ahead
from assay.state.ports import Conflict, TableStore
from assay.state.table_rows import query_all

log = logging.getLogger("assay")
KEY = "breaker"
READ_EVERY = 1.0  # seconds for which a state read from the table is used without reading again
TRIAL_SECONDS = 30.0  # a trial without an outcome expires after this time
FORGET_AFTER = 10  # old failures expire after this many reset periods
MAX_WRITES = 10  # of a second, of the row of a closed breaker


@dataclass(frozen=True)
class Breaker:
    """The state of one breaker. Times are Unix seconds.

    It is closed while `open_until` is 0, open until `open_until`, and half-open afterwards: then one trial request
    at a time is admitted, and no other before `trial_until`. `limited` means that a rate limit opened it. `writes` is
    the number of writes in the second from `since`.
    """

    failures: int = 0
    open_until: float = 0.0
    trial_until: float = 0.0
    limited: bool = False
    since: float = 0.0
    writes: int = 0

    def is_busy(self, now: float) -> bool:
        """Whether the row has had all writes of this second. Clocks differ; one ahead of ours only makes us wait."""
        return now < self.since + 1.0 and self.writes >= MAX_WRITES

    def count_write(self, now: float) -> "Breaker":
        is_new = now >= self.since + 1.0
        return replace(self, since=now if is_new else self.since, writes=1 if is_new else self.writes + 1)

    def state(self, now: float) -> str:
        if not self.open_until:
            return "closed"
        return "open" if now < self.open_until else "half-open"


CLOSED = Breaker()


@dataclass
class _Read:
    breaker: Breaker = CLOSED
    at: float = -math.inf


class Breakers:
    """Opens a provider's breaker after consecutive upstream failures, and immediately after a rate limit.

    Errors of the caller, or of the API key, do not count.
    """

    def __init__(self, table: TableStore, settings: Settings, clock: Callable[[], float]) -> None:
        self._table, self._clock = table, clock
        self._threshold, self._seconds = settings.breaker_failures, settings.breaker_seconds
        self._reads: dict[str, _Read] = defaultdict(_Read)
        self._locks: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._unsent: dict[str, int] = defaultdict(int)  # failures of this process that no row has
        self._own: dict[str, int] = defaultdict(int)  # failures of this process since its last success
        self._succeeded: dict[str, float] = {}  # when this process last had an answer

    async def read(self, name: str) -> Breaker:
        """The state, at most one second old, so that calls in quick succession do not each read the table."""
        if self._is_recent(name):
            return self._reads[name].breaker
        async with self._locks[name]:
            if not self._is_recent(name):
                self._remember(name, await self._load(name))
        return self._reads[name].breaker

    async def _load(self, name: str) -> Breaker:
        """The stored state; while the table fails, the last one that this process knows."""
        try:
            return self._parse_document(await json_documents.load(self._table, KEY, name))
        except Network as failure:
            log.warning("the state of a circuit breaker cannot be read: %s", failure.sentence())
            return self._reads[name].breaker

    async def read_all(self) -> Mapping[str, Breaker]:
        """The states of all breakers that are not closed or have counted failures, by one query."""
        found = {row.sort: self._parse_document(json.loads(row.value)) for row in await query_all(self._table, KEY)}
        return {name: breaker for name, breaker in found.items() if breaker.failures or breaker.open_until}

    async def admit(self, name: str) -> tuple[ToolError | None, bool]:
        """Whether a request may be sent: the error to raise instead (None if it may), and whether it is a trial."""
        breaker, now = await self.read(name), self._clock()
        if not breaker.open_until:
            return None, False
        is_due = now >= max(breaker.open_until, breaker.trial_until)
        if is_due and await self._claim_trial(name, now):
            return None, True
        return _open_error(name, self._reads[name].breaker, now), False

    async def record_success(self, name: str, *, trial: bool) -> None:
        """Reset the failure count. Only a trial closes an open breaker: others may have started before it opened."""
        breaker = self._reads[name].breaker
        self._unsent[name] = self._own[name] = 0
        self._succeeded[name] = self._clock()
        if trial:
            with attempt_to_store("breaker"):
                await self._table.delete(KEY, name)
            self._remember(name, CLOSED)
        elif breaker.failures and not breaker.open_until:
            with attempt_to_store("breaker"):
                breaker = await self._change(name, lambda old, _: old if old.open_until else replace(old, failures=0))
            # Where the row keeps its failures, this process need not try again before it reads the row again.
            self._remember(name, breaker if breaker.open_until else replace(breaker, failures=0))

    async def record_failure(self, name: str, failure: ToolError, *, trial: bool) -> None:
        """Count an upstream failure. Any other error shows that the provider responds, so it counts as a success."""
        if isinstance(failure, LocalQueueFull | BudgetExhausted | CostLimitExceeded):  # no request was sent
            return
        if not isinstance(failure, Network | UpstreamFailed | RateLimited) or isinstance(failure, Refused):
            await self.record_success(name, trial=trial)
            return
        async with self._locks[name]:
            now = self._clock()
            if self._reads[name].breaker.open_until > now:
                return  # already open: many calls that fail together need only one write
            self._unsent[name] += 1
            self._own[name] += 1
            breaker = self._count_failures(name, self._reads[name].breaker, 1, failure, now)
            with attempt_to_store("breaker"):
                breaker = await self._change(
                    name,
                    lambda old, unsent: (
                        old if old.open_until > now else self._count_failures(name, old, unsent, failure, now)
                    ),
                    failure.retry_after or 0,
                )
            if breaker.open_until:
                self._unsent[name] = 0
            self._remember(name, breaker)

    async def _change(self, name: str, edit: Callable[[Breaker, int], Breaker], more_seconds: float = 0.0) -> Breaker:
        """Change the row by `edit`, which gets its breaker and the failures it lacks; return what is known of it now.

        Where the row is busy, or another process writes at the same time, it stays as it is, unless a breaker opens.
        """
        now = self._clock()
        while True:
            item = await self._table.get(KEY, name)
            old = self._parse_document(json.loads(item.value) if item else None)
            new = edit(old, self._unsent[name])
            if new == old or (old.is_busy(now) and not new.open_until):
                return old
            document = json_documents.encode(asdict(new.count_write(now)))
            until = now + FORGET_AFTER * self._seconds + more_seconds
            try:
                await self._table.put(KEY, name, document, until=until, expect=item.version if item else 0)
            except Conflict:
                if new.open_until:
                    continue  # of processes that open it together the first one does, and the others see that
                return old
            self._unsent[name] = 0
            return new

    def _count_failures(self, name: str, breaker: Breaker, more: int, failure: ToolError, now: float) -> Breaker:
        answered = 0 <= now - self._succeeded.get(name, -math.inf) < READ_EVERY
        failures = self._own[name] if answered else breaker.failures + more
        limited = isinstance(failure, RateLimited)
        if not limited and not breaker.open_until and failures < self._threshold:
            return replace(breaker, failures=failures)
        seconds = (failure.retry_after or self._seconds) if limited else self._seconds
        # Jitter, so that the instances do not all send their trials at the same time.
        open_until = now + seconds * random.uniform(1.0, 1.2)
        return replace(breaker, failures=failures, open_until=open_until, trial_until=0.0, limited=limited)

    async def _claim_trial(self, name: str, now: float) -> bool:
        """Claim the trial request by a conditional write, which fails if another instance wrote since the read."""
        item = await self._table.get(KEY, name)
        if item is None:
            self._remember(name, CLOSED)
            return True
        breaker = self._parse_document(json.loads(item.value))
        if not breaker.open_until <= now or breaker.trial_until > now:
            self._remember(name, breaker)
            return False
        claimed = replace(breaker, trial_until=now + TRIAL_SECONDS)
        try:
            await self._table.put(
                KEY,
                name,
                json_documents.encode(asdict(claimed)),
                until=now + FORGET_AFTER * self._seconds,
                expect=item.version,
            )
        except Conflict:
            return False
        self._remember(name, claimed)
        return True

    async def close(self, name: str) -> None:
        """Close the breaker and forget its failures."""
        await self._table.delete(KEY, name)
        self._remember(name, CLOSED)

    def _is_recent(self, name: str) -> bool:
        return 0 <= self._clock() - self._reads[name].at < READ_EVERY

    def _parse_document(self, document: json_documents.Document | None) -> Breaker:
        """Return the breaker of the row; a closed one where a clock ahead wrote it, which would be open for as long."""
        stored = document or {}
        known: dict[str, Any] = {field.name: stored.get(field.name, field.default) for field in fields(Breaker)}
        breaker = Breaker(**known)
        return CLOSED if is_ahead(breaker.since, self._clock()) else breaker

    def _remember(self, name: str, breaker: Breaker) -> None:
        self._reads[name] = _Read(breaker, self._clock())


def _open_error(name: str, breaker: Breaker, now: float) -> ToolError:
    wait = max(1, math.ceil(max(breaker.open_until, breaker.trial_until) - now))
    if breaker.limited:
        sentence = f"{name} is rate limited. Wait {wait} seconds, or use another provider."
        return RateLimited(sentence, provider=name, retry_after=wait)
    sentence = f"{name} failed repeatedly and is paused for {wait} seconds. Use another provider."
    return UpstreamFailed(sentence, provider=name, retry_after=wait)
