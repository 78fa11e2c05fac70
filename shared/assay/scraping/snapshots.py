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
        shown: Fetch | None,
        context: site_registry.SiteContext,
        settings: Settings,
        readers: ParseExecutor,
    ) -> None:
        self._fetch, self._shown, self._context = fetch, shown, context
        self._settings, self._readers = settings, readers

    async def look(self, url: str, manner: FetchMode, *, markup: bool, seconds: float) -> PageSnapshot:
        """Take a snapshot of the canonical `url`; `seconds` is the time limit of rendering.

        In smart mode, a site's API is used if no markup is requested or available. Raises UnsupportedType for binary
        content, and a ToolError if there is no response.
        """
        began = time.perf_counter()
        until = asyncio.get_running_loop().time() + seconds
        look = await (self._smart if manner == "smart" else self._by_manner)(url, manner, until, markup)
        look.milliseconds = round((time.perf_counter() - began) * 1000)
        if look.page.left_https:
            look.warning = f"{look.warning or ''} {LEFT_HTTPS}".strip()
        return look if markup else look.model_copy(update={"markup": ""})

    async def _smart(self, url: str, manner: FetchMode, until: float, markup: bool) -> PageSnapshot:
        """Use the site's API if there is one and no markup is requested, or if the page itself is not available."""
        if not markup and (look := await self._by_route(url)):
            return look
        try:
            look = await self._by_manner(url, manner, until, markup)
        except ToolError:
            if markup and (own := await self._by_route(url)):
                return own
            raise
        if markup and (look.lacks or look.status in WALLED):
            return await self._by_route(url) or look
        return look

    async def _by_manner(self, url: str, manner: FetchMode, until: float, markup: bool) -> PageSnapshot:
        if manner == "dynamic":
            return await self._dynamic(url, until)
        look = await self._static(url, manner, until)
        if markup and look.page.content_type == "markdown":
            return await self._as_html(url, look)
        return look

    async def _by_route(self, url: str) -> PageSnapshot | None:
        route = site_registry.route(url)
        try:
            page = await route(url, self._context) if route else None
        except ToolError:  # the page itself gives the status and the reason
            return None
        return PageSnapshot(page=page, status=200) if page else None

    async def _static(self, url: str, manner: FetchMode, until: float) -> PageSnapshot:
        look = await self._led_on(await self._read(await self._fetch_page(url), "static"))
        if not look.lacks:
            return look
        if manner == "static":
            look.warning = f"{look.lacks} Mode dynamic would render it."
            return look
        if self._shown is None:
            look.warning = f"{look.lacks} No browser is configured here; this is what the page shows without one."
            return look
        try:
            drawn = await self._render(url, until)
        except ToolError as failure:
            look.warning = f"{look.lacks} The browser failed ({failure.kind}); this is what the page shows without one."
            return look
        worse = drawn.status >= 400 > look.status or (look.page.content and not drawn.page.content)
        return look if worse else drawn

    async def _led_on(self, look: PageSnapshot) -> PageSnapshot:
        """Follow an immediate refresh of a short page; the page itself if the target cannot be read."""
        if not look.onward:
            return look
        try:
            return await self._read(await self._fetch_page(look.onward), "static")
        except ToolError as failure:
            look.lacks = ""
            look.warning = f"The page redirects (refresh) to a URL that cannot be read ({failure.kind})."
            return look

    async def _dynamic(self, url: str, until: float) -> PageSnapshot:
        if self._shown is None:
            raise BrowserUnavailable("No browser is configured here. Use mode smart or static, or configure one.")
        try:
            return await self._render(url, until)
        except ContentEmpty:  # browsers do not render documents: read it directly
            return await self._read(await self._fetch_page(url), "static")

    async def _as_html(self, url: str, look: PageSnapshot) -> PageSnapshot:
        """Request HTML from a server that sent Markdown; keep the Markdown if it has no HTML."""
        try:
            fetched = await self._context.web.fetch(url, accept=HTML, cap=self._settings.max_html_bytes)
            again = await self._read(fetched, "static")
        except ToolError:
            return look
        return again if again.markup and again.status == look.status else look

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
            if error_mapping.next_hope(failure) != "again":
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
        look = await self._read_body(fetched, engine)
        look.page.left_https = fetched.left_https
        return look

    async def _read_body(self, fetched: Fetched, engine: Engine) -> PageSnapshot:
        kind = response_parser.detect_kind(fetched)
        if kind is None and response_parser.describe_binary(fetched):
            if fetched.status >= 400:
                return PageSnapshot(page=Page(url=fetched.url, content="", content_type="html"), status=fetched.status)
            response_parser.refuse_binary(fetched)
        if kind is not None or fetched.content_type in response_parser.MARKDOWN:
            return await self._document(fetched, engine)
        return await self._readers(parse_snapshot, fetched, engine, size=len(fetched.body))

    async def _document(self, fetched: Fetched, engine: Engine) -> PageSnapshot:
        try:
            read = await response_parser.read(fetched, engine, self._settings, self._readers)
        except ToolError:
            if fetched.status < 400:
                raise
            return PageSnapshot(page=Page(url=fetched.url, content="", content_type="html"), status=fetched.status)
        return PageSnapshot(page=read.page, status=fetched.status, engine=engine, warning=read.page.access_note)
