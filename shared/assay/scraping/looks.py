"""One page as its server shows it, whatever its status: by a plain request, by a browser, or by whichever it takes."""

import asyncio
import re
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel

from assay.errors import BrowserUnavailable, ContentEmpty, InvalidInput, Network, ToolError
from assay.net.web import Fetched
from assay.scraping import bodies, frames, sites, verdicts
from assay.scraping.lacks import LITTLE, lack
from assay.scraping.page import Page
from assay.scraping.readers import Readers
from assay.settings import Settings

if TYPE_CHECKING:
    from lxml.html import HtmlElement

HTML = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"
WALLED = (403, 429, 503)
PICTURES, KEYWORDS = 20, 50
NO_PICTURE = ("pixel", "tracking", "beacon", "1x1", "spacer", "blank.gif")

TYPE = re.compile(r"(?:image|audio|video|font|application|text|model)/[a-z0-9.+-]{1,60}")

type Manner = Literal["smart", "static", "dynamic"]
type Fetch = Callable[..., Awaitable[Fetched]]


class UnsupportedType(InvalidInput):
    """The address leads to something that is neither page nor document."""


class Look(BaseModel):
    """A page and how it was had. `markup` is its HTML where it was asked for and there is one."""

    page: Page
    status: int
    engine: Literal["static", "browser"] = "static"
    markup: str = ""
    keywords: list[str] = []
    images: list[str] = []
    milliseconds: int = 0
    warning: str | None = None
    lacks: str = ""  # why a browser would show more; "" where it would not
    onward: str = ""  # where a page that says little sends its reader at once


