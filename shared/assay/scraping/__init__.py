"""The ladder: tiers from cheap to dear, climbed until one gives a page worth reading."""

import asyncio
import copy
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple
from weakref import WeakValueDictionary

from assay.errors import BrowserUnavailable, ContentEmpty, Network, ToolError
from assay.net import addresses
from assay.net.http import Http
from assay.net.urls import canonical
from assay.net.web import Fetched, Web
from assay.ports import Browser
from assay.scraping import bodies, frames, sites, verdicts
from assay.scraping.page import Page, Read
from assay.scraping.readers import HERE, Readers
from assay.scraping.verdicts import FINAL, Failure, Hope
from assay.settings import Settings

if TYPE_CHECKING:  # only crawls visit
    from assay.scraping.looks import Manner
    from assay.scraping.shown import Look
    from assay.scraping.visits import Visit

# One request for whichever form the site has: markdown where it is offered, the page otherwise.
ACCEPT = "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, application/pdf;q=0.8, */*;q=0.7"
BROWSER_ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"
PLAIN_SECONDS, STEALTH_SECONDS, BROWSER_SECONDS, DOCUMENT_SECONDS = 15.0, 20.0, 30.0, 30.0
NO_CHROME = "No browser is configured here to run its scripts: install Chromium or set CHROME_PATH."
NO_FUNCTION = "No browser function is deployed to run its scripts: deploy it and set ASSAY_BROWSER."
LEAVE = 1.5  # seconds before the caller's time is up in which no tier is begun

type Mode = Literal["read", "raw"]


@dataclass(frozen=True)
class Outcome:
    """How one tier fared: a page or an error, and where the page may still be had."""

    tier: str
    page: Page | None = None
    error: ToolError | None = None
    hope: Hope = "none"
    own: bool = True  # false where somebody else read the page for us
    lacks: str = ""  # why a browser might show more of the page all the same


class Tier(NamedTuple):
    """`after` is the hope without which the tier is not tried."""

    name: str
    after: Hope
    read: Callable[[str, Mode], Awaitable[Outcome]]
    own: bool = True


