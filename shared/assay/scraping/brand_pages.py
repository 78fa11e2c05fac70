"""Where a company shows its brand: the homepage, read once, and the portal that may stand beside it."""

import asyncio
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from assay.brand import homepage, portal
from assay.brand.brand_models import Brand
from assay.errors import ToolError
from assay.html.parser.html_tree import parse
from assay.html.reader.main_content import find_base_url
from assay.net.guarded_client import Fetched, GuardedClient
from assay.net.urls import LITERAL, canonical, registrable
from assay.scraping import error_mapping, response_parser
from assay.settings import Settings
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
MOST_PROBES, MOST_GUESSES = (
    7,
    5,
)  # requests in search of a portal, and how many of them may ask whether a place is there
MOST_LINKED, SOME = 3, 3  # links that are asked, and guesses that are asked side by side
AT_A_TIME = 8
HOME_SECONDS, HEAD_SECONDS, GET_SECONDS, ALL_SECONDS, DRAW_SECONDS = 12.0, 4.0, 8.0, 15.0, 15.0
NO_TEXT = ("image/", "audio/", "video/", "font/")
NO_HEAD = {400, 403, 405, 406, 500, 501, 503}  # answers that may be about HEAD alone
ACCEPT = "text/html, application/xhtml+xml, application/pdf;q=0.8, text/markdown;q=0.7, */*;q=0.1"
INSIDE = re.compile(r"colou?r|palette|typograph|\bfonts?\b|typeface|logo|tone|voice", re.IGNORECASE)
MOST_INSIDE = 4  # pages of a portal read beside the first
ALIKE = 0.8  # of a page's lines that are the homepage's too: it is the homepage


@dataclass(frozen=True)
class Home:
    """The homepage: where it is, what it says of the brand, and its lines."""

    url: str
    brand: Brand
    lines: frozenset[str] = frozenset()
    links: tuple[str, ...] = ()  # that may lead to a portal, the likeliest first

    @property
    def host(self) -> str:
        return split_url(self.url).hostname or ""


@dataclass(frozen=True)
class Portal:
    """A page with brand guidelines, and the text of it and of the pages inside it."""

    url: str
    text: str
    pages: tuple[str, ...] = field(default=())  # their addresses

    @property
    def is_blocked(self) -> bool:
        return portal.is_blocked(self.text)


@dataclass(frozen=True)
class Candidate:
    url: str
    is_dedicated: bool = False  # a host of its own
    is_linked: bool = False  # by the homepage: it is there


def candidates(home_url: str) -> list[Candidate]:
    """Where brands show themselves, the likeliest first: five hosts, then twenty-one paths of the homepage's host."""
    at = split_url(home_url)
    host = at.hostname or ""
    port = f":{at.port}" if at.port else ""
    domain = registrable(host)
    named = not (LITERAL.fullmatch(host) or ":" in host) and "." in domain
    beside = [Candidate(f"{at.scheme}://{name}.{domain}{port}/", True) for name in SUBDOMAINS if named]
    return beside + [Candidate(join_url(home_url, path)) for path in PATHS]