class Looker:
    """Looks at pages with the ladder's own means. `shown` renders a page; None where there is no browser."""

    def __init__(
        self, fetch: Fetch, shown: Fetch | None, means: sites.Means, settings: Settings, readers: Readers
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
        route = sites.route(url)
        try:
            page = await route(url, self._means) if route else None
        except ToolError:  # the site itself says what is the matter, and by which status
            return None
        return Look(page=page, status=200) if page else None

    async def _static(self, url: str, manner: Manner, until: float) -> Look:
        look = await self._led_on(await self._read(await self._fetched(url), "static"))
        if not look.lacks:
            return look
        if manner == "static":
            look.warning = f"{look.lacks} Mode dynamic would render it."
            return look
        if self._shown is None:
            look.warning = f"{look.lacks} No browser is configured here; this is what the page shows without one."
            return look
        try:
            drawn = await self._drawn(url, until)
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
            return await self._read(await self._fetched(look.onward), "static")
        except ToolError as failure:
            look.lacks = ""
            look.warning = f"The page sends its reader on to an address that cannot be read ({failure.kind})."
            return look

    async def _dynamic(self, url: str, until: float) -> Look:
        if self._shown is None:
            raise BrowserUnavailable("No browser is configured here. Use mode smart or static, or configure one.")
        try:
            return await self._drawn(url, until)
        except ContentEmpty:  # a document is no page: it is read as it comes
            return await self._read(await self._fetched(url), "static")

    async def _as_html(self, url: str, look: Look) -> Look:
        """The page asked for once more where its server gave markdown; what was had where it gives nothing else."""
        try:
            fetched = await self._means.web.fetch(url, accept=HTML, cap=self._settings.max_html_bytes)
            again = await self._read(fetched, "static")
        except ToolError:
            return look
        return again if again.markup and again.status == look.status else look

    async def _drawn(self, url: str, until: float) -> Look:
        assert self._shown is not None
        try:
            async with asyncio.timeout_at(until):
                fetched = await self._shown(url)
        except TimeoutError:
            raise Network(f"The browser had not finished {url} in time.", retry_after=5) from None
        return await self._read(fetched, "browser")

    async def _fetched(self, url: str) -> Fetched:
        """The server's answer; asked once more in a browser's ways where it turns programs away."""
        try:
            fetched = await self._fetch(url)
        except ToolError as failure:
            if verdicts.hope(failure) != "again":
                raise
            return await self._fetch(url, stealth=True)
        if not _is_walled(fetched):
            return fetched
        try:
            again = await self._fetch(url, stealth=True)
        except ToolError:
            return fetched
        return fetched if _is_walled(again) else again

    async def _read(self, fetched: Fetched, engine: Literal["static", "browser"]) -> Look:
        kind = bodies.kind(fetched)
        if kind is None and bodies.is_binary(fetched):
            if fetched.status >= 400:
                return Look(page=Page(url=fetched.url, content="", content_type="html"), status=fetched.status)
            said = fetched.content_type if TYPE.fullmatch(fetched.content_type) else "a file of unknown type"
            raise UnsupportedType(
                f"UNSUPPORTED_TYPE: the address leads to {said}, which is neither page nor document.", field="url"
            )
        if kind is not None or fetched.content_type in bodies.MARKDOWN:
            return await self._document(fetched, engine)
        return await self._readers(look_at, fetched, engine, size=len(fetched.body))

    async def _document(self, fetched: Fetched, engine: Literal["static", "browser"]) -> Look:
        try:
            read = await bodies.read(fetched, engine, self._settings, self._readers)
        except ToolError:
            if fetched.status < 400:
                raise
            return Look(page=Page(url=fetched.url, content="", content_type="html"), status=fetched.status)
        return Look(page=read.page, status=fetched.status, engine=engine, warning=read.page.access_note)


def look_at(fetched: Fetched, engine: Literal["static", "browser"]) -> Look:
    """An answer that is a page, read: the main text, what it says of itself, and what it may lack."""
    from assay.text.decode import decode
    from assay.text.metadata import facts
    from assay.text.reading import base_of
    from assay.text.reading import read as read_main
    from assay.text.structured import metas
    from assay.text.tree import parse

    markup = decode(fetched.body, fetched.charset)
    tree = parse(markup)
    known = facts(tree, fetched.url)
    reading = read_main(tree, fetched.url)
    page = bodies.of_html(fetched, reading.markdown, known, engine)
    named, base = metas(tree), base_of(tree, fetched.url)
    return Look(
        page=page,
        status=fetched.status,
        engine=engine,
        markup=markup,
        keywords=_keywords(named),
        images=_images(tree, named, base),
        warning=bodies.PAID if known.access_free is False else None,
        onward=frames.onward(tree, base, fetched.url) if len(page.content) < LITTLE else "",
        lacks="" if engine == "browser" else _lack(fetched, tree, markup, page.content),
    )


def _is_walled(fetched: Fetched) -> bool:
    return fetched.status in WALLED and bodies.kind(fetched) is None and bodies.is_wall(fetched)


def _lack(fetched: Fetched, tree: "HtmlElement", markup: str, content: str) -> str:
    """Why a browser would show more of the page; "" where it shows enough, or is no page at all."""
    if fetched.status in WALLED and bodies.is_wall(fetched):
        return f"The site wants proof of a browser (HTTP {fetched.status})."
    if fetched.status >= 400:
        return ""
    return lack(tree, markup, content, drawn=bodies.is_slow(fetched.url))


def _keywords(named: dict[str, list[str]]) -> list[str]:
    from assay.text.plain import plain

    said = [*named.get("keywords", ()), *named.get("news_keywords", ()), *named.get("article:tag", ())]
    words = (plain(word, 100) for text in said for word in text.split(","))
    return list(dict.fromkeys(word for word in words if word))[:KEYWORDS]


def _images(tree: "HtmlElement", named: dict[str, list[str]], base: str) -> list[str]:
    """The addresses of the page's pictures: first those it shows of itself elsewhere, each once."""
    told = [link for name in ("og:image", "og:image:url", "twitter:image") for link in named.get(name, ())]
    shown = (picture.get("src") or picture.get("data-src") or "" for picture in tree.iter("img") if _is_seen(picture))
    links = (_absolute(base, link) for link in [*told, *shown])
    return list(dict.fromkeys(link for link in links if link))[:PICTURES]


def _is_seen(picture: "HtmlElement") -> bool:
    source = (picture.get("src") or "").lower()
    tiny = any((picture.get(side) or "").strip().removesuffix("px") in ("0", "1") for side in ("width", "height"))
    return not tiny and picture.get("hidden") is None and not any(word in source for word in NO_PICTURE)


def _absolute(base: str, link: str) -> str:
    from urllib.parse import urljoin

    from assay.text.urls import place

    try:
        at = place(urljoin(base, link.strip())) if link.strip() else None
    except ValueError:
        return ""
    return at.href if at else ""
