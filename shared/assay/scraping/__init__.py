"""The ladder: tiers from cheap to dear, climbed until one gives a page worth reading."""

import asyncio
import time
from collections.abc import Callable
from typing import Literal

from assay.errors import Network, ToolError
from assay.net.http import Http
from assay.net.urls import canonical
from assay.net.web import Fetched, Web
from assay.ports import Browser
from assay.scraping import bodies, sites, verdicts
from assay.scraping.page import Page
from assay.scraping.verdicts import FINAL, Failure
from assay.settings import Settings

# One request for whichever form the site has: markdown where it is offered, the page otherwise.
ACCEPT = "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, application/pdf;q=0.8, */*;q=0.7"
BROWSER_ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"
PLAIN_SECONDS, STEALTH_SECONDS = 15.0, 20.0

type Mode = Literal["read", "raw"]


class Ladder:
    """Reads pages. Keeps no page itself: whoever asks keeps what it reads."""

    def __init__(
        self,
        settings: Settings,
        web: Web,
        http: Http,
        browser: Browser | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._settings = settings
        self._web = web
        self._http = http
        self._browser = browser
        self._clock = clock
        self._slots = asyncio.Semaphore(settings.scrape_concurrency)

    async def read(self, url: str, mode: Mode = "read") -> Page:
        """The page at `url`. Raises a ToolError that says how each tier fared when none could read it."""
        url = canonical(url)
        async with self._slots:
            if mode == "read" and (route := sites.route(url)) is not None:
                page = await self._by_route(route, url)
                if page is not None:
                    return page
            return await self._climb(url, mode)

    async def _by_route(self, route: "sites.Route", url: str) -> Page | None:
        """What the site's own interface says; None sends the caller up the ladder."""
        try:
            return await route(url, sites.Means(self._web, self._http, self._settings, self._clock))
        except FINAL:
            raise
        except ToolError:
            return None

    async def _climb(self, url: str, mode: Mode) -> Page:
        failures: list[Failure] = []
        candidates: list[Page] = []
        for tier in (self._plain, self._stealth, self._rendered):
            try:
                page = await tier(url, mode)
            except ToolError as error:
                failures.append(Failure(tier.__name__.strip("_"), error))
                if isinstance(error, FINAL):
                    break
                continue
            if page is None:
                continue
            if page.quality == "complete":
                return page
            candidates.append(page)
        if candidates:
            return max(candidates, key=lambda page: len(page.content))
        raise verdicts.composite(failures)

    async def _plain(self, url: str, mode: Mode) -> Page | None:
        fetched = await self._fetch(url, ACCEPT, PLAIN_SECONDS, stealth=False)
        return await self._page(fetched, mode, "html")

    async def _stealth(self, url: str, mode: Mode) -> Page | None:
        fetched = await self._fetch(url, BROWSER_ACCEPT, STEALTH_SECONDS, stealth=True)
        return await self._page(fetched, mode, "stealth")

    async def _rendered(self, url: str, mode: Mode) -> Page | None:
        if self._browser is None:
            return None
        rendered = await self._browser.render(url, settle=bodies.settle_seconds(url), seconds=30)
        headers = {"content-type": "text/html; charset=utf-8"}
        fetched = Fetched(rendered.url, rendered.status, headers, rendered.html.encode(), truncated=False, hops=0)
        return await self._page(fetched, mode, "browser")

    async def _fetch(self, url: str, accept: str, seconds: float, *, stealth: bool) -> Fetched:
        cap = self._settings.max_html_bytes
        if bodies.looks_like_document(url):
            cap = self._settings.max_document_bytes
        fetched = await self._web.fetch(url, accept=accept, cap=cap, seconds=seconds, stealth=stealth)
        if fetched.truncated and bodies.is_document(fetched) and cap < self._settings.max_document_bytes:
            cap = self._settings.max_document_bytes
            fetched = await self._web.fetch(url, accept=accept, cap=cap, seconds=30, stealth=stealth)
        return fetched

    async def _page(self, fetched: Fetched, mode: Mode, tier: str) -> Page:
        error = verdicts.refusal(fetched, bodies.retry_after(fetched))
        if error is not None and isinstance(error, Network) and bodies.is_wall(fetched):
            error = verdicts.blocked(fetched.url)
        if error is not None:
            raise error
        if mode == "raw":
            return bodies.raw(fetched, tier)
        return await bodies.read(fetched, tier, self._settings)
