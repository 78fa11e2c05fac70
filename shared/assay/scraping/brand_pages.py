"""Discovery of a company's brand pages: the homepage, and a brand or press portal."""

import asyncio
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from assay.brand import homepage, portal
from assay.brand.brand_models import Brand
from assay.errors import ToolError
from assay.html.parser.html_tree import parse_html
from assay.html.reader.main_content import find_base_url
from assay.net.guarded_client import Fetched, GuardedClient
from assay.net.urls import LITERAL, canonical, registrable
from assay.scraping import error_mapping, response_parser, slow_sites
from assay.settings import Settings
from assay.state.concurrent_map import map_concurrently
from assay.state.ports import Browser
from assay.text.decode import decode
from assay.text.url_parts import join_url, split_url

if TYPE_CHECKING:
    from lxml.html import HtmlElement

SUBDOMAINS = ("brand", "press", "newsroom", "media", "design")
PATHS = (
    "/brand", "/brand-guidelines", "/brandbook", "/brand-center", "/brand-assets", "/press", "/presskit", "/press-kit",
    "/press-room", "/newsroom", "/media", "/media-kit", "/mediakit", "/design", "/design-system", "/styleguide",
    "/style-guide", "/guidelines", "/identity", "/visual-identity", "/about/brand",
)  # fmt: skip
LIKELY = ("/brand", "/press", "/brand-guidelines", "/media-kit", "/newsroom")
PORTAL_HOSTS = ("frontify.com", "brandfolder.com", "bynder.com", "corebook.io", "zeroheight.com", "brandpad.io")
PORTAL_LINK = re.compile(
    r"\b(?:brand(?: (?:guidelines?|book|kit|assets|resources|cent(?:er|re)|hub|portal))?|brandbook|press|newsroom"
    r"|(?:press|media) ?(?:kit|room|cent(?:er|re)|resources)|style ?guide|design system|visual identity)\b",
    re.IGNORECASE,
)
MAX_PROBES, MAX_GUESSES = (
    7,
    5,
)  # requests in search of a portal, and how many of them may probe guessed URLs
MAX_LINKED, SOME = 3, 3  # linked candidates that are tried, and guesses that are tried concurrently
AT_A_TIME = 8
HOME_SECONDS, HEAD_SECONDS, GET_SECONDS, ALL_SECONDS, DRAW_SECONDS = 12.0, 4.0, 8.0, 15.0, 15.0
NO_TEXT = ("image/", "audio/", "video/", "font/")
NO_HEAD = {400, 403, 405, 406, 500, 501, 503}  # statuses that may apply to the HEAD method only
ACCEPT = "text/html, application/xhtml+xml, application/pdf;q=0.8, text/markdown;q=0.7, */*;q=0.1"
INSIDE = re.compile(r"colou?r|palette|typograph|\bfonts?\b|typeface|logo|tone|voice", re.IGNORECASE)
MAX_INSIDE = 4  # further pages read of a portal
ALIKE = 0.8  # share of common lines above which a page counts as the homepage


@dataclass(frozen=True)
class Home:
    """The homepage: its URL, the brand facts it declares, and its lines."""

    url: str
    brand: Brand
    lines: frozenset[str] = frozenset()
    links: tuple[str, ...] = ()  # possible links to a portal, the likeliest first

    @property
    def host(self) -> str:
        return split_url(self.url).hostname or ""


@dataclass(frozen=True)
class Portal:
    """A page with brand guidelines, with the combined text of its subpages."""

    url: str
    text: str
    pages: tuple[str, ...] = field(default=())  # URLs of the pages

    @property
    def is_blocked(self) -> bool:
        return portal.is_blocked(self.text)


@dataclass(frozen=True)
class Candidate:
    """A URL that may be a portal."""

    url: str
    is_dedicated: bool = False  # on its own host
    is_linked: bool = False  # linked by the homepage, so it need not be probed


def candidates(home_url: str) -> list[Candidate]:
    """Guessed portal URLs, the likeliest first: subdomains, then paths on the homepage's host."""
    at = split_url(home_url)
    host = at.hostname or ""
    port = f":{at.port}" if at.port else ""
    domain = registrable(host)
    is_domain = not (LITERAL.fullmatch(host) or ":" in host) and "." in domain
    subdomains = [Candidate(f"{at.scheme}://{name}.{domain}{port}/", True) for name in SUBDOMAINS if is_domain]
    return subdomains + [Candidate(join_url(home_url, path)) for path in PATHS]