class Scout:
    """Finds and reads a brand's pages by the guarded way out; `browser` those that fill themselves by scripts."""

    def __init__(self, web: GuardedClient, settings: Settings, browser: Browser | None = None) -> None:
        self._web, self._settings, self._browser = web, settings, browser
        self._slots = asyncio.Semaphore(AT_A_TIME)
        self._left: int | None = None  # requests that may still be made in search of a portal
        self._guesses = 0  # of them, that may ask whether a place is there
        self._is_uniform = False  # whether the homepage's host answers other paths with the homepage

    async def home(self, url: str) -> Home:
        """The homepage of `url`'s site in one request. Raises what fetching and reading raise."""
        fetched = await self._web.fetch(
            join_url(canonical(url), "/"), accept=ACCEPT, cap=self._settings.max_html_bytes, seconds=HOME_SECONDS
        )
        if refusal := error_mapping.refusal(fetched, response_parser.retry_after(fetched)):
            raise refusal
        if response_parser.is_wall(fetched):
            raise error_mapping.blocked_error(fetched.url)
        brand, lines, links = await asyncio.to_thread(_parse_homepage, fetched)
        return Home(fetched.url, brand, lines | _lines((await self._text(fetched)) or ""), links)

    async def portal(self, home: Home, *, everywhere: bool = False) -> Portal | None:
        """The likeliest place that holds guidelines; what leads home, elsewhere or nowhere is none.

        What the homepage links and the likeliest places are asked, within MOST_PROBES requests; `everywhere` asks all
        places that there may be.
        """
        self._left, self._guesses = (None, len(PATHS) + len(SUBDOMAINS)) if everywhere else (MOST_PROBES, MOST_GUESSES)
        found = None
        with suppress(TimeoutError):
            async with asyncio.timeout(ALL_SECONDS):
                for group in _groups(home, everywhere=everywhere):
                    found = await self._first(group, home)
                    if found or (self._is_uniform and not group[0].is_dedicated):
                        break
        return await self.read(found) if found else None

    async def _first(self, group: Sequence[Candidate], home: Home) -> Fetched | None:
        """The portal of the likeliest of the candidates that has one; they are asked side by side."""
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
        """Count one more request, unless there were enough."""
        if self._left is None:
            return True
        self._left -= 1
        return self._left >= 0

    async def at(self, url: str, home: Home) -> Portal | None:
        """The portal at an address that somebody else found; None where it is none."""
        fetched = await self._get(Candidate(url, True), home)
        return await self.read(fetched) if fetched else None

    async def read(self, fetched: Fetched) -> Portal:
        """The portal's text with that of the pages inside it on colours, typefaces, logos and voice."""
        found = await self._whole(fetched)
        if found.is_blocked and (drawn := await self._fetch_rendered(fetched.url)):
            more = await self._whole(drawn, draw=True)
            found = more if len(more.text) > len(found.text) else found
        return found

    async def _whole(self, fetched: Fetched, *, draw: bool = False) -> Portal:
        texts = {fetched.url: await self._text(fetched) or ""}
        links = await asyncio.to_thread(_inside_links, fetched)
        inside = await asyncio.gather(*(self._inside(link, fetched.url, draw=draw) for link in links))
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
                    if _leads_away(head.url, candidate, home) or not (head.status == 200 or head.status in NO_HEAD):
                        return None
            except ToolError:  # no such host, a private one, or nobody there: no candidate
                return None
            return await self._get(candidate, home) if self._may_ask() else None

    async def _get(self, candidate: Candidate, home: Home) -> Fetched | None:
        try:
            fetched = await self._web.fetch(
                candidate.url, accept=ACCEPT, cap=self._settings.max_html_bytes, seconds=GET_SECONDS
            )
        except ToolError:
            return None
        if fetched.status != 200 or _leads_away(fetched.url, candidate, home) or response_parser.is_wall(fetched):
            return None
        text = await self._text(fetched)
        if text is None:
            return None
        if _share(_lines(text), home.lines) >= ALIKE:
            self._is_uniform = self._is_uniform or not candidate.is_dedicated
            return None
        return fetched if portal.is_portal(_title(fetched), text) else None

    async def _inside(self, link: str, url: str, *, draw: bool) -> tuple[Fetched | None, str | None]:
        fetched, text = await self._fetch_linked(link, url)
        if draw and fetched and portal.is_blocked(text or "") and (drawn := await self._fetch_rendered(link)):
            return drawn, await self._text(drawn)
        return fetched, text

    async def _fetch_linked(self, link: str, url: str) -> tuple[Fetched | None, str | None]:
        try:
            async with self._slots:
                fetched = await self._web.fetch(
                    link, accept=ACCEPT, cap=self._settings.max_html_bytes, seconds=GET_SECONDS
                )
        except ToolError:
            return None, None
        strayed = split_url(fetched.url).hostname != split_url(url).hostname or fetched.url == url
        return (None, None) if fetched.status != 200 or strayed else (fetched, await self._text(fetched))

    async def _text(self, fetched: Fetched) -> str | None:
        """The page's text; None for what has none, cannot be read or is a wall."""
        if fetched.content_type.startswith(NO_TEXT):
            return None
        try:
            return (await response_parser.read(fetched, "html", self._settings)).page.content
        except ToolError:
            return None

    async def _fetch_rendered(self, url: str) -> Fetched | None:
        """The page after its scripts ran; None where nothing here can run them or they come to nothing."""
        if self._browser is None:
            return None
        try:
            rendered = await self._browser.render(url, settle=response_parser.SLOW_SECONDS, seconds=DRAW_SECONDS)
        except ToolError:
            return None
        return response_parser.of_rendered(rendered) if rendered.status == 200 else None


