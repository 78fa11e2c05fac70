"""What calls may cost, in micro-dollars: reserved before a provider is asked, settled when its bill is known."""

import logging
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from assay.errors import ConfigError, Network, RateLimited, Refused, ToolError, UpstreamFailed
from assay.settings import Settings
from assay.state.ports import TableStore

if TYPE_CHECKING:  # paid for by those who share a budget
    import asyncio

log = logging.getLogger("assay")

MILLION = 1_000_000
DAY = 86_400  # seconds
KEPT = 2 * DAY  # that a day's sum is kept
SURCHARGE = 10  # times its likely amount that a request holds while others are under way


class BudgetExhausted(RateLimited):
    """The tenant's budget of the day is used up; the provider has not been asked."""


class CostLimitExceeded(ConfigError):
    """The request would cost more than one call may; the provider has not been asked."""


@dataclass
class Bill:
    """What a request costs: its price until the provider says otherwise. `failed` is what earlier tries may cost."""

    amount: int
    failed: int = 0

    @property
    def total(self) -> int:
        return self.amount + self.failed

    def add_failed_try(self, amount: int) -> None:
        """A try failed and is repeated: it may have been served and billed all the same."""
        self.failed += amount

    def came_to(self, amount: int | None) -> None:
        """What the provider says it was; None where it says nothing."""
        if amount is not None:
            self.amount = amount


class Ledger:
    """Who has spent how much on which day, for every instance in one table. One a process."""

    def __init__(self, table: TableStore, settings: Settings, clock: Callable[[], float]) -> None:
        self._table, self._settings, self._clock = table, settings, clock
        self._dearest: dict[tuple[str, int], int] = {}  # bill so far, by provider and list price
        self._tried: set[tuple[str, int]] = set()
        self._first: dict[tuple[str, int], asyncio.Lock] = {}
        self._turns: dict[str, asyncio.Lock] = {}  # by tenant

    def purse(self, tenant: str) -> "CallBudget":
        return CallBudget(self, tenant, self._settings.max_call_cost)

    @property
    def is_limited(self) -> bool:
        return self._settings.daily_budget is not None

    def likely(self, provider: str, price: int) -> int:
        """The list price, until the provider's own bills are known."""
        return self._dearest.get((provider, price), price)

    @asynccontextmanager
    async def in_turn(self, provider: str, price: int) -> AsyncIterator[None]:
        """Under a daily budget the first request goes alone: its bill tells what the others will cost."""
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
        self._dearest[provider, price] = max(amount, self._dearest.get((provider, price), 0))

    @asynccontextmanager
    async def reserve_amount(self, tenant: str, provider: str, amount: int) -> AsyncIterator[tuple[str, int]]:
        """Hold the amount of what the tenant has left today; gives back the day and what is held. Raises Spent.

        A bill may be above every one before it. As long as there is room each request holds SURCHARGE times its amount;
        where there is not, requests go one at a time. So bills below that overspend the day by one request at most.
        """
        budget, now = self._settings.daily_budget, self._clock()
        day = datetime.fromtimestamp(now, UTC).date().isoformat()
        if budget is None or not amount:
            yield day, 0
            return
        import asyncio

        async with AsyncExitStack() as turn:
            await turn.enter_async_context(self._turns.setdefault(tenant, asyncio.Lock()))
            held = amount * SURCHARGE
            if await self._hold(tenant, day, held, budget):
                await turn.aclose()  # others may go beside it
            else:
                held = amount + budget  # more than there is, so that nobody goes beside it in any instance
                if not await self._hold(tenant, day, held, budget + budget):
                    raise _exhausted_error(provider, amount, budget, now)
            yield day, held

    async def _hold(self, tenant: str, day: str, amount: int, most: int) -> bool:
        """Whether the amount fits below `most`; it is held then."""
        if await self.add(tenant, day, amount) <= most:
            return True
        await self.add(tenant, day, -amount)
        return False

    async def add(self, tenant: str, day: str, amount: int) -> int:
        """The tenant's sum of the day after `amount` more."""
        return await self._table.add(f"spent/{tenant}", day, amount, until=self._clock() + KEPT)


def _may_be_billed(failure: ToolError) -> bool:
    """A request that was refused costs nothing; one that failed may have been served and billed all the same."""
    return isinstance(failure, Network | UpstreamFailed) and not isinstance(failure, Refused)