class BrandPageFinder:
    """Finds and reads a brand's pages with the guarded HTTP client; uses `browser` for pages rendered by scripts."""

    def __init__(self, web: GuardedClient, settings: Settings, browser: Browser | None = None) -> None:
        self._web, self._settings, self._browser = web, settings, browser
        self._slots = asyncio.Semaphore(AT_A_TIME)
        self._left: int | None = None  # remaining requests in search of a portal
        self._guesses = 0  # remaining probes of guessed URLs
        self._is_uniform = False  # whether the host responds to other paths with the homepage

    async def home(self, url: str) -> Home:
        """Read the homepage of the site of `url` with one request. Raises the errors of fetching and parsing."""
        fetched = await self._web.fetch(
            join_url(canonical(url), "/"), accept=ACCEPT, cap=self._settings.max_html_bytes, seconds=HOME_SECONDS
        )
        if refusal := error_mapping.response_error(fetched, response_parser.get_retry_after(fetched)):
            raise refusal
        if response_parser.is_wall(fetched):
            raise error_mapping.blocked_error(fetched.url)
        brand, lines, links = await asyncio.to_thread(_parse_homepage, fetched)
        return Home(fetched.url, brand, lines | _split_sentences((await self._extract_text(fetched)) or ""), links)

    async def portal(self, home: Home, *, everywhere: bool = False) -> Portal | None:
        """Find the likeliest page with guidelines; None if there is none.

        Tries the homepage's links and the likeliest URLs with at most MAX_PROBES requests; with `everywhere`, all URLs.
        """
        self._left, self._guesses = (None, len(PATHS) + len(SUBDOMAINS)) if everywhere else (MAX_PROBES, MAX_GUESSES)
        found = None
        with suppress(TimeoutError):
            async with asyncio.timeout(ALL_SECONDS):
                for group in _group_candidates(home, everywhere=everywhere):
                    found = await self._find_first_portal(group, home)
                    if found or (self._is_uniform and not group[0].is_dedicated):
                        break
        return await self.read(found) if found else None

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

    def _may_ask(self) -> bool:
        """Whether the request budget allows another request, which is counted."""
        if self._left is None:
            return True
        self._left -= 1
        return self._left >= 0

    async def at(self, url: str, home: Home) -> Portal | None:
        """The portal at a URL from another source; None if it is not a portal."""
        fetched = await self._get(Candidate(url, True), home)
        return await self.read(fetched) if fetched else None

    async def read(self, fetched: Fetched) -> Portal:
        """Read the portal and its subpages on colours, typefaces, logos and voice."""
        found = await self._read_with_subpages(fetched)
        if found.is_blocked and (rendered := await self._fetch_rendered(fetched.url)):
            more = await self._read_with_subpages(rendered, draw=True)
            found = more if len(more.text) > len(found.text) else found
        return found

    async def _read_with_subpages(self, fetched: Fetched, *, draw: bool = False) -> Portal:
        texts = {fetched.url: await self._extract_text(fetched) or ""}
        links = await asyncio.to_thread(_list_subpage_links, fetched)
        inside = await map_concurrently(lambda link: self._read_subpage(link, fetched.url, draw=draw), links)
        texts |= {page.url: text for page, text in inside if page and text}
        return Portal(fetched.url, "\n\n".join(text for text in texts.values() if text), tuple(texts))

    async def _probe(self, candidate: Candidate, home: Home) -> Fetched | None:
        async with self._slots:
            try:
                await self._web.check(candidate.url)
                if not candidate.is_linked:
                    self._guesses -= 1
                    if self._guesses < 0 or not self._may_ask():
                        return None
                    head = await self._web.fetch(candidate.url, method="HEAD", cap=1024, seconds=HEAD_SECONDS)
                    if _is_redirected_away(head.url, candidate, home) or not (
                        head.status == 200 or head.status in NO_HEAD
                    ):
                        return None
            except ToolError:  # the host does not exist, is private, or does not respond
                return None
            return await self._get(candidate, home) if self._may_ask() else None

    async def _get(self, candidate: Candidate, home: Home) -> Fetched | None:
        try:
            fetched = await self._web.fetch(
                candidate.url, accept=ACCEPT, cap=self._settings.max_html_bytes, seconds=GET_SECONDS
            )
        except ToolError:
            return None
        if (
            fetched.status != 200
            or _is_redirected_away(fetched.url, candidate, home)
            or response_parser.is_wall(fetched)
        ):
            return None
        text = await self._extract_text(fetched)
        if text is None:
            return None
        if _measure_overlap(_split_sentences(text), home.lines) >= ALIKE:
            self._is_uniform = self._is_uniform or not candidate.is_dedicated
            return None
        return fetched if portal.is_portal(_get_title(fetched), text) else None

    async def _read_subpage(self, link: str, url: str, *, draw: bool) -> tuple[Fetched | None, str | None]:
        fetched, text = await self._fetch_linked(link, url)
        if draw and fetched and portal.is_blocked(text or "") and (rendered := await self._fetch_rendered(link)):
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
        """The page's text; None if it has none, cannot be read or is an access wall."""
        if fetched.content_type.startswith(NO_TEXT):
            return None
        try:
            return (await response_parser.read(fetched, "html", self._settings)).page.content
        except ToolError:
            return None

    async def _fetch_rendered(self, url: str) -> Fetched | None:
        """The rendered page; None without a browser or if rendering fails."""
        if self._browser is None:
            return None
        try:
            rendered = await self._browser.render(url, settle=slow_sites.SLOW_SECONDS, seconds=DRAW_SECONDS)
        except ToolError:
            return None
        return response_parser.to_fetched(rendered) if rendered.status == 200 else None


