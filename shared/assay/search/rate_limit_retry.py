"""Waits for short rate limits of the last provider instead of raising them."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from assay.errors import RateLimited
from assay.models.common import Input
from assay.net.provider_client import WAIT_DEFAULT
from assay.net.throttle import BURST_SECONDS
from assay.provider_base.provider import LocalQueueFull, Provider
from assay.provider_base.results import Hits

MAX_RETRY_AFTER = 2  # seconds of Retry-After that are waited for when no other provider is left

type Operation[Ask: Input] = Callable[[Provider, Ask], Awaitable[Hits[Any]]]  # performs an operation at one provider


async def retry_rate_limited[Ask: Input](source: Provider, query: Ask, perform: Operation[Ask]) -> Hits[Any]:
    """The last provider's answer: a short rate limit is waited for instead of raised."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + source.queue_seconds
    while True:
        try:
            return await perform(source, query)
        except LocalQueueFull:
            raise
        except RateLimited as refused:
            wait = _retry_delay(refused, source)
            if wait is None or loop.time() + wait > deadline:
                raise
            source.throttle.slow_down(wait)


def _retry_delay(refused: RateLimited, source: Provider) -> float | None:
    """Seconds to wait before a retry; None if a retry is not worth the wait."""
    if refused.retry_after and refused.retry_after <= MAX_RETRY_AFTER:
        return float(refused.retry_after)
    # Without Retry-After: if we sent a burst of requests, the burst is the likely cause.
    return BURST_SECONDS if refused.retry_after == WAIT_DEFAULT and source.throttle.is_hurried else None
