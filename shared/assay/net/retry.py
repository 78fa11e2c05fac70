"""Asking again: how often, and how long a server asks us to wait."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from assay.errors import ToolError

MOST = 3600  # seconds; who asks for more is not waited for anyway


def retry_after_seconds(headers: Mapping[str, str], now: datetime | None = None) -> int | None:
    """Whole seconds from 0 to 3600, None where the header is absent or junk. Names of headers are lower case."""
    value = headers.get("retry-after", "").strip()
    if value.isascii() and value.isdigit():
        return min(MOST, int(value[:12]))
    try:
        when = parsedate_to_datetime(value)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    if when.tzinfo is None:
        when = when.replace(tzinfo=UTC)
    wait = (when - (now or datetime.now(UTC))).total_seconds()
    return max(0, min(MOST, round(wait)))


class TransientError(Exception):
    """A fault that another try may not meet. `wait` is the seconds its server asks for, None where it asks for none."""

    def __init__(self, failure: ToolError, wait: int | None = None, *, late: bool = False) -> None:
        super().__init__(failure.message)
        self.failure, self.wait, self.late = failure, wait, late


@dataclass(frozen=True)
class RetryPolicy:
    """How often a question is put. `each` is the seconds of one try; `late`: a try that runs out of them is repeated;
    `patient`: a wait that the server asks for is kept, where it ends before the call does.
    """

    count: int = 2
    each: float | None = None
    late: bool = False
    patient: bool = False

    async def run[T](
        self,
        ask: Callable[[], Awaitable[T]],
        *,
        pause: float,
        until: float,
        again: Callable[[], None] = lambda: None,
    ) -> T:
        """What `ask` answers; `until` is when the call ends (loop's clock). Raises the last failure.

        `again` is called before each further try.

        The pauses double and are never alike, so that callers who failed together do not come back together.
        """
        for number in range(1, self.count + 1):
            try:
                return await ask()
            except TransientError as fault:
                wait = pause * 2 ** (number - 1) * random.uniform(0.5, 1.5)
                if fault.wait:
                    wait = fault.wait + random.uniform(0, min(pause, 1))
                if number == self.count or not self._worth(fault, wait, until):
                    raise fault.failure from None
            await asyncio.sleep(wait)
            again()
        raise AssertionError("a question is put once at least")

    def _worth(self, fault: TransientError, wait: float, until: float) -> bool:
        if (fault.wait and not self.patient) or (fault.late and not self.late):
            return False
        return not fault.wait or asyncio.get_running_loop().time() + wait < until