class Slots:
    """Places for pages that are fetched and read at the same time; one caller has three quarters of them at most."""

    def __init__(self, count: int) -> None:
        self._all = asyncio.Semaphore(count)
        self._share = max(1, count * 3 // 4)
        self._own: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    @asynccontextmanager
    async def held(self, caller: str) -> AsyncIterator[None]:
        own = self._own.setdefault(caller, asyncio.Semaphore(self._share))
        async with own, self._all:
            yield


class Ladder:
    """Reads pages. Keeps no page itself: whoever asks keeps what it reads."""

    def __init__(
        self,
        settings: Settings,
        web: Web,
        http: Http,
        browser: Browser | None = None,
        clock: Callable[[], float] = time.time,
        readers: Readers | None = None,
    ) -> None:
        self._settings = settings
        self._readers = readers or HERE
        self._web = web
        self._http = http
        self._browser = browser
        self._means = sites.Means(web, http, settings, clock)
        self._caller = ""
        self._slots = Slots(settings.scrape_concurrency)

    def on_behalf_of(self, caller: str) -> "Ladder":
        """The same ladder for one caller, who shares its places and its readers with the others."""
        own = copy.copy(self)
        own.__dict__.update(_readers=self._readers.on_behalf_of(caller), _caller=caller)
        return own

    async def read(self, url: str, mode: Mode = "read", *, seconds: float = 60.0) -> Page:
        """The page at `url`, the best there is within `seconds`.

        Raises a ToolError that says how each tier fared when none could read it.
        """
        url = canonical(url)
        until = asyncio.get_running_loop().time() + seconds - LEAVE
        async with self._slots.held(self._caller):
            if mode == "raw":
                return await self._climb(url, mode, until)
            page = await self._by_route(url) or await self._climb(url, mode, until)
        from assay.scraping import integrity

        return await integrity.checked(page, self._http, self._settings)

    async def visit(self, url: str, *, render: bool = False, within: Callable[[str], bool] | None = None) -> "Visit":
        """One page as its own server gives it, whatever its status, with its links: one request or one rendering, and
        no other tier. A redirect to a URL that is not `within` is not followed. Raises a ToolError without an answer.
        """
        from assay.scraping import visits

        url = canonical(url)
        async with self._slots.held(self._caller):
            fetched = await (self._shown(url) if render else self._fetch(url, within=within))
            return await visits.read(fetched, "browser" if render else "html", self._settings, self._readers)

    async def look(
        self, url: str, manner: "Manner" = "smart", *, markup: bool = False, seconds: float = 60.0
    ) -> "Look":
        """The page at `url` whatever its status: `static` by a request, `dynamic` by a browser, `smart` by either.

        Raises a ToolError where there is no answer, BrowserUnavailable where `dynamic` has no browser.
        """
        from assay.scraping.looks import Looker

        url = canonical(url)
        shown = self._shown if self._browser else None
        async with self._slots.held(self._caller):
            looker = Looker(self._fetch, shown, self._means, self._settings, self._readers)
            return await looker.look(url, manner, markup=markup, seconds=seconds - LEAVE)

    async def _by_route(self, url: str) -> Page | None:
        """What the site's own interface says; None sends the caller up the ladder."""
        route = sites.route(url)
        try:
            return await route(url, self._means) if route else None
        except FINAL:
            raise
        except ToolError:
            return None

    async def _climb(self, url: str, mode: Mode, until: float) -> Page:
        """The best page of all tiers; where no browser could be asked, what lacks its text says how to have one."""
        if self._browser is not None:
            return await self._try_tiers(url, mode, until)
        advice = NO_FUNCTION if self._settings.table_name else NO_CHROME
        try:
            page = await self._try_tiers(url, mode, until)
        except ContentEmpty as failure:
            failure.hint = failure.hint or advice
            raise
        if page.quality == "partial" and page.access_note != bodies.PAID:
            page.access_note = f"{page.access_note or ''} {advice}".strip()
        return page

    async def _try_tiers(self, url: str, mode: Mode, until: float) -> Page:
        outcomes = [await self._try(Tier("html", "none", self._plain), url, mode)]
        if outcomes[0].lacks and self._browser is not None:
            drawn = await self._in_time(Tier("browser", "again", self._rendered), url, mode, until)
            return _fuller(outcomes[0], drawn)
        for tier in await self._further(outcomes[0], url, mode):
            hope = outcomes[-1].hope
            if hope == "none":
                break
            if asyncio.get_running_loop().time() >= until:
                return _best(outcomes, hurried=True)
            if hope == "again" or tier.after == hope:
                outcomes.append(await self._in_time(tier, url, mode, until))
        return _best(outcomes)

    async def _further(self, first: Outcome, url: str, mode: Mode) -> list[Tier]:
        """The tiers behind the first, in order; a page that waits for its scripts wants a browser before all else."""
        if first.hope == "none":
            return []
        tiers = [Tier("stealth", "again", self._stealth)]
        if self._browser is not None:
            tiers.insert(0 if first.page else 1, Tier("browser", "again", self._rendered))
        if mode == "read" and await self._is_public(url):
            if self._settings.jina_reader:
                tiers.append(Tier("jina", "elsewhere", self._by_jina, own=False))
            if self._settings.key("EXA_API_KEY"):
                tiers.append(Tier("exa", "elsewhere", self._by_exa, own=False))
        return tiers

    async def _in_time(self, tier: Tier, url: str, mode: Mode, until: float) -> Outcome:
        """A tier that would take the caller's last seconds is left, so that what there is can still be told."""
        try:
            async with asyncio.timeout_at(until):
                return await self._try(tier, url, mode)
        except TimeoutError:
            late = verdicts.noted(Network(f"No time was left to read {url}.", retry_after=5), "out of time")
            late.out_of_time = True
            return Outcome(tier.name, error=late, own=tier.own)

    async def _try(self, tier: Tier, url: str, mode: Mode) -> Outcome:
        try:
            return await tier.read(url, mode)
        except ToolError as error:
            hope = verdicts.hope(error) if tier.own else "elsewhere"
            return Outcome(tier.name, error=error, hope=hope, own=tier.own)

    async def _plain(self, url: str, mode: Mode) -> Outcome:
        return await self._outcome(await self._fetch(url), mode, "html")

    async def _stealth(self, url: str, mode: Mode) -> Outcome:
        return await self._outcome(await self._fetch(url, stealth=True), mode, "stealth")

    async def _rendered(self, url: str, mode: Mode) -> Outcome:
        return await self._outcome(await self._shown(url), mode, "browser")

    async def _shown(self, url: str) -> Fetched:
        """The page after its scripts ran. Raises BrowserUnavailable."""
        if self._browser is None:
            raise BrowserUnavailable("There is no browser here to render pages with.")
        rendered = await self._browser.render(url, settle=bodies.settle_seconds(url), seconds=BROWSER_SECONDS)
        return bodies.of_rendered(rendered)

    async def _by_jina(self, url: str, _: Mode) -> Outcome:
        from assay.scraping import jina

        return _others("jina", await jina.read(url, self._means))

    async def _by_exa(self, url: str, _: Mode) -> Outcome:
        from assay.scraping import exa

        return _others("exa", await exa.read(url, self._means))

    async def _is_public(self, url: str) -> bool:
        """Whether others can reach it at all, and may know of it: our own networks are nobody's business."""
        try:
            at = await self._web.gate.admit(url)
        except ToolError:
            return False
        return not any(addresses.fault(address) for address in at.addresses)

    async def _fetch(self, url: str, *, stealth: bool = False, within: Callable[[str], bool] | None = None) -> Fetched:
        accept, seconds = (BROWSER_ACCEPT, STEALTH_SECONDS) if stealth else (ACCEPT, PLAIN_SECONDS)
        small, large = self._settings.max_html_bytes, self._settings.max_document_bytes
        if bodies.looks_like_document(url):
            small, seconds = large, DOCUMENT_SECONDS
        fetched = await self._web.fetch(url, accept=accept, cap=small, seconds=seconds, stealth=stealth, within=within)
        if fetched.truncated and small < large and bodies.is_document(fetched):
            seconds = DOCUMENT_SECONDS
            return await self._web.fetch(url, accept=accept, cap=large, seconds=seconds, stealth=stealth, within=within)
        return fetched

    async def _outcome(self, fetched: Fetched, mode: Mode, tier: str) -> Outcome:
        if refused := _refused(fetched, tier):
            return refused
        if mode == "raw":
            page = bodies.raw(fetched, tier)
            page.left_https = fetched.left_https
            return Outcome(tier, page)
        try:
            read = await bodies.read(fetched, tier, self._settings, self._readers)
            read.page.left_https = fetched.left_https
            read = await self._followed(read, tier)
        except ToolError as error:
            hope = "none" if bodies.kind(fetched) else verdicts.hope(error)  # a broken document stays broken
            return Outcome(tier, error=error, hope=hope)
        return Outcome(tier, read.page, hope="none" if read.enough else "again", lacks=read.lacks)

    async def _followed(self, read: Read, tier: str) -> Read:
        """Where the page sends its reader, and what its frames hold when it holds little: one step, no further."""
        if read.onward:
            read = await self._next(read.onward, tier)
        if not read.enough and read.frames:
            inside = await asyncio.gather(*(self._inside(link, tier) for link in read.frames))
            read = frames.joined(read, [page for page in inside if page], bodies.LEAST)
        if not read.page.content.strip():
            raise verdicts.empty(read.page.url)
        return read

    async def _inside(self, url: str, tier: str) -> Page | None:
        """A frame's page; None where it cannot be read, which fails the frame alone."""
        try:
            return (await self._next(url, tier)).page
        except ToolError:
            return None

    async def _next(self, url: str, tier: str) -> Read:
        fetched = await self._fetch(url, stealth=tier == "stealth")
        refused = _refused(fetched, tier)
        if refused and refused.error:
            raise refused.error
        return await bodies.read(fetched, tier, self._settings, self._readers)


def _refused(fetched: Fetched, tier: str) -> Outcome | None:
    """A status that says no. A wall behind a status that means something else is a wall all the same."""
    error = verdicts.refusal(fetched, bodies.retry_after(fetched))
    if error is None:
        return None
    hope = verdicts.hope(error)
    if fetched.status in verdicts.CHALLENGES and bodies.is_wall(fetched):
        hope = "again"
        error = error if fetched.status == 429 else verdicts.blocked(fetched.url, f"HTTP {fetched.status}, bot wall")
    return Outcome(tier, error=error, hope=hope)


def _others(tier: str, page: Page) -> Outcome:
    """What others read for us: `hope` is left while it is little."""
    little = len(page.content) < bodies.LEAST
    page.quality = "partial" if little else "complete"
    return Outcome(tier, page, hope="elsewhere" if little else "none", own=False)


def _best(outcomes: Sequence[Outcome], *, hurried: bool = False) -> Page:
    """The page that is good, else the best of those that are not; else the error for all.

    `hurried`: the caller's time was up before all tiers were tried.
    """
    failures = [Failure(each.tier, each.error, each.own) for each in outcomes if each.error]
    hurried = hurried or any(failure.error.out_of_time for failure in failures)
    pages = [each.page for each in outcomes if each.page]
    if not pages:
        error = verdicts.composite(failures)
        error.out_of_time = hurried
        raise error
    if outcomes[-1].page and outcomes[-1].hope == "none":
        return outcomes[-1].page
    page = max(pages, key=_weight)
    page.hurried = hurried
    if failures:
        page.access_note = f"{page.access_note or ''} Other ways failed: {verdicts.tried(failures)}.".strip()
    return page


def _fuller(static: Outcome, drawn: Outcome) -> Page:
    """A page that may be more than it shows, as the browser has it; as it is itself where that is more, or all."""
    assert static.page is not None
    if drawn.page is not None:
        return max(drawn.page, static.page, key=_weight)
    assert drawn.error is not None
    static.page.quality = "partial"
    static.page.hurried = drawn.error.out_of_time
    static.page.access_note = f"{static.lacks} The browser failed: {verdicts.brief(drawn.error)}."
    return static.page


def _weight(page: Page) -> float:
    """Bytes times the share of letters among the characters."""
    letters = sum(letter.isalpha() for letter in page.content)
    return len(page.content.encode()) * letters / max(1, len(page.content))
