"""Rate limit and daily quota of a tenant: counters in the table, shared by all instances."""

from datetime import UTC, datetime

from assay.errors import RateLimited
from assay.settings import Settings
from assay.state.ports import TableStore


def is_limited(settings: Settings) -> bool:
    """Whether a rate limit or a quota is configured."""
    return bool(settings.rate_limit_per_tenant or settings.daily_quota_per_tenant)


async def check_quota(table: TableStore, settings: Settings, tenant: str, now: float) -> None:
    """Count one call. Raises RateLimited, with the seconds to wait, above the limit of the minute or day."""
    minute, day = int(now // 60), datetime.fromtimestamp(now, UTC).date()
    limits = [
        (settings.rate_limit_per_tenant, f"minute/{minute}", 60 - int(now % 60), 120, "a minute"),
        (settings.daily_quota_per_tenant, f"day/{day}", 86_400 - int(now % 86_400), 172_800, "a day"),
    ]
    limits = [limit for limit in limits if limit[0]]
    if not limits:
        return
    import asyncio

    counts = await asyncio.gather(
        *(table.add(f"calls/{tenant}", sort, until=now + keep) for _, sort, _, keep, _ in limits)
    )
    for (allowed, _, wait, _, unit), counted in zip(limits, counts, strict=True):
        if counted > allowed:
            raise RateLimited(
                f"The limit of {allowed} calls {unit} is exceeded. Wait {wait} seconds and call again.",
                retry_after=wait,
            )
