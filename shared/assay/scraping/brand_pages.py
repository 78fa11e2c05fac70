"""Discovery of a company's brand pages: the homepage, and a brand or press portal."""

import asyncio
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from assay.brand import homepage, portal
from assay.brand.brand_models import Brand
from assay.errors import ToolError
from assay.html.parser.html_tree import open_html
from assay.net.guarded_client import Fetched, GuardedClient
from assay.net.urls import canonicalize_url
from assay.scraping import error_mapping, response_parser, slow_sites
from assay.scraping.brand_page_links import (
    PATHS,
    SUBDOMAINS,
    Candidate,
    Home,
    find_portal_links,
    find_subpage_links,
    group_candidates,
    is_redirected_away,
)
from assay.settings import Settings
from assay.state.concurrent_map import map_concurrently
from assay.state.ports import Browser
from assay.text.decode import decode
from assay.text.url_parts import join_url, split_url

MAX_PROBES = 7  # requests in search of a portal
MAX_GUESSES = 5  # probes of guessed URLs among them
MAX_CONCURRENT = 8
HOME_SECONDS, HEAD_SECONDS, GET_SECONDS, SEARCH_SECONDS, RENDER_SECONDS = 12.0, 4.0, 8.0, 15.0, 15.0
MEDIA_TYPES = ("image/", "audio/", "video/", "font/")
HEAD_ONLY_STATUSES = {400, 403, 405, 406, 500, 501, 503}  # statuses that may apply to the HEAD method only
ACCEPT = "text/html, application/xhtml+xml, application/pdf;q=0.8, text/markdown;q=0.7, */*;q=0.1"
MIN_SIMILARITY = 0.8  # share of common lines above which a page counts as the homepage


@dataclass(frozen=True)
class Portal:
    """A page with brand guidelines, with the combined text of its subpages."""

    url: str
    text: str
    pages: tuple[str, ...] = field(default=())  # URLs of the pages

    @property
    def is_blocked(self) -> bool:
        return portal.is_blocked(self.text)