def _exhausted_error(provider: str, amount: int, budget: int, now: float) -> BudgetExhausted:
    wait = DAY - int(now % DAY)
    return BudgetExhausted(
        f"Today's budget of {dollars(budget)} has no room for {dollars(amount)}, so {provider} was not asked. "
        f"It begins anew at 00:00 UTC, in {wait} seconds; ASSAY_DAILY_BUDGET_USD sets it.",
        provider=provider,
        retry_after=wait,
        action="try_different_provider",
    )


class CallBudget:
    """What one call may spend, and has spent."""

    def __init__(self, ledger: Ledger, tenant: str, most: int | None) -> None:
        self._ledger, self._tenant, self._most = ledger, tenant, most
        self._held = 0
        self.spent = 0
        self.providers: list[str] = []  # who was paid
        self.asked: dict[str, tuple[int, int]] = {}  # by provider: requests, and those answered

    @contextmanager
    def open(self) -> Iterator["CallBudget"]:
        """Whatever is asked inside is paid from this purse."""
        token = _PURSE.set(self)
        try:
            yield self
        finally:
            _PURSE.reset(token)

    @contextmanager
    def counting(self, provider: str) -> Iterator[None]:
        """One request more, answered when nothing is raised."""
        requests, answered = self.asked.get(provider, (0, 0))
        self.asked[provider] = requests + 1, answered
        yield
        requests, answered = self.asked[provider]
        self.asked[provider] = requests, answered + 1

    @asynccontextmanager
    async def paying(self, provider: str, price: int) -> AsyncIterator[Bill]:
        async with self._ledger.in_turn(provider, price):
            amount = self._ledger.likely(provider, price)
            self._afford(provider, amount)
            self._held += amount
            try:
                async with self._ledger.reserve_amount(self._tenant, provider, amount) as (day, held):
                    bill = Bill(amount)
                    try:
                        yield bill
                        self._ledger.record_price(provider, price, bill.amount)
                    except ToolError as failure:
                        if not _may_be_billed(failure):
                            bill.amount = 0
                        raise
                    finally:
                        await self._settle(provider, day, held, bill.total)
            finally:
                self._held -= amount

    def _afford(self, provider: str, amount: int) -> None:
        total = self.spent + self._held + amount
        if self._most is not None and total > self._most:
            raise CostLimitExceeded(
                f"A call may cost {dollars(self._most)}, and with {provider} this one would cost {dollars(total)}. "
                "Use another provider, or raise ASSAY_MAX_CALL_COST_USD.",
                provider=provider,
            )

    async def _settle(self, provider: str, day: str, held: int, amount: int) -> None:
        self.spent += amount
        if amount and provider not in self.providers:
            self.providers.append(provider)
        if amount != held and self._ledger.is_limited:
            try:
                await self._ledger.add(self._tenant, day, amount - held)
            except ToolError as failure:  # what was reserved stands; the answer that was paid must not be lost
                log.warning("The bill of %s could not be settled: %s", provider, failure)

    @property
    def dollars(self) -> float | None:
        """What the call has cost in dollars, None where it cost nothing."""
        return self.spent / MILLION or None


# Who pays is no part of any question: carried in one, it would part equal questions in the cache.
_PURSE: ContextVar[CallBudget | None] = ContextVar("purse", default=None)


@asynccontextmanager
async def spending(provider: str, price: int) -> AsyncIterator[Bill]:
    """Around a request that costs `price`, paid by the call it belongs to. Raises Spent or TooDear before it."""
    purse = _PURSE.get()
    if purse is None:
        yield Bill(price)
        return
    with purse.counting(provider):
        if not price:
            yield Bill(price)
            return
        async with purse.paying(provider, price) as bill:
            yield bill


def micro(amount: object) -> int | None:
    """Dollars as a provider tells them, in micro-dollars; None for what is no amount."""
    if isinstance(amount, bool) or not isinstance(amount, int | float) or not 0 <= amount < MILLION:
        return None
    return round(amount * MILLION)


def dollars(amount: int) -> str:
    """`$0.005`, `$2.00`"""
    text = f"{amount / MILLION:.6f}".rstrip("0")
    whole, _, cents = text.partition(".")
    return f"${whole}.{cents.ljust(2, '0')}"
