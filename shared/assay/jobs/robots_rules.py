"""robots.txt for pages that are read on a schedule: as in crawls, its rules and its crawl delay count."""

import asyncio
from collections import defaultdict

from assay.crawl.politeness import HostSlots, OriginRules, parse_rules
from assay.errors import Blocked, ToolError, UpstreamFailed
from assay.net.guarded_client import Fetched
from assay.net.urls import parse_url
from assay.services import Services
from assay.text.robots_txt import MAX_BYTES
from assay.work_queue.work_timing import DEFAULT_TIMING as CRAWL

SECONDS = 10.0
EXCLUDED = (
    "The robots.txt of {} excludes this page from reading on a schedule. monitor_query_check reads it when you ask; or "
    "ask the site to allow Assay."
)
UNKNOWN = "The page was not read: {} The check is repeated later."


class RobotsRules:
    """The robots.txt of each origin, fetched once in a run."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._rules: dict[str, OriginRules] = {}
        self._fetching: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)  # by origin

    async def check(self, url: str, slots: HostSlots) -> None:
        """Apply the crawl delay of the page's site. Raises Blocked for a page that its robots.txt excludes,
        UpstreamFailed if it cannot be fetched."""
        at = parse_url(url)
        origin = f"{at.scheme}://{at.authority}"
        async with self._fetching[origin]:
            if origin not in self._rules:
                self._rules[origin] = parse_rules(await self._fetch(f"{origin}/robots.txt"))
        rules = self._rules[origin]
        slots.delay = max(slots.delay, min(rules.delay, CRAWL.longest_delay))
        if rules.fault:
            raise UpstreamFailed(UNKNOWN.format(rules.fault))
        if not rules.allow(at.url):
            raise Blocked(EXCLUDED.format(at.host))

    async def _fetch(self, url: str) -> Fetched | ToolError:
        try:
            return await self._services.web.fetch(url, cap=MAX_BYTES + 1, seconds=SECONDS)
        except ToolError as failure:
            return failure
