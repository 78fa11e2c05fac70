"""Budgets in micro-dollars: an amount is reserved before a paid request and settled when the cost is known."""

import logging
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from assay.errors import ConfigError, Network, RateLimited, Refused, ToolError, UpstreamFailed
from assay.settings import Settings
from assay.state.context_values import ContextValue
from assay.state.ports import TableStore

if TYPE_CHECKING:  # asyncio is imported only where a daily budget is set
    import asyncio

log = logging.getLogger("assay")

MILLION = 1_000_000
DAY = 86_400  # seconds
SUM_TTL = 2 * DAY  # how long the sum of a day is stored
MOST_TIMED = 1_000  # requests of a call to one provider
SURCHARGE = 10  # a request reserves this many times its expected cost while others are in flight


class ProviderUse(NamedTuple):
    """What a call asked of one provider. The cost is in micro-dollars, the durations of requests in seconds."""

    provider: str
    requests: int
    failures: int
    cost: int
    durations: tuple[float, ...]


class BudgetExhausted(RateLimited):
    """The daily budget of the tenant is exhausted; the provider was not called."""


class CostLimitExceeded(ConfigError):
    """The request would exceed the cost limit of one call; the provider was not called.

    `cost` is what the call would cost with it, in micro-dollars.
    """

    cost = 0


@dataclass
class Bill:
    """The cost of a request: expected, until the provider reports it. `failed` is the cost of failed tries."""

    amount: int
    failed: int = 0

    @property
    def total(self) -> int:
        return self.amount + self.failed

    def add_failed_try(self, amount: int) -> None:
        """Add the cost of a failed try, which the provider may have billed all the same."""
        self.failed += amount

    def settle(self, amount: int | None) -> None:
        """Set the amount that the provider reports; None leaves the expected one."""
        if amount is not None:
            self.amount = amount


class Ledger:
    """The spending of each tenant by day, shared by all instances through the table. One per process."""

    def __init__(self, table: TableStore, settings: Settings, clock: Callable[[], float]) -> None:
        self._table, self._settings, self._clock = table, settings, clock
        self._max_cost: dict[tuple[str, int], int] = {}  # highest cost so far, by provider and list price
        self._tried: set[tuple[str, int]] = set()
        self._first: dict[tuple[str, int], asyncio.Lock] = {}
        self._turns: dict[str, asyncio.Lock] = {}  # by tenant

    def call_budget(self, tenant: str, limit: int | None = None) -> "CallBudget":
        """A new budget for one call of the tenant. `limit` replaces the limit of a call, not that of the day."""
        return CallBudget(self, tenant, self._settings.max_call_cost if limit is None else limit)

    @property
    def is_limited(self) -> bool:
        return self._settings.daily_budget is not None

    def estimate_cost(self, provider: str, price: int) -> int:
        """The highest cost so far, or the list price before the first request."""
        return self._max_cost.get((provider, price), price)

    @asynccontextmanager
    async def in_turn(self, provider: str, price: int) -> AsyncIterator[None]:
        """Under a daily budget, run the first request alone: its cost is the estimate for the following ones."""
        kind = provider, price
        if self.is_limited and kind not in self._tried:
            import asyncio

            async with self._first.setdefault(kind, asyncio.Lock()):
                if kind not in self._tried:
                    try:
                        yield
                    finally:
                        self._tried.add(kind)
                    return
        yield

    def record_price(self, provider: str, price: int, amount: int) -> None:
        self._max_cost[provider, price] = max(amount, self._max_cost.get((provider, price), 0))

    @asynccontextmanager
    async def reserve_amount(self, tenant: str, provider: str, amount: int) -> AsyncIterator[tuple[str, int]]:
        """Reserve the amount in today's budget; yields the day and the reserved amount. Raises BudgetExhausted.

        A cost may exceed all earlier ones. While the budget allows, each request reserves SURCHARGE times its amount;
        otherwise requests run one at a time. Costs below that overspend the day by at most one request.
        """
        budget, now = self._settings.daily_budget, self._clock()
        day = datetime.fromtimestamp(now, UTC).date().isoformat()
        if budget is None or not amount:
            yield day, 0
            return
        import asyncio

        async with AsyncExitStack() as turn:
            await turn.enter_async_context(self._turns.setdefault(tenant, asyncio.Lock()))
            reserved = amount * SURCHARGE
            if await self._try_reserve(tenant, day, reserved, budget):
                await turn.aclose()  # others may run concurrently
            else:
                reserved = amount + budget  # more than the budget, so that no instance runs another one concurrently
                if not await self._try_reserve(tenant, day, reserved, budget + budget):
                    raise _build_exhausted_error(provider, amount, budget, now)
            yield day, reserved

    async def _try_reserve(self, tenant: str, day: str, amount: int, limit: int) -> bool:
        """Reserve the amount if the sum stays within `limit`; whether it did."""
        if await self.add(tenant, day, amount) <= limit:
            return True
        await self.add(tenant, day, -amount)
        return False

    async def add(self, tenant: str, day: str, amount: int) -> int:
        """Add `amount` to the tenant's sum of the day; returns the new sum."""
        return await self._table.add(f"spent/{tenant}", day, amount, until=self._clock() + SUM_TTL)


def _may_be_billed(failure: ToolError) -> bool:
    """Whether a failed request may have been billed: one that the provider refused costs nothing."""
    return isinstance(failure, Network | UpstreamFailed) and not isinstance(failure, Refused)


