"""Limits on calls: counters in the table, shared by all instances.

Windows begin at multiples of their length (UTC). A refused call is taken off all counters again, so that calls above
the limit of a minute do not use up the day. While the table fails, each process lets a tenth of each limit pass.

DynamoDB takes some 1,000 writes a second to one key, so counters of many calls are divided into shards, each with a
part of the limit. A call counts in a random shard, and goes on to the others only where that one is full: as many calls
pass as the limit allows, for one write each while there is room.
"""

import hashlib
import logging
import math
import random
import re
from datetime import UTC, datetime
from typing import NamedTuple

from cachetools import LRUCache, TTLCache

from assay.errors import Network, QuotaExceeded
from assay.settings import Settings
from assay.state.ports import TableStore

PORTED = re.compile(r"\[?([0-9.]+|(?<=\[)[0-9A-Fa-f:.]+)\]?:\d{1,5}")
UNITS = {1: "second", 60: "minute", 86_400: "day"}
OUTAGE_SHARE = 10  # of a limit, one process lets this part pass while the table fails
OUTAGE_COUNTERS, OUTAGE_SECONDS = 10_000, 86_400  # number of them, and how long they count
FULL_SECONDS = 1.0  # how long a process remembers that a shard is full: calls that are taken back make room
NO_SHARD = -1

log = logging.getLogger("assay")


class LimitRule(NamedTuple):
    """At most `allowed` calls under `key` in a window of `seconds`; 0 is no limit. `whose` is for messages.

    The counter has `shards`.
    """

    name: str
    key: str
    allowed: int
    seconds: int
    whose: str
    shards: int = 1

    def compute_share(self, shard: int) -> int:
        """The part of the limit that the shard counts."""
        return self.allowed // self.shards + (shard < self.allowed % self.shards)


class Quota(NamedTuple):
    """A limit, the calls counted so far, this one included, and when its window ends, in epoch seconds."""

    rule: LimitRule
    counted: int
    ends: float
    is_local: bool = False  # counted in this process, because the table failed
    shard: int = 0  # where it is counted; then `counted` is an estimate, unless it exceeds the limit

    @property
    def is_exceeded(self) -> bool:
        return self.counted > self.rule.allowed

    @property
    def left(self) -> int:
        return max(0, self.rule.allowed - self.counted)

    def compute_wait(self, now: float) -> int:
        """Whole seconds until the window has ended."""
        return max(1, math.ceil(self.ends - now))


