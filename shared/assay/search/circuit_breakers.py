"""Which providers rest for now: a breaker each, kept in the table, so that every instance knows."""

import asyncio
import json
import math
import random
from collections import defaultdict
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from assay.errors import Network, RateLimited, Refused, ToolError, UpstreamFailed
from assay.provider_base.provider import LocalQueueFull
from assay.settings import Settings
from assay.state import json_documents
from assay.state.best_effort_writes import attempt_to_store
from assay.state.budget import BudgetExhausted, CostLimitExceeded
from assay.state.ports import Conflict, TableStore

KEY = "breaker"
READ_EVERY = 1.0  # seconds that a state read from the table is believed
TRIAL_SECONDS = 30.0  # after which a trial nobody heard of again is over
FORGET_AFTER = 10  # resets' lengths until old failures no longer count


@dataclass(frozen=True)
class Breaker:
    """Closed while `open_until` is 0, open until then, and then half open: one trial at a time, until `trial_until`."""

    failures: int = 0
    open_until: float = 0.0
    trial_until: float = 0.0
    limited: bool = False

    def word(self, now: float) -> str:
        if not self.open_until:
            return "closed"
        return "open" if now < self.open_until else "half-open"


CLOSED = Breaker()


@dataclass
class _Read:
    breaker: Breaker = CLOSED
    at: float = -math.inf


class Breakers:
    """Opens after consecutive faults of a provider, at once on a rate limit; never on a caller's or a key's fault."""

    def __init__(self, table: TableStore, settings: Settings, clock: Callable[[], float]) -> None:
        self._table, self._clock = table, clock
        self._threshold, self._seconds = settings.breaker_failures, settings.breaker_seconds
        self._reads: dict[str, _Read] = defaultdict(_Read)
        self._locks: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def read(self, name: str) -> Breaker:
        """The state as of a second ago at most: no row is read for each call."""
        if self._fresh(name):
            return self._reads[name].breaker
        async with self._locks[name]:
            if not self._fresh(name):
                self._believe(name, _of(await json_documents.load(self._table, KEY, name)))
        return self._reads[name].breaker

    async def admit(self, name: str) -> tuple[ToolError | None, bool]:
        """What the provider rests for, when it rests; and whether this call is the trial of a half-open breaker."""
        breaker, now = await self.read(name), self._clock()
        if not breaker.open_until:
            return None, False
        if now >= breaker.open_until and await self._claim(name, now):
            return None, True
        return _resting(name, self._reads[name].breaker, now), False

    async def record_success(self, name: str, *, trial: bool) -> None:
        """The provider is well. Only a trial closes an open breaker: others may have begun before it opened."""
        breaker = self._reads[name].breaker
        if trial or (breaker.failures and not breaker.open_until):
            with attempt_to_store("breaker"):
                await self._table.delete(KEY, name)
            self._believe(name, CLOSED)

    async def record_failure(self, name: str, failure: ToolError, *, trial: bool) -> None:
        """Count a fault of the provider's own; anything else shows that it is there."""
        if isinstance(failure, LocalQueueFull | BudgetExhausted | CostLimitExceeded):  # it has not been asked
            return
        if not isinstance(failure, Network | UpstreamFailed | RateLimited) or isinstance(failure, Refused):
            await self.record_success(name, trial=trial)
            return
        async with self._locks[name]:
            now = self._clock()
            if self._reads[name].breaker.open_until > now:
                return  # open already: fifty calls that fail together need one write
            document: json_documents.Document = asdict(self._after(self._reads[name].breaker, failure, now))
            with attempt_to_store("breaker"):
                document = await json_documents.update(
                    self._table,
                    KEY,
                    name,
                    lambda old: asdict(self._after(_of(old), failure, now)),
                    until=now + FORGET_AFTER * self._seconds + (failure.retry_after or 0),
                )
            self._believe(name, _of(document))

    def _after(self, breaker: Breaker, failure: ToolError, now: float) -> Breaker:
        failures = breaker.failures + 1
        limited = isinstance(failure, RateLimited)
        if not limited and not breaker.open_until and failures < self._threshold:
            return replace(breaker, failures=failures)
        seconds = (failure.retry_after or self._seconds) if limited else self._seconds
        # Jitter, so that the instances' trials do not meet.
        return Breaker(failures, now + seconds * random.uniform(1.0, 1.2), 0.0, limited)

    async def _claim(self, name: str, now: float) -> bool:
        """Take the one trial, by a write that fails when anybody else has written since the read."""
        item = await self._table.get(KEY, name)
        if item is None:
            self._believe(name, CLOSED)
            return True
        breaker = _of(json.loads(item.value))
        if not breaker.open_until <= now or breaker.trial_until > now:
            self._believe(name, breaker)
            return False
        taken = replace(breaker, trial_until=now + TRIAL_SECONDS)
        try:
            await self._table.put(
                KEY,
                name,
                json_documents.encode(asdict(taken)),
                until=now + FORGET_AFTER * self._seconds,
                expect=item.version,
            )
        except Conflict:
            return False
        self._believe(name, taken)
        return True

    def _fresh(self, name: str) -> bool:
        return 0 <= self._clock() - self._reads[name].at < READ_EVERY

    def _believe(self, name: str, breaker: Breaker) -> None:
        self._reads[name] = _Read(breaker, self._clock())


def _of(document: json_documents.Document | None) -> Breaker:
    known: dict[str, Any] = {field.name: (document or {}).get(field.name, field.default) for field in fields(Breaker)}
    return Breaker(**known)


def _resting(name: str, breaker: Breaker, now: float) -> ToolError:
    wait = max(1, math.ceil(max(breaker.open_until, breaker.trial_until) - now))
    if breaker.limited:
        sentence = f"{name} is rate limited. Wait {wait} seconds, or use another provider."
        return RateLimited(sentence, provider=name, retry_after=wait)
    sentence = f"{name} failed several times and is left alone for {wait} seconds. Use another provider."
    return UpstreamFailed(sentence, provider=name, retry_after=wait)
