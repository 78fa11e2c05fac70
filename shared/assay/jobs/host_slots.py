"""Request slots per host, shared with all processes and crawls."""

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from assay.crawl.politeness import HostSlots
from assay.crawl.scope import site_of
from assay.jobs.job_timing import JobTiming
from assay.net.urls import parse_url
from assay.services import Services
from assay.work_queue.work_timing import DEFAULT_TIMING as CRAWL


class Hosts:
    """The host slots of one run."""

    def __init__(self, services: Services, timing: JobTiming) -> None:
        self._services, self._timing = services, timing
        self._slots: dict[str, HostSlots] = {}
        self._name = f"job/{secrets.token_hex(8)}"

    @asynccontextmanager
    async def acquire(self, url: str, *, delay: float = 0.0, patience: float | None = None) -> AsyncIterator[HostSlots]:
        """Hold one slot of the host, and keep the host idle for `delay` seconds afterwards.

        Raises HostBusy if none is free in time, InvalidInput for an invalid URL.
        """
        host = site_of(parse_url(url)).name
        slots = self._slots.get(host)
        if slots is None:
            limit = self._services.settings.crawl_per_host
            slots = HostSlots(self._services.table, self._services.clock, CRAWL, limit, self._name, delay)
            self._slots[host] = slots
        async with slots.acquire(host, self._timing.patience if patience is None else patience):
            yield slots

    def slow_down(self, slots: HostSlots) -> None:
        """Record that the host asked for fewer requests."""
        slots.delay = max(slots.delay, self._timing.asked_to_wait)