class BrandPageFinder:
    """Finds and reads a brand's pages with the guarded HTTP client; uses `browser` for pages rendered by scripts."""

    def __init__(self, web: GuardedClient, settings: Settings, browser: Browser | None = None) -> None:
        self._web, self._settings, self._browser = web, settings, browser
        self._slots = asyncio.Semaphore(MAX_CONCURRENT)
        self._requests_left: int | None = None  # remaining requests in search of a portal
        self._guesses_left = 0  # remaining probes of guessed URLs
        self._is_uniform = False  # whether the host responds to other paths with the homepage

    async def fetch_homepage(self, url: str) -> Home:
        """Read the homepage of the site of `url` with one request. Raises the errors of fetching and parsing."""
        fetched = await self._web.fetch(
            join_url(canonicalize_url(url), "/"), accept=ACCEPT, cap=self._settings.max_html_bytes, seconds=HOME_SECONDS
        )
        if refusal := error_mapping.response_error(fetched, response_parser.get_retry_after(fetched)):
            raise refusal
        if response_parser.is_wall(fetched):
            raise error_mapping.blocked_error(fetched.url)
        brand, lines, links = await asyncio.to_thread(_parse_homepage, fetched)
        return Home(fetched.url, brand, lines | _split_sentences((await self._extract_text(fetched)) or ""), links)

    async def find_portal(self, home: Home, *, probe_all: bool = False) -> Portal | None:
        """Find the likeliest page with guidelines; None if there is none.

        Tries the homepage's links and the likeliest URLs with at most MAX_PROBES requests; with `probe_all`, all URLs.
        """
        self._requests_left, self._guesses_left = (
            (None, len(PATHS) + len(SUBDOMAINS)) if probe_all else (MAX_PROBES, MAX_GUESSES)
        )
        found = None
        with suppress(TimeoutError):
            async with asyncio.timeout(SEARCH_SECONDS):
                for group in group_candidates(home, probe_all=probe_all):
                    found = await self._find_first_portal(group, home)
                    if found or (self._is_uniform and not group[0].is_dedicated):
                        break
        return await self.read_portal(found) if found else None

    async def _find_first_portal(self, group: Sequence[Candidate], home: Home) -> Fetched | None:
        """Probe the candidates concurrently; return the likeliest portal."""
        tasks = [asyncio.create_task(self._probe(candidate, home)) for candidate in group]
        try:
            for task in tasks:
                if found := await task:
                    return found
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        return None

    def _may_request(self) -> bool:
        """Return whether the request budget allows another request, which is counted."""
        if self._requests_left is None:
            return True
        self._requests_left -= 1
        return self._requests_left >= 0

    async def read_portal_at(self, url: str, home: Home) -> Portal | None:
        """Return the portal at a URL from another source; None if it is not a portal."""
        fetched = await self._fetch_portal(Candidate(url, True), home)
        return await self.read_portal(fetched) if fetched else None

    async def read_portal(self, fetched: Fetched) -> Portal:
        """Read the portal and its subpages on colours, typefaces, logos and voice."""
        found = await self._read_with_subpages(fetched)
        if found.is_blocked and (rendered := await self._fetch_rendered(fetched.url)):
            more = await self._read_with_subpages(rendered, render=True)
            found = more if len(more.text) > len(found.text) else found
        return found

    async def _read_with_subpages(self, fetched: Fetched, *, render: bool = False) -> Portal:
        texts = {fetched.url: await self._extract_text(fetched) or ""}
        links = await asyncio.to_thread(_find_subpage_links, fetched)
        subpages = await map_concurrently(lambda link: self._read_subpage(link, fetched.url, render=render), links)
        texts |= {page.url: text for page, text in subpages if page and text}
        return Portal(fetched.url, "\n\n".join(text for text in texts.values() if text), tuple(texts))

    async def _probe(self, candidate: Candidate, home: Home) -> Fetched | None:
        async with self._slots:
            try:
                await self._web.check(candidate.url)
                if not candidate.is_linked:
                    self._guesses_left -= 1
                    if self._guesses_left < 0 or not self._may_request():
                        return None
                    head = await self._web.fetch(candidate.url, method="HEAD", cap=1024, seconds=HEAD_SECONDS)
                    if is_redirected_away(head.url, candidate, home) or not (
                        head.status == 200 or head.status in HEAD_ONLY_STATUSES
                    ):
                        return None
            except ToolError:  # the host does not exist, is private, or does not respond
                return None
            return await self._fetch_portal(candidate, home) if self._may_request() else None

    async def _fetch_portal(self, candidate: Candidate, home: Home) -> Fetched | None:
        try:
            fetched = await self._web.fetch(
                candidate.url, accept=ACCEPT, cap=self._settings.max_html_bytes, seconds=GET_SECONDS
            )
        except ToolError:
            return None
        if (
            fetched.status != 200
            or is_redirected_away(fetched.url, candidate, home)
            or response_parser.is_wall(fetched)
        ):
            return None
        text = await self._extract_text(fetched)
        if text is None:
            return None
        if _measure_overlap(_split_sentences(text), home.lines) >= MIN_SIMILARITY:
            self._is_uniform = self._is_uniform or not candidate.is_dedicated
            return None
        return fetched if portal.is_portal(_get_title(fetched), text) else None

    async def _read_subpage(self, link: str, url: str, *, render: bool) -> tuple[Fetched | None, str | None]:
        fetched, text = await self._fetch_linked(link, url)
        if render and fetched and portal.is_blocked(text or "") and (rendered := await self._fetch_rendered(link)):
            return rendered, await self._extract_text(rendered)
        return fetched, text

    async def _fetch_linked(self, link: str, url: str) -> tuple[Fetched | None, str | None]:
        try:
            async with self._slots:
                fetched = await self._web.fetch(
                    link, accept=ACCEPT, cap=self._settings.max_html_bytes, seconds=GET_SECONDS
                )
        except ToolError:
            return None, None
        is_elsewhere = split_url(fetched.url).hostname != split_url(url).hostname or fetched.url == url
        return (None, None) if fetched.status != 200 or is_elsewhere else (fetched, await self._extract_text(fetched))

    async def _extract_text(self, fetched: Fetched) -> str | None:
        """Return the page's text; None if it has none, cannot be read or is an access wall."""
        if fetched.content_type.startswith(MEDIA_TYPES):
            return None
        try:
            return (await response_parser.read(fetched, "html", self._settings)).page.content
        except ToolError:
            return None

    async def _fetch_rendered(self, url: str) -> Fetched | None:
        """Return the rendered page; None without a browser or if rendering fails."""
        if self._browser is None:
            return None
        try:
            rendered = await self._browser.render(url, settle=slow_sites.SLOW_SECONDS, seconds=RENDER_SECONDS)
        except ToolError:
            return None
        return response_parser.to_fetched(rendered) if rendered.status == 200 else None


def _parse_homepage(fetched: Fetched) -> tuple[Brand, frozenset[str], tuple[str, ...]]:
    """Return the brand facts of a homepage, its lines (including scripts and styles), and its links to portals."""
    with open_html(decode(fetched.body, fetched.charset)) as tree:
        return (
            homepage.parse_brand(tree, fetched.url),
            _split_sentences("\n".join(tree.itertext())),
            find_portal_links(tree, fetched.url),
        )


def _get_title(fetched: Fetched) -> str:
    if response_parser.detect_kind(fetched) or response_parser.describe_binary(fetched):
        return ""
    with open_html(decode(fetched.body[:200_000], fetched.charset)) as tree:
        title = next(tree.iter("title"), None)
        return " ".join((title.text or "").split()) if title is not None else ""


def _find_subpage_links(fetched: Fetched) -> list[str]:
    if response_parser.detect_kind(fetched) or response_parser.describe_binary(fetched):
        return []
    with open_html(decode(fetched.body, fetched.charset)) as tree:
        return find_subpage_links(tree, fetched.url)


def _split_sentences(text: str) -> frozenset[str]:
    """Return the text as normalised sentences, to compare pages."""
    pieces = (" ".join(re.findall(r"\w+", piece.lower())) for piece in re.split(r"[\n.!?|]+", text))
    return frozenset(piece for piece in pieces if len(piece) > 3)


def _measure_overlap(lines: frozenset[str], known: Sequence[str] | frozenset[str]) -> float:
    return len(lines & frozenset(known)) / len(lines) if lines else 0.0
