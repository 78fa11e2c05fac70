"""The URLs at which a company may have brand guidelines: links of its homepage, common subdomains and paths."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from assay.brand import portal
from assay.brand.brand_models import Brand
from assay.errors import ToolError
from assay.html.parser.html_element import HtmlElement
from assay.html.reader.main_content import find_base_url
from assay.net.urls import LITERAL, canonicalize_url, get_registrable_domain
from assay.text.url_parts import join_url, split_url

SUBDOMAINS = ("brand", "press", "newsroom", "media", "design")
PATHS = (
    "/brand", "/brand-guidelines", "/brandbook", "/brand-center", "/brand-assets", "/press", "/presskit", "/press-kit",
    "/press-room", "/newsroom", "/media", "/media-kit", "/mediakit", "/design", "/design-system", "/styleguide",
    "/style-guide", "/guidelines", "/identity", "/visual-identity", "/about/brand",
)  # fmt: skip
LIKELY_PATHS = ("/brand", "/press", "/brand-guidelines", "/media-kit", "/newsroom")
PORTAL_HOSTS = ("frontify.com", "brandfolder.com", "bynder.com", "corebook.io", "zeroheight.com", "brandpad.io")
PORTAL_LINK = re.compile(
    r"\b(?:brand(?: (?:guidelines?|book|kit|assets|resources|cent(?:er|re)|hub|portal))?|brandbook|press|newsroom"
    r"|(?:press|media) ?(?:kit|room|cent(?:er|re)|resources)|style ?guide|design system|visual identity)\b",
    re.IGNORECASE,
)
SUBPAGE_LINK = re.compile(r"colou?r|palette|typograph|\bfonts?\b|typeface|logo|tone|voice", re.IGNORECASE)
MAX_SUBPAGES = 4  # further pages read of a portal
MAX_LINKED_CANDIDATES = 3  # linked candidates that are tried
GROUP_SIZE = 3  # guesses that are tried concurrently


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
class Candidate:
    """A URL that may be a portal."""

    url: str
    is_dedicated: bool = False  # on its own host
    is_linked: bool = False  # linked by the homepage, so it need not be probed


def guess_candidates(home_url: str) -> list[Candidate]:
    """Return guessed portal URLs, the likeliest first: subdomains, then paths on the homepage's host."""
    parsed = split_url(home_url)
    host = parsed.hostname or ""
    port = f":{parsed.port}" if parsed.port else ""
    domain = get_registrable_domain(host)
    is_domain = not (LITERAL.fullmatch(host) or ":" in host) and "." in domain
    subdomains = [Candidate(f"{parsed.scheme}://{name}.{domain}{port}/", True) for name in SUBDOMAINS if is_domain]
    return subdomains + [Candidate(join_url(home_url, path)) for path in PATHS]


def find_portal_links(tree: HtmlElement, url: str) -> tuple[str, ...]:
    """Return the links to the company's domain or a brand portal service whose text or URL matches PORTAL_LINK."""
    found: dict[str, int] = {}
    base, domain = find_base_url(tree, url), get_registrable_domain(split_url(url).hostname or "")
    for link in tree.iter("a"):
        href = (link.get("href") or "").strip()
        label = re.sub(r"[-_/.]+", " ", f"{href} {''.join(link.itertext())[:100]}")
        if not href or href.startswith("#") or not PORTAL_LINK.search(label):
            continue
        try:
            address = canonicalize_url(join_url(base, href))
        except (ToolError, ValueError):
            continue
        if get_registrable_domain(split_url(address).hostname or "") in (domain, *PORTAL_HOSTS) and not _is_file(
            address
        ):
            found.setdefault(address, 0 if portal.DECISIVE_PHRASE.search(label) else 1)
    return tuple(sorted(found, key=lambda address: found[address]))


def group_candidates(home: Home, *, probe_all: bool) -> Iterator[list[Candidate]]:
    """Yield groups of candidates in probing order: dedicated hosts before paths, links before guesses."""
    linked = [Candidate(url, split_url(url).hostname != home.host, is_linked=True) for url in home.links]
    subdomains, paths = (
        [one for one in guess_candidates(home.url) if one.is_dedicated is dedicated] for dedicated in (True, False)
    )
    linked.sort(key=lambda one: not one.is_dedicated)
    ranked = linked[:MAX_LINKED_CANDIDATES]
    paths = [one for one in paths if one.url not in {link.url for link in ranked}]
    likely = [one for path in LIKELY_PATHS for one in paths if one.url == join_url(home.url, path)]
    groups = [
        [one for one in ranked if one.is_dedicated],
        subdomains,
        [one for one in ranked if not one.is_dedicated],
        *(likely[start : start + GROUP_SIZE] for start in range(0, len(likely), GROUP_SIZE)),
        [one for one in paths if probe_all and one not in likely],
    ]
    return iter([group for group in groups if group])


def is_redirected_away(url: str, candidate: Candidate, home: Home) -> bool:
    """Return whether a redirect led to another host or to the homepage."""
    parsed, requested, homepage = split_url(url), split_url(candidate.url), split_url(home.url)
    if (parsed.hostname or "").removeprefix("www.") != (requested.hostname or "").removeprefix("www."):
        return True
    if candidate.is_dedicated:
        return False
    return parsed.path.rstrip("/") in ("", homepage.path.rstrip("/"))


def find_subpage_links(tree: HtmlElement, page_url: str) -> list[str]:
    """Return links to the portal's subpages on colours, typefaces, logos and voice, without duplicates, in order."""
    base, host = find_base_url(tree, page_url), split_url(page_url).hostname
    found: dict[str, None] = {}
    for link in tree.iter("a"):
        href = (link.get("href") or "").strip()
        if not href or href.startswith("#") or not SUBPAGE_LINK.search(f"{href} {''.join(link.itertext())[:100]}"):
            continue
        try:
            url = canonicalize_url(join_url(base, href))
        except (ToolError, ValueError):
            continue
        if split_url(url).hostname == host and url != page_url and not _is_file(url):
            found.setdefault(url)
    return list(found)[:MAX_SUBPAGES]


def _is_file(url: str) -> bool:
    name = split_url(url).path.rpartition("/")[2].rpartition(".")
    return bool(name[1]) and name[2].lower() not in ("html", "htm", "php", "aspx", "pdf")
