"""Retries with exponential backoff, and the Retry-After header."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from assay.errors import ToolError

MAX_WAIT = 3600  # seconds


def retry_after_seconds(headers: Mapping[str, str], now: datetime | None = None) -> int | None:
    """The Retry-After header in seconds, 0 to 3600; None if absent or invalid. Header names are lower case."""
    value = headers.get("retry-after", "").strip()
    if value.isascii() and value.isdigit():
        return min(MAX_WAIT, int(value[:12]))
    try:
        when = parsedate_to_datetime(value)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    if when.tzinfo is None:
        when = when.replace(tzinfo=UTC)
    wait = (when - (now or datetime.now(UTC))).total_seconds()
    return max(0, min(MAX_WAIT, round(wait)))


class TransientError(Exception):
    """An error that a retry may fix. `wait` is the delay in seconds that the server requests, or None."""

    def __init__(self, failure: ToolError, wait: int | None = None, *, late: bool = False) -> None:
        super().__init__(failure.message)
        self.failure, self.wait, self.late = failure, wait, late


@dataclass(frozen=True)
class RetryPolicy:
    """`count` tries of at most `each` seconds. `late` also retries after a time-out; `patient` waits as long as the
    server requests, if that ends before the deadline.
    """

    count: int = 2
    each: float | None = None
    late: bool = False
    patient: bool = False

    async def run[T](
        self,
        attempt: Callable[[], Awaitable[T]],
        *,
        pause: float,
        until: float,
        on_retry: Callable[[], None] = lambda: None,
    ) -> T:
        """The result of `attempt`, retried before `until` (event loop's clock). Raises the last failure.

        `on_retry` is called before each retry. The pauses double, with jitter, so that callers do not retry in step.
        """
        for number in range(1, self.count + 1):
            try:
                return await attempt()
            except TransientError as error:
                wait = pause * 2 ** (number - 1) * random.uniform(0.5, 1.5)
                if error.wait:
                    wait = error.wait + random.uniform(0, min(pause, 1))
                if number == self.count or not self._should_retry(error, wait, until):
                    raise error.failure from None
            await asyncio.sleep(wait)
            on_retry()
        raise AssertionError("count is at least 1")

    def _should_retry(self, error: TransientError, wait: float, until: float) -> bool:
        if (error.wait and not self.patient) or (error.late and not self.late):
            return False
        return not error.wait or asyncio.get_running_loop().time() + wait < until
