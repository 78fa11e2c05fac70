"""One page as its server shows it, whatever its status: by a plain request, by a browser, or by whichever it takes."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Literal

from assay.errors import BrowserUnavailable, ContentEmpty, Network, ToolError
from assay.net.guarded_client import LEFT_HTTPS, Fetched
from assay.scraping import error_mapping, response_parser, site_registry
from assay.scraping.page import Page
from assay.scraping.parse_executor import Readers
from assay.scraping.snapshot_content import WALLED, Engine, Look, is_walled, look_at
from assay.settings import Settings

HTML = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"

type Manner = Literal["smart", "static", "dynamic"]
type Fetch = Callable[..., Awaitable[Fetched]]


class SnapshotReader:
    """Looks at pages with the ladder's own means. `shown` renders a page; None where there is no browser."""

    def __init__(
        self, fetch: Fetch, shown: Fetch | None, means: site_registry.Means, settings: Settings, readers: Readers
    ) -> None:
        self._fetch, self._shown, self._means = fetch, shown, means
        self._settings, self._readers = settings, readers

    async def look(self, url: str, manner: Manner, *, markup: bool, seconds: float) -> Look:
        """The page at the canonical `url`. Raises UnsupportedType for what is no text, and a ToolError without answer.

        A site's own interface is read where the manner is smart, and no markup is asked for or to be had.
        """
        began = time.perf_counter()
        until = asyncio.get_running_loop().time() + seconds
        look = await (self._smart if manner == "smart" else self._by_manner)(url, manner, until, markup)
        look.milliseconds = round((time.perf_counter() - began) * 1000)
        if look.page.left_https:
            look.warning = f"{look.warning or ''} {LEFT_HTTPS}".strip()
        return look if markup else look.model_copy(update={"markup": ""})

    async def _smart(self, url: str, manner: Manner, until: float, markup: bool) -> Look:
        """By the site's own interface where it has one and text is enough, or where the page itself is not shown."""
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

    async def _by_manner(self, url: str, manner: Manner, until: float, markup: bool) -> Look:
        if manner == "dynamic":
            return await self._dynamic(url, until)
        look = await self._static(url, manner, until)
        if markup and look.page.content_type == "markdown":
            return await self._as_html(url, look)
        return look

    async def _by_route(self, url: str) -> Look | None:
        route = site_registry.route(url)
        try:
            page = await route(url, self._means) if route else None
        except ToolError:  # the site itself says what is the matter, and by which status
            return None
        return Look(page=page, status=200) if page else None

    async def _static(self, url: str, manner: Manner, until: float) -> Look:
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

    async def _led_on(self, look: Look) -> Look:
        """Where a page that says nothing sends its reader at once; the page itself where that cannot be read."""
        if not look.onward:
            return look
        try:
            return await self._read(await self._fetch_page(look.onward), "static")
        except ToolError as failure:
            look.lacks = ""
            look.warning = f"The page sends its reader on to an address that cannot be read ({failure.kind})."
            return look

    async def _dynamic(self, url: str, until: float) -> Look:
        if self._shown is None:
            raise BrowserUnavailable("No browser is configured here. Use mode smart or static, or configure one.")
        try:
            return await self._render(url, until)
        except ContentEmpty:  # a document is no page: it is read as it comes
            return await self._read(await self._fetch_page(url), "static")

    async def _as_html(self, url: str, look: Look) -> Look:
        """The page asked for once more where its server gave markdown; what was had where it gives nothing else."""
        try:
            fetched = await self._means.web.fetch(url, accept=HTML, cap=self._settings.max_html_bytes)
            again = await self._read(fetched, "static")
        except ToolError:
            return look
        return again if again.markup and again.status == look.status else look

    async def _render(self, url: str, until: float) -> Look:
        assert self._shown is not None
        try:
            async with asyncio.timeout_at(until):
                fetched = await self._shown(url)
        except TimeoutError:
            raise Network(f"The browser had not finished {url} in time.", retry_after=5) from None
        return await self._read(fetched, "browser")

    async def _fetch_page(self, url: str) -> Fetched:
        """The server's answer; asked once more in a browser's ways where it turns programs away."""
        try:
            fetched = await self._fetch(url)
        except ToolError as failure:
            if error_mapping.escalation(failure) != "again":
                raise
            return await self._fetch(url, stealth=True)
        if not is_walled(fetched):
            return fetched
        try:
            again = await self._fetch(url, stealth=True)
        except ToolError:
            return fetched
        return fetched if is_walled(again) else again

    async def _read(self, fetched: Fetched, engine: Engine) -> Look:
        look = await self._read_body(fetched, engine)
        look.page.left_https = fetched.left_https
        return look

    async def _read_body(self, fetched: Fetched, engine: Engine) -> Look:
        kind = response_parser.kind(fetched)
        if kind is None and response_parser.describe_binary(fetched):
            if fetched.status >= 400:
                return Look(page=Page(url=fetched.url, content="", content_type="html"), status=fetched.status)
            response_parser.refuse_binary(fetched)
        if kind is not None or fetched.content_type in response_parser.MARKDOWN:
            return await self._document(fetched, engine)
        return await self._readers(look_at, fetched, engine, size=len(fetched.body))

    async def _document(self, fetched: Fetched, engine: Engine) -> Look:
        try:
            read = await response_parser.read(fetched, engine, self._settings, self._readers)
        except ToolError:
            if fetched.status < 400:
                raise
            return Look(page=Page(url=fetched.url, content="", content_type="html"), status=fetched.status)
        return Look(page=read.page, status=fetched.status, engine=engine, warning=read.page.access_note)
