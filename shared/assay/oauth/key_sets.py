"""Key sets (JWKS, RFC 7517) of issuers that the operator configured, kept in memory and fetched again in time."""

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from assay.errors import Network, ToolError

UNKNOWN_KEY_PAUSE = 60.0  # seconds between fetches that tokens with unknown keys may cause
FAILED_PAUSE = 2.0  # seconds between fetches while there is no key set at all
STALE_SECONDS = 86_400.0  # how long keys are used while their issuer cannot be reached

type KeySet = dict[str, Any]


@dataclass
class KeySetCache:
    """The key set that `fetch` returns, renewed every `seconds`, or when a token names a key that it lacks.

    While the issuer cannot be reached, the last set is used for `stale_seconds`.
    """

    fetch: Callable[[], Awaitable[KeySet]]
    seconds: float
    clock: Callable[[], float] = time.monotonic
    stale_seconds: float = STALE_SECONDS  # since the last fetch; at least `seconds`
    _keys: KeySet | None = field(default=None, repr=False)
    _fetched = float("-inf")
    _tried = float("-inf")

    async def get(self, *, renew: bool = False) -> KeySet:
        """The key set; with `renew` a fresh one, unless it was asked for a moment ago. Raises ToolError without one."""
        now = self.clock()
        pause = FAILED_PAUSE if self._keys is None else UNKNOWN_KEY_PAUSE
        is_due = self._keys is None or now - self._fetched >= self.seconds or renew
        if is_due and now - self._tried >= pause:
            self._tried = now
            try:
                self._keys = await self.fetch()
            except ToolError:
                if self._keys is None or now - self._fetched > max(self.seconds, self.stale_seconds):
                    self._keys = None
                    raise
            else:
                self._fetched = now
        if self._keys is None:
            raise Network(
                "The keys of the token's issuer could not be fetched a moment ago. Call again.", retry_after=5
            )
        return self._keys
