"""Tiered scraper: tries tiers from cheap to expensive until one yields a usable page."""

import asyncio
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from assay.errors import BrowserUnavailable, ContentEmpty, Network, ToolError
from assay.net import ip_policy
from assay.net.exceptions import Unreachable
from assay.net.guarded_client import Fetched, GuardedClient
from assay.net.provider_client import ProviderClient
from assay.net.urls import canonicalize_url, parse_url
from assay.scraping import error_mapping, html_page, iframes, response_parser, site_registry, slow_sites
from assay.scraping.caller_slots import Slots
from assay.scraping.error_mapping import FINAL
from assay.scraping.page import Page, TierReading
from assay.scraping.parse_executor import INLINE, ParseExecutor
from assay.scraping.tier_outcomes import (
    Mode,
    ScrapeTier,
    TierOutcome,
    choose_best,
    choose_longer,
    to_refusal,
    to_third_party_outcome,
)
from assay.settings import Settings
from assay.state.concurrent_map import map_concurrently
from assay.state.ports import Browser

if TYPE_CHECKING:  # imported late: not every call needs them
    from assay.scraping.crawl_fetch import CrawlVisit
    from assay.scraping.snapshot_content import PageSnapshot
    from assay.scraping.snapshots import FetchMode

# Prefers Markdown where the site offers it.
ACCEPT = "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, application/pdf;q=0.8, */*;q=0.7"
BROWSER_ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"
PLAIN_SECONDS, STEALTH_SECONDS, BROWSER_SECONDS, DOCUMENT_SECONDS = 15.0, 20.0, 30.0, 30.0
NO_CHROME = "No browser is configured here to run its scripts: install Chromium or set CHROME_PATH."
NO_FUNCTION = "No browser function is deployed to run its scripts: deploy it and set ASSAY_BROWSER."
RESERVE_SECONDS = 1.5  # before the caller's deadline, in which no tier is started


