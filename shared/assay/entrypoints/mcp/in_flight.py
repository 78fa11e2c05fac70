"""Tracks the requests in progress, so that `notifications/cancelled` can cancel one."""

import asyncio
from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

CANCELLED = "notifications/cancelled"

type Work = asyncio.Future[Any]


class InFlight:
    """Requests in progress by client and id. Clients choose ids, so two clients often use the same one."""

    def __init__(self) -> None:
        self._works: defaultdict[tuple[Hashable, type, int | str], list[Work]] = defaultdict(list)

    @contextmanager
    def track(self, client: Hashable, identity: int | str | None, work: Work) -> Iterator[None]:
        """Track the work for the duration of the block."""
        if identity is None:
            yield
            return
        key = (client, type(identity), identity)
        self._works[key].append(work)
        try:
            yield
        finally:
            self._works[key].remove(work)
            if not self._works[key]:
                del self._works[key]

    def cancel(self, client: Hashable, params: Mapping[str, Any]) -> None:
        """Cancel the request that the notification names. If two share the id, cancel neither: it is ambiguous."""
        identity = params.get("requestId")
        if isinstance(identity, bool) or not isinstance(identity, int | str):
            return
        works = self._works.get((client, type(identity), identity), ())
        if len(works) == 1:
            works[0].cancel()