class LimitCounters:
    """The counters of all limits: in the table and, while it fails, in this process."""

    def __init__(self, table: TableStore) -> None:
        self._table = table
        self._outage: TTLCache[tuple[str, int, int], int] = TTLCache(OUTAGE_COUNTERS, OUTAGE_SECONDS)
        # Shards that were full a moment ago: a flood above the limit costs no writes.
        self._full: LRUCache[tuple[str, int, int, int], float] = LRUCache(OUTAGE_COUNTERS)

    async def add(self, rule: LimitRule, amount: int, now: float) -> Quota:
        """Add to the calls counted in the rule's window of now; 0 only reads."""
        window = int(now // rule.seconds)
        ends = (window + 1.0) * rule.seconds
        try:
            if rule.shards > 1:
                return await self._add_to_shards(rule, amount, now)
            return Quota(rule, await self._add_to_table(rule, window, amount), ends)
        except Network as failure:
            log.warning("calls are counted in this process only: %s", failure.sentence())
            return Quota(rule, self._add_in_outage(rule, window, amount), ends, is_local=True)

    async def take_back(self, quota: Quota, amount: int) -> None:
        """Take calls off again where they were counted. Where the table fails meanwhile they stay counted."""
        if quota.shard == NO_SHARD:
            return
        window = round(quota.ends / quota.rule.seconds) - 1
        if quota.is_local:
            self._add_in_outage(quota.rule, window, -amount)
            return
        try:
            await self._add_to_table(quota.rule, window, -amount, quota.shard)
        except Network as failure:
            log.warning("a refused call stays counted: %s", failure.sentence())

    async def _add_to_shards(self, rule: LimitRule, amount: int, now: float) -> Quota:
        """Count in the first shard that has room; a call that none has room for is counted in none."""
        window = int(now // rule.seconds)
        ends = (window + 1.0) * rule.seconds
        if not amount:
            import asyncio

            read = (self._add_to_table(rule, window, 0, shard) for shard in range(rule.shards))
            return Quota(rule, sum(await asyncio.gather(*read)), ends)
        for shard in random.sample(range(rule.shards), rule.shards):
            place = rule.key, rule.seconds, window, shard
            if now < self._full.get(place, 0.0):
                continue
            counted = await self._add_to_table(rule, window, amount, shard)
            if counted <= rule.compute_share(shard):
                return Quota(rule, min(rule.allowed, counted * rule.shards), ends, shard=shard)
            self._full[place] = now + FULL_SECONDS
            await self._add_to_table(rule, window, -amount, shard)
        return Quota(rule, rule.allowed + amount, ends, shard=NO_SHARD)

    async def _add_to_table(self, rule: LimitRule, window: int, amount: int, shard: int = 0) -> int:
        kept = (window + 1.0) * rule.seconds + max(rule.seconds, 60)  # clocks of instances differ
        key = f"{rule.key}/#{shard}" if shard else rule.key  # no name of a tenant has this mark
        return await self._table.add(key, f"{rule.seconds}/{window}", amount, until=kept)

    def _add_in_outage(self, rule: LimitRule, window: int, amount: int) -> int:
        key = rule.key, rule.seconds, window
        self._outage[key] = counted = self._outage.get(key, 0) + amount
        return counted if counted <= max(1, rule.allowed // OUTAGE_SHARE) else rule.allowed + counted


def list_rules(settings: Settings, tenant: str, user: str) -> list[LimitRule]:
    """The limits that apply to a call of this user."""
    shards = settings.rate_limit_shards
    limits = (
        ("global-second", "calls-of-all", settings.rate_limit_global, 1, "all callers", shards),
        ("tenant-minute", f"calls/{tenant}", settings.rate_limit_per_tenant, 60, "the tenant", shards),
        ("tenant-day", f"calls/{tenant}", settings.daily_quota_per_tenant, 86_400, "the tenant", shards),
        ("user-day", f"calls-of-user/{tenant}/{user}", settings.max_calls_per_day, 86_400, "the user", 1),
    )
    return [
        LimitRule(name, key, allowed, seconds, whose, min(shards, allowed))
        for name, key, allowed, seconds, whose, shards in limits
        if allowed
    ]


async def count_call(
    counters: LimitCounters, settings: Settings, tenant: str, user: str, now: float
) -> tuple[Quota, ...]:
    """Count one call towards all limits and return their state. `check_quotas` refuses it where one is exceeded."""
    return await _count(counters, list_rules(settings, tenant, user), now)


async def count_poll(
    counters: LimitCounters, settings: Settings, tenant: str, user: str, now: float
) -> tuple[Quota, ...]:
    """Count one poll for a call in the background, and return the state of its limit. `check_quotas` refuses it."""
    if not settings.rate_limit_polls:
        return ()
    key = f"polls-of-user/{tenant}/{user}"
    rule = LimitRule("polls-minute", key, settings.rate_limit_polls, 60, "the user's polls")
    return await _count(counters, [rule], now)


async def read_quotas(
    counters: LimitCounters, settings: Settings, tenant: str, user: str, now: float
) -> tuple[Quota, ...]:
    """Return the state of all limits without counting a call."""
    return await _count(counters, list_rules(settings, tenant, user), now, amount=0)


async def count_request(counters: LimitCounters, rule: LimitRule, now: float, amount: int = 1) -> None:
    """Count requests towards one limit; with amount 0 only check it. Raises QuotaExceeded."""
    check_quotas(await _count(counters, [rule], now, amount), now)


async def check_address(counters: LimitCounters, settings: Settings, address: str, now: float) -> None:
    """Count one request of an IP address, before anybody is authenticated. Raises QuotaExceeded."""
    if settings.rate_limit_per_ip:
        hashed = hashlib.sha256(group_address(address).encode()).hexdigest()[:32]
        rule = LimitRule("ip-minute", f"requests/{hashed}", settings.rate_limit_per_ip, 60, "an IP address")
        await count_request(counters, rule, now)


def check_quotas(quotas: tuple[Quota, ...], now: float) -> None:
    """Raises QuotaExceeded with the limit and the time of its reset; of several limits, the one that lasts longest."""
    exceeded = [quota for quota in quotas if quota.is_exceeded]
    if not exceeded:
        return
    quota = max(exceeded, key=lambda quota: quota.ends)
    rule, ends = quota.rule, quota.ends
    wait = quota.compute_wait(now)
    reset = datetime.fromtimestamp(math.ceil(ends), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    raise QuotaExceeded(
        f"The limit of {rule.allowed} calls a {UNITS[rule.seconds]} for {rule.whose} is exceeded. "
        f"Wait {wait} seconds, until {reset}, and call again.",
        retry_after=wait,
        limit=rule.name,
        resets_at=reset,
    )


async def _count(counters: LimitCounters, rules: list[LimitRule], now: float, amount: int = 1) -> tuple[Quota, ...]:
    if not rules:
        return ()
    import asyncio

    quotas = tuple(await asyncio.gather(*(counters.add(rule, amount, now) for rule in rules)))
    if amount and any(quota.is_exceeded for quota in quotas):
        await asyncio.gather(*(counters.take_back(quota, amount) for quota in quotas))
    return quotas


def group_address(address: str) -> str:
    """The address without a port, which some proxies append; of IPv6 the network of 64 bits that a subscriber owns."""
    import ipaddress

    try:
        parsed = ipaddress.ip_address(ported[1] if (ported := PORTED.fullmatch(address)) else address)
    except ValueError:
        return address[:100]
    if isinstance(parsed, ipaddress.IPv6Address) and parsed.ipv4_mapped is None:
        return str(ipaddress.IPv6Network((parsed, 64), strict=False))
    return str(parsed.ipv4_mapped if isinstance(parsed, ipaddress.IPv6Address) else parsed)