def _parse_homepage(fetched: Fetched) -> tuple[Brand, frozenset[str], tuple[str, ...]]:
    """The brand facts of a homepage, its lines (including scripts and styles), and its links to portals."""
    tree = parse_html(decode(fetched.body, fetched.charset))
    return (
        homepage.read(tree, fetched.url),
        _split_sentences("\n".join(tree.itertext())),
        _list_portal_links(tree, fetched.url),
    )


def _list_portal_links(tree: "HtmlElement", url: str) -> tuple[str, ...]:
    """Links to the company's domain or a brand portal service whose text or URL matches PORTAL_LINK."""
    found: dict[str, int] = {}
    base, domain = find_base_url(tree, url), registrable(split_url(url).hostname or "")
    for link in tree.iter("a"):
        href = (link.get("href") or "").strip()
        label = re.sub(r"[-_/.]+", " ", f"{href} {''.join(link.itertext())[:100]}")
        if not href or href.startswith("#") or not PORTAL_LINK.search(label):
            continue
        try:
            address = canonical(join_url(base, href))
        except (ToolError, ValueError):
            continue
        if registrable(split_url(address).hostname or "") in (domain, *PORTAL_HOSTS) and not _is_file(address):
            found.setdefault(address, 0 if portal.STRONG.search(label) else 1)
    return tuple(sorted(found, key=lambda address: found[address]))


def _group_candidates(home: Home, *, everywhere: bool) -> Iterator[list[Candidate]]:
    """Groups of candidates in probing order: dedicated hosts before paths, links before guesses."""
    linked = [Candidate(url, split_url(url).hostname != home.host, is_linked=True) for url in home.links]
    subdomains, paths = (
        [one for one in candidates(home.url) if one.is_dedicated is dedicated] for dedicated in (True, False)
    )
    ranked = [one for dedicated in (True, False) for one in linked if one.is_dedicated is dedicated][:MAX_LINKED]
    paths = [one for one in paths if one.url not in {link.url for link in ranked}]
    likely = [one for path in LIKELY for one in paths if one.url == join_url(home.url, path)]
    groups = [
        [one for one in ranked if one.is_dedicated],
        subdomains,
        [one for one in ranked if not one.is_dedicated],
        *(likely[start : start + SOME] for start in range(0, len(likely), SOME)),
        [one for one in paths if everywhere and one not in likely],
    ]
    return iter([group for group in groups if group])


def _is_redirected_away(url: str, candidate: Candidate, home: Home) -> bool:
    """Whether a redirect led to another host or to the homepage."""
    at, requested, house = split_url(url), split_url(candidate.url), split_url(home.url)
    if (at.hostname or "").removeprefix("www.") != (requested.hostname or "").removeprefix("www."):
        return True
    if candidate.is_dedicated:
        return False
    return at.path.rstrip("/") in ("", house.path.rstrip("/"))


def _get_title(fetched: Fetched) -> str:
    if response_parser.detect_kind(fetched) or response_parser.describe_binary(fetched):
        return ""
    title = parse_html(decode(fetched.body[:200_000], fetched.charset)).find(".//title")
    return " ".join((title.text or "").split()) if title is not None else ""


def _list_subpage_links(fetched: Fetched) -> list[str]:
    """Links to the portal's subpages on colours, typefaces, logos and voice, deduplicated, in document order."""
    if response_parser.detect_kind(fetched) or response_parser.describe_binary(fetched):
        return []
    tree = parse_html(decode(fetched.body, fetched.charset))
    base, host = find_base_url(tree, fetched.url), split_url(fetched.url).hostname
    found: dict[str, None] = {}
    for link in tree.iter("a"):
        href = (link.get("href") or "").strip()
        if not href or href.startswith("#") or not INSIDE.search(f"{href} {''.join(link.itertext())[:100]}"):
            continue
        try:
            url = canonical(join_url(base, href))
        except (ToolError, ValueError):
            continue
        if split_url(url).hostname == host and url != fetched.url and not _is_file(url):
            found.setdefault(url)
    return list(found)[:MAX_INSIDE]


def _is_file(url: str) -> bool:
    ending = split_url(url).path.rpartition("/")[2].rpartition(".")
    return bool(ending[1]) and ending[2].lower() not in ("html", "htm", "php", "aspx", "pdf")


def _split_sentences(text: str) -> frozenset[str]:
    """The text as normalised sentences, to compare pages."""
    pieces = (" ".join(re.findall(r"\w+", piece.lower())) for piece in re.split(r"[\n.!?|]+", text))
    return frozenset(piece for piece in pieces if len(piece) > 3)


def _measure_overlap(lines: frozenset[str], known: Sequence[str] | frozenset[str]) -> float:
    return len(lines & frozenset(known)) / len(lines) if lines else 0.0
