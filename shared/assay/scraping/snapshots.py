"""Snapshots of pages of any status, by an HTTP request, a browser, or whichever is needed."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Literal

from assay.errors import BrowserUnavailable, ContentEmpty, Network, ToolError
from assay.net.guarded_client import LEFT_HTTPS, Fetched
from assay.scraping import error_mapping, response_parser, site_registry
from assay.scraping.page import Page
from assay.scraping.parse_executor import ParseExecutor
from assay.scraping.snapshot_content import WALLED, Engine, PageSnapshot, is_walled, parse_snapshot
from assay.settings import Settings

HTML = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"

type FetchMode = Literal["smart", "static", "dynamic"]
type Fetch = Callable[..., Awaitable[Fetched]]


class SnapshotReader:
    """Takes snapshots with the scraper's functions. `shown` renders a page; None without a browser."""

    def __init__(
        self,
        fetch: Fetch,
        render: Fetch | None,
        context: site_registry.SiteContext,
        settings: Settings,
        readers: ParseExecutor,
    ) -> None:
        self._fetch, self._shown, self._context = fetch, render, context
        self._settings, self._readers = settings, readers

    async def fetch_snapshot(self, url: str, mode: FetchMode, *, markup: bool, seconds: float) -> PageSnapshot:
        """Take a snapshot of the canonical `url`; `seconds` is the time limit of rendering.

        In smart mode, a site's API is used if no markup is requested or available. Raises UnsupportedType for binary
        content, and a ToolError if there is no response.
        """
        began = time.perf_counter()
        until = asyncio.get_running_loop().time() + seconds
        snapshot = await (self._read_smart if mode == "smart" else self._read_by_mode)(url, mode, until, markup)
        snapshot.milliseconds = round((time.perf_counter() - began) * 1000)
        if snapshot.page.left_https:
            snapshot.warning = f"{snapshot.warning or ''} {LEFT_HTTPS}".strip()
        return snapshot if markup else snapshot.model_copy(update={"markup": ""})

    async def _read_smart(self, url: str, mode: FetchMode, until: float, markup: bool) -> PageSnapshot:
        """Use the site's API if there is one and no markup is requested, or if the page itself is not available."""
        if not markup and (snapshot := await self._read_from_api(url)):
            return snapshot
        try:
            snapshot = await self._read_by_mode(url, mode, until, markup)
        except ToolError:
            if markup and (own := await self._read_from_api(url)):
                return own
            raise
        if markup and (snapshot.lacks or snapshot.status in WALLED):
            return await self._read_from_api(url) or snapshot
        return snapshot

    async def _read_by_mode(self, url: str, mode: FetchMode, until: float, markup: bool) -> PageSnapshot:
        if mode == "dynamic":
            return await self._read_dynamic(url, until)
        snapshot = await self._read_static(url, mode, until)
        if markup and snapshot.page.content_type == "markdown":
            return await self._request_html(url, snapshot)
        return snapshot

    async def _read_from_api(self, url: str) -> PageSnapshot | None:
        route = site_registry.route(url)
        try:
            page = await route(url, self._context) if route else None
        except ToolError:  # the page itself gives the status and the reason
            return None
        return PageSnapshot(page=page, status=200) if page else None

    async def _read_static(self, url: str, mode: FetchMode, until: float) -> PageSnapshot:
        snapshot = await self._follow_refresh(await self._read(await self._fetch_page(url), "static"))
        if not snapshot.lacks:
            return snapshot
        if mode == "static":
            snapshot.warning = f"{snapshot.lacks} Mode dynamic would render it."
            return snapshot
        if self._shown is None:
            snapshot.warning = (
                f"{snapshot.lacks} No browser is configured here; this is what the page shows without one."
            )
            return snapshot
        try:
            rendered = await self._render(url, until)
        except ToolError as failure:
            snapshot.warning = (
                f"{snapshot.lacks} The browser failed ({failure.kind}); this is what the page shows without one."
            )
            return snapshot
        worse = rendered.status >= 400 > snapshot.status or (snapshot.page.content and not rendered.page.content)
        return snapshot if worse else rendered

    async def _follow_refresh(self, snapshot: PageSnapshot) -> PageSnapshot:
        """Follow an immediate refresh of a short page; the page itself if the target cannot be read."""
        if not snapshot.onward:
            return snapshot
        try:
            return await self._read(await self._fetch_page(snapshot.onward), "static")
        except ToolError as failure:
            snapshot.lacks = ""
            snapshot.warning = f"The page redirects (refresh) to a URL that cannot be read ({failure.kind})."
            return snapshot

    async def _read_dynamic(self, url: str, until: float) -> PageSnapshot:
        if self._shown is None:
            raise BrowserUnavailable("No browser is configured here. Use mode smart or static, or configure one.")
        try:
            return await self._render(url, until)
        except ContentEmpty:  # browsers do not render documents: read it directly
            return await self._read(await self._fetch_page(url), "static")

    async def _request_html(self, url: str, snapshot: PageSnapshot) -> PageSnapshot:
        """Request HTML from a server that sent Markdown; keep the Markdown if it has no HTML."""
        try:
            fetched = await self._context.web.fetch(url, accept=HTML, cap=self._settings.max_html_bytes)
            again = await self._read(fetched, "static")
        except ToolError:
            return snapshot
        return again if again.markup and again.status == snapshot.status else snapshot

    async def _render(self, url: str, until: float) -> PageSnapshot:
        assert self._shown is not None
        try:
            async with asyncio.timeout_at(until):
                fetched = await self._shown(url)
        except TimeoutError:
            raise Network(f"The browser did not finish {url} in time.", retry_after=5) from None
        return await self._read(fetched, "browser")

    async def _fetch_page(self, url: str) -> Fetched:
        """Fetch the page; retry with browser-like headers if the server refuses programs."""
        try:
            fetched = await self._fetch(url)
        except ToolError as failure:
            if error_mapping.choose_escalation(failure) != "again":
                raise
            return await self._fetch(url, stealth=True)
        if not is_walled(fetched):
            return fetched
        try:
            again = await self._fetch(url, stealth=True)
        except ToolError:
            return fetched
        return fetched if is_walled(again) else again

    async def _read(self, fetched: Fetched, engine: Engine) -> PageSnapshot:
        snapshot = await self._read_body(fetched, engine)
        snapshot.page.left_https = fetched.left_https
        return snapshot

    async def _read_body(self, fetched: Fetched, engine: Engine) -> PageSnapshot:
        kind = response_parser.detect_kind(fetched)
        if kind is None and response_parser.describe_binary(fetched):
            if fetched.status >= 400:
                return PageSnapshot(page=Page(url=fetched.url, content="", content_type="html"), status=fetched.status)
            response_parser.refuse_binary(fetched)
        if kind is not None or fetched.content_type in response_parser.MARKDOWN:
            return await self._read_document(fetched, engine)
        return await self._readers(parse_snapshot, fetched, engine, size=len(fetched.body))

    async def _read_document(self, fetched: Fetched, engine: Engine) -> PageSnapshot:
        try:
            read = await response_parser.read(fetched, engine, self._settings, self._readers)
        except ToolError:
            if fetched.status < 400:
                raise
            return PageSnapshot(page=Page(url=fetched.url, content="", content_type="html"), status=fetched.status)
        return PageSnapshot(page=read.page, status=fetched.status, engine=engine, warning=read.page.access_note)