class TieredScraper:
    """Reads pages; caching is up to the caller."""

    def __init__(
        self,
        settings: Settings,
        web: GuardedClient,
        http: ProviderClient,
        browser: Browser | None = None,
        clock: Callable[[], float] = time.time,
        readers: ParseExecutor | None = None,
    ) -> None:
        self._settings = settings
        self._readers = readers or INLINE
        self._web = web
        self._http = http
        self._browser = browser
        self._context = site_registry.SiteContext(web, http, settings, clock)
        self._caller = ""
        self._slots = Slots(settings.scrape_concurrency)

    def on_behalf_of(self, caller: str) -> "TieredScraper":
        """The same scraper for one caller, which shares slots and executor fairly with the others."""
        own = object.__new__(TieredScraper)
        own.__dict__.update(self.__dict__, _readers=self._readers.on_behalf_of(caller), _caller=caller)
        return own

    async def read(self, url: str, mode: Mode = "read", *, seconds: float = 60.0) -> Page:
        """Return the best version of the page at `url` that is available within `seconds`.

        Raises a ToolError that describes each tier's failure if none could read it.
        """
        url = canonicalize_url(url)
        until = asyncio.get_running_loop().time() + seconds - RESERVE_SECONDS
        async with self._slots.acquire(self._caller):
            if mode == "raw":
                return await self._run_tiers(url, mode, until)
            page = await self._read_from_api(url) or await self._run_tiers(url, mode, until)
        from assay.scraping.retractions import check_retraction

        return await check_retraction(page, self._http, self._settings)

    async def visit(
        self, url: str, *, render: bool = False, within: Callable[[str], bool] | None = None
    ) -> "CrawlVisit":
        """Read one page of any status with its links, by one request or one rendering, without other tiers.

        A redirect to a URL that is not `within` is not followed. Raises a ToolError if there is no response.
        """
        from assay.scraping import crawl_fetch

        url = canonicalize_url(url)
        async with self._slots.acquire(self._caller):
            fetched = await (self._fetch_rendered(url) if render else self._fetch(url, within=within))
            return await crawl_fetch.read(fetched, "browser" if render else "html", self._settings, self._readers)

    async def fetch_snapshot(
        self, url: str, mode: "FetchMode" = "smart", *, markup: bool = False, seconds: float = 60.0
    ) -> "PageSnapshot":
        """Read the page at `url` of any status: `static` by a request, `dynamic` by a browser, `smart` by either.

        Raises a ToolError if there is no response, BrowserUnavailable for `dynamic` without a browser.
        """
        from assay.scraping.snapshots import SnapshotReader

        url = canonicalize_url(url)
        render = self._fetch_rendered if self._browser else None
        async with self._slots.acquire(self._caller):
            reader = SnapshotReader(self._fetch, render, self._context, self._settings, self._readers)
            return await reader.fetch_snapshot(url, mode, markup=markup, seconds=seconds - RESERVE_SECONDS)

    async def _read_from_api(self, url: str) -> Page | None:
        """Read the page through the site's API; None if there is none or it fails."""
        route = site_registry.route(url)
        try:
            return await route(url, self._context) if route else None
        except FINAL:
            raise
        except ToolError:
            return None

    async def _run_tiers(self, url: str, mode: Mode, until: float) -> Page:
        """The best page of all tiers; if no browser is configured, incomplete results advise to configure one."""
        if self._browser is not None:
            return await self._try_tiers(url, mode, until)
        advice = NO_FUNCTION if self._settings.table_name else NO_CHROME
        try:
            page = await self._try_tiers(url, mode, until)
        except ContentEmpty as failure:
            failure.hint = failure.hint or advice
            raise
        if page.quality == "partial" and page.access_note != html_page.PAID:
            page.access_note = f"{page.access_note or ''} {advice}".strip()
        return page

    async def _try_tiers(self, url: str, mode: Mode, until: float) -> Page:
        outcomes = [await self._try(ScrapeTier("html", "none", self._fetch_plain), url, mode)]
        if outcomes[0].lacks and self._browser is not None:
            rendered = await self._try_before(ScrapeTier("browser", "again", self._render_outcome), url, mode, until)
            return choose_longer(outcomes[0], rendered)
        for tier in await self._list_further_tiers(outcomes[0], url, mode):
            hope = outcomes[-1].hope
            if hope == "none":
                break
            if asyncio.get_running_loop().time() >= until:
                return choose_best(outcomes, hurried=True)
            if hope == "again" or tier.requires == hope:
                outcomes.append(await self._try_before(tier, url, mode, until))
        return choose_best(outcomes)

    async def _list_further_tiers(self, first: TierOutcome, url: str, mode: Mode) -> list[ScrapeTier]:
        """The tiers after the first, in order; the browser comes first for a page that is rendered by scripts."""
        if first.hope == "none":
            return []
        tiers = [ScrapeTier("stealth", "again", self._fetch_stealth)]
        if self._browser is not None:
            tiers.insert(0 if first.page else 1, ScrapeTier("browser", "again", self._render_outcome))
        if mode == "read" and await self._is_public(url):
            if self._settings.jina_reader:
                tiers.append(ScrapeTier("jina", "elsewhere", self._read_jina, own=False))
            if self._settings.key("EXA_API_KEY"):
                tiers.append(ScrapeTier("exa", "elsewhere", self._read_exa, own=False))
        return tiers

    async def _try_before(self, tier: ScrapeTier, url: str, mode: Mode, until: float) -> TierOutcome:
        """Run a tier, cancelled at `until`, so that the results so far can still be returned."""
        try:
            async with asyncio.timeout_at(until):
                return await self._try(tier, url, mode)
        except TimeoutError:
            late = error_mapping.add_tier_note(
                Network(f"There was not enough time to read {url}.", retry_after=5), "out of time"
            )
            late.out_of_time = True
            return TierOutcome(tier.name, error=late, own=tier.own)

    async def _try(self, tier: ScrapeTier, url: str, mode: Mode) -> TierOutcome:
        try:
            return await tier.read(url, mode)
        except ToolError as error:
            hope = error_mapping.choose_escalation(error) if tier.own else "elsewhere"
            return TierOutcome(tier.name, error=error, hope=hope, own=tier.own)

    async def _fetch_plain(self, url: str, mode: Mode) -> TierOutcome:
        return await self._to_outcome(await self._fetch(url), mode, "html")

    async def _fetch_stealth(self, url: str, mode: Mode) -> TierOutcome:
        return await self._to_outcome(await self._fetch(url, stealth=True), mode, "stealth")

    async def _render_outcome(self, url: str, mode: Mode) -> TierOutcome:
        return await self._to_outcome(await self._fetch_rendered(url), mode, "browser")

    async def _fetch_rendered(self, url: str) -> Fetched:
        """Render the page in the browser. Raises BrowserUnavailable without one."""
        if self._browser is None:
            raise BrowserUnavailable("No browser is configured to render pages.")
        rendered = await self._browser.render(url, settle=slow_sites.settle_seconds(url), seconds=BROWSER_SECONDS)
        return response_parser.to_fetched(rendered)

    async def _read_jina(self, url: str, _: Mode) -> TierOutcome:
        from assay.scraping import jina_reader

        return to_third_party_outcome("jina", await jina_reader.read(url, self._context))

    async def _read_exa(self, url: str, _: Mode) -> TierOutcome:
        from assay.scraping import exa_contents

        return to_third_party_outcome("exa", await exa_contents.read(url, self._context))

    async def _is_public(self, url: str) -> bool:
        """Whether the URL is on the public internet; private URLs must not be disclosed to third parties."""
        try:
            at = await self._web.guard.check(url)
        except ToolError:
            return False
        return not any(ip_policy.find_violation(address) for address in at.addresses)

    async def _fetch(self, url: str, *, stealth: bool = False, within: Callable[[str], bool] | None = None) -> Fetched:
        accept, seconds = (BROWSER_ACCEPT, STEALTH_SECONDS) if stealth else (ACCEPT, PLAIN_SECONDS)
        small, large = self._settings.max_html_bytes, self._settings.max_document_bytes
        if response_parser.looks_like_document(url):
            small, seconds = large, DOCUMENT_SECONDS
        fetched = await self._web.fetch(url, accept=accept, cap=small, seconds=seconds, stealth=stealth, within=within)
        if fetched.truncated and small < large and response_parser.is_document(fetched):
            seconds = DOCUMENT_SECONDS
            fetched = await self._web.fetch(
                url, accept=accept, cap=large, seconds=seconds, stealth=stealth, within=within
            )
        if fetched.broken and not fetched.body:
            host = parse_url(fetched.url).host
            raise Unreachable(f"{host} ended its response before the body.", "reset")
        return fetched

    async def _to_outcome(self, fetched: Fetched, mode: Mode, tier: str) -> TierOutcome:
        if refused := to_refusal(fetched, tier):
            return refused
        if mode == "raw":
            page = response_parser.build_raw_page(fetched, tier)
            page.left_https = fetched.left_https
            return TierOutcome(tier, page)
        try:
            read = await response_parser.read(fetched, tier, self._settings, self._readers)
            read.page.left_https = fetched.left_https
            read = await self._follow_frames(read, tier)
        except ToolError as error:
            hope = (
                "none" if response_parser.detect_kind(fetched) else error_mapping.choose_escalation(error)
            )  # other tiers would get the same broken document
            return TierOutcome(tier, error=error, hope=hope)
        return TierOutcome(tier, read.page, hope="none" if read.enough else "again", lacks=read.lacks)

    async def _follow_frames(self, read: TierReading, tier: str) -> TierReading:
        """Follow an immediate refresh, and read the frames of a page with little content (one level)."""
        if read.onward:
            read = await self._read_linked(read.onward, tier)
        if not read.enough and read.frames:
            inside = await map_concurrently(lambda link: self._read_frame(link, tier), read.frames)
            read = iframes.merge_frames(read, [page for page in inside if page], html_page.MIN_LENGTH)
        if not read.page.content.strip():
            raise error_mapping.empty_error(read.page.url)
        return read

    async def _read_frame(self, url: str, tier: str) -> Page | None:
        """The page in a frame; None if it cannot be read."""
        try:
            return (await self._read_linked(url, tier)).page
        except ToolError:
            return None

    async def _read_linked(self, url: str, tier: str) -> TierReading:
        fetched = await self._fetch(url, stealth=tier == "stealth")
        refused = to_refusal(fetched, tier)
        if refused and refused.error:
            raise refused.error
        return await response_parser.read(fetched, tier, self._settings, self._readers)