def _parse_homepage(fetched: Fetched) -> tuple[Brand, frozenset[str], tuple[str, ...]]:
    """What a homepage declares, its lines, its scripts' and styles' too (they are as much its own), and its links."""
    tree = parse(decode(fetched.body, fetched.charset))
    return homepage.read(tree, fetched.url), _lines("\n".join(tree.itertext())), _portal_links(tree, fetched.url)


def _portal_links(tree: "HtmlElement", url: str) -> tuple[str, ...]:
    """Links of the company's own domain, or of a service that keeps brand portals, that speak of a brand's use."""
    found: dict[str, int] = {}
    base, domain = find_base_url(tree, url), registrable(split_url(url).hostname or "")
    for link in tree.iter("a"):
        href = (link.get("href") or "").strip()
        said = re.sub(r"[-_/.]+", " ", f"{href} {''.join(link.itertext())[:100]}")
        if not href or href.startswith("#") or not PORTAL_LINK.search(said):
            continue
        try:
            address = canonical(join_url(base, href))
        except (ToolError, ValueError):
            continue
        if registrable(split_url(address).hostname or "") in (domain, *PORTAL_HOSTS) and not _is_file(address):
            found.setdefault(address, 0 if portal.STRONG.search(said) else 1)
    return tuple(sorted(found, key=lambda address: found[address]))


def _groups(home: Home, *, everywhere: bool) -> Iterator[list[Candidate]]:
    """The candidates in the order in which they are asked: hosts of their own before paths, links before guesses."""
    linked = [Candidate(url, split_url(url).hostname != home.host, is_linked=True) for url in home.links]
    beside, paths = (
        [one for one in candidates(home.url) if one.is_dedicated is dedicated] for dedicated in (True, False)
    )
    asked = [one for dedicated in (True, False) for one in linked if one.is_dedicated is dedicated][:MOST_LINKED]
    paths = [one for one in paths if one.url not in {link.url for link in asked}]
    likely = [one for path in LIKELY for one in paths if one.url == join_url(home.url, path)]
    groups = [
        [one for one in asked if one.is_dedicated],
        beside,
        [one for one in asked if not one.is_dedicated],
        *(likely[start : start + SOME] for start in range(0, len(likely), SOME)),
        [one for one in paths if everywhere and one not in likely],
    ]
    return iter([group for group in groups if group])


def _leads_away(url: str, candidate: Candidate, home: Home) -> bool:
    """Whether a redirect ended on another host or on the homepage."""
    at, asked, house = split_url(url), split_url(candidate.url), split_url(home.url)
    if (at.hostname or "").removeprefix("www.") != (asked.hostname or "").removeprefix("www."):
        return True
    if candidate.is_dedicated:
        return False
    return at.path.rstrip("/") in ("", house.path.rstrip("/"))


def _title(fetched: Fetched) -> str:
    if response_parser.kind(fetched) or response_parser.describe_binary(fetched):
        return ""
    title = parse(decode(fetched.body[:200_000], fetched.charset)).find(".//title")
    return " ".join((title.text or "").split()) if title is not None else ""


def _inside_links(fetched: Fetched) -> list[str]:
    """The portal's own pages on colours, typefaces, logos and voice, each once, in its order."""
    if response_parser.kind(fetched) or response_parser.describe_binary(fetched):
        return []
    tree = parse(decode(fetched.body, fetched.charset))
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
    return list(found)[:MOST_INSIDE]


def _is_file(url: str) -> bool:
    ending = split_url(url).path.rpartition("/")[2].rpartition(".")
    return bool(ending[1]) and ending[2].lower() not in ("html", "htm", "php", "aspx", "pdf")


def _lines(text: str) -> frozenset[str]:
    """The text in pieces of a sentence each, to see whether two pages are one."""
    pieces = (" ".join(re.findall(r"\w+", piece.lower())) for piece in re.split(r"[\n.!?|]+", text))
    return frozenset(piece for piece in pieces if len(piece) > 3)


def _share(lines: frozenset[str], known: Sequence[str] | frozenset[str]) -> float:
    return len(lines & frozenset(known)) / len(lines) if lines else 0.0