def _build_exhausted_error(provider: str, amount: int, budget: int, now: float) -> BudgetExhausted:
    wait = DAY - int(now % DAY)
    return BudgetExhausted(
        f"Today's budget of {format_dollars(budget)} does not cover {format_dollars(amount)}, "
        f"so {provider} was not called. "
        f"It resets at 00:00 UTC, in {wait} seconds; ASSAY_DAILY_BUDGET_USD sets it.",
        provider=provider,
        retry_after=wait,
        action="try_different_provider",
    )


class CallBudget:
    """The cost limit of one call, and what it has spent."""

    def __init__(self, ledger: Ledger, tenant: str, limit: int | None) -> None:
        self._ledger, self._tenant, self._limit = ledger, tenant, limit
        self._held = 0
        self.spent = 0
        self.providers: list[str] = []  # those with a cost
        self.requests: dict[str, tuple[int, int]] = {}  # by provider: requests, and successful ones
        self._costs: dict[str, int] = defaultdict(int)  # by provider
        self._durations: dict[str, list[float]] = {}  # by provider, the first `MOST_TIMED`

    def open(self) -> ContextValue["CallBudget"]:
        """Charge requests inside this context to this budget."""
        return ContextValue(_BUDGET, self)

    @contextmanager
    def counting(self, provider: str) -> Iterator[None]:
        """Count the request inside this context, and its success if nothing is raised."""
        requests, successes = self.requests.get(provider, (0, 0))
        self.requests[provider] = requests + 1, successes
        yield
        requests, successes = self.requests[provider]
        self.requests[provider] = requests, successes + 1

    @contextmanager
    def timing(self, provider: str) -> Iterator[None]:
        """Measure the request inside this context, with its repetitions."""
        began = time.perf_counter()
        try:
            yield
        finally:
            durations = self._durations.setdefault(provider, [])
            if len(durations) < MOST_TIMED:
                durations.append(time.perf_counter() - began)

    def list_uses(self) -> tuple[ProviderUse, ...]:
        """What the call asked of each provider so far."""
        return tuple(
            ProviderUse(name, requests, requests - answers, self._costs[name], tuple(self._durations.get(name, ())))
            for name, (requests, answers) in self.requests.items()
        )

    @asynccontextmanager
    async def paying(self, provider: str, price: int) -> AsyncIterator[Bill]:
        async with self._ledger.in_turn(provider, price):
            amount = self._ledger.estimate_cost(provider, price)
            self._check_affordable(provider, amount)
            self._held += amount
            try:
                async with self._ledger.reserve_amount(self._tenant, provider, amount) as (day, reserved):
                    bill = Bill(amount)
                    try:
                        yield bill
                        self._ledger.record_price(provider, price, bill.amount)
                    except ToolError as failure:
                        if not _may_be_billed(failure):
                            bill.amount = 0
                        raise
                    finally:
                        await self._settle(provider, day, reserved, bill.total)
            finally:
                self._held -= amount

    def _check_affordable(self, provider: str, amount: int) -> None:
        total = self.spent + self._held + amount
        if self._limit is not None and total > self._limit:
            refusal = CostLimitExceeded(
                f"A call may cost {format_dollars(self._limit)}, "
                f"and with {provider} this one would cost {format_dollars(total)}. "
                "Use another provider, or raise ASSAY_MAX_CALL_COST_USD.",
                provider=provider,
            )
            refusal.cost = total
            raise refusal

    async def _settle(self, provider: str, day: str, reserved: int, amount: int) -> None:
        self.spent += amount
        self._costs[provider] += amount
        if amount and provider not in self.providers:
            self.providers.append(provider)
        if amount != reserved and self._ledger.is_limited:
            try:
                await self._ledger.add(self._tenant, day, amount - reserved)
            except ToolError as failure:  # the reservation remains; the paid answer must not be lost
                log.warning("The cost of %s could not be recorded: %s", provider, failure)

    @property
    def dollars(self) -> float | None:
        """The cost of the call in dollars; None if it was free."""
        return self.spent / MILLION or None


# A context variable, because a parameter would become part of cache keys.
_BUDGET: ContextVar[CallBudget | None] = ContextVar("budget", default=None)


@asynccontextmanager
async def spending(provider: str, price: int) -> AsyncIterator[Bill]:
    """Charge a request with the list price `price` (micro-dollars) to the budget of the current call.

    Raises BudgetExhausted or CostLimitExceeded before the request.
    """
    budget = _BUDGET.get()
    if budget is None:
        yield Bill(price)
        return
    with budget.counting(provider):
        if not price:
            with budget.timing(provider):
                yield Bill(price)
            return
        async with budget.paying(provider, price) as bill:
            with budget.timing(provider):
                yield bill


def to_micro_dollars(amount: object) -> int | None:
    """A provider's amount in dollars as micro-dollars; None if it is not a valid amount."""
    if isinstance(amount, bool) or not isinstance(amount, int | float) or not 0 <= amount < MILLION:
        return None
    return round(amount * MILLION)


def format_dollars(amount: int) -> str:
    """Format micro-dollars: `$0.005`, `$2.00`."""
    text = f"{amount / MILLION:.6f}".rstrip("0")
    whole, _, cents = text.partition(".")
    return f"${whole}.{cents.ljust(2, '0')}"
