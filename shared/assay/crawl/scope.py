"""Which addresses belong to a crawl, and which of them are one page."""

import hashlib
import re
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import parse_qsl, quote, unquote_to_bytes, urlencode

from assay.errors import InvalidInput
from assay.net.urls import PORTS, ParsedUrl, parse_url
from assay.text.url_text import TRACKERS

if TYPE_CHECKING:
    from assay.crawl.url_patterns import UrlPattern

SESSION_IDS = re.compile(r";jsessionid=[^/?#;]*", re.IGNORECASE)
SESSION_NAMES = {"phpsessid", "jsessionid", "aspsessionid", "cfid", "cftoken", "sid", "sessionid", "session_id", "s_id"}
UNESCAPED = "~!$&'()*+,;=:@"  # in a path these mean themselves
SESSION_LEAST = 16  # characters: a short `sid` names something else
RESOURCES = re.compile(
    r"\.(?:png|jpe?g|gif|webp|avif|svg|ico|bmp|tiff?|mp[34]|m4[av]|webm|og[gv]|wav|flac|avi|mov|mkv|wmv"
    r"|css|js|mjs|map|wasm|woff2?|ttf|otf|eot|zip|tar|gz|tgz|bz2|xz|7z|rar|exe|msi|dmg|pkg|deb|rpm|apk|iso|bin|jar)$",
    re.IGNORECASE,
)
# What is no page either, but may be what a caller is after: read where a pattern of theirs names it.
DOCUMENTS = re.compile(r"\.(?:pdf|docx?|pptx?|xlsx?|csv|xml|json|txt|rss|atom|epub)$", re.IGNORECASE)


# Addresses that change something when they are asked for, though GET should not: the last step of a path, or an action.
ACTIONS = (
    r"(?:log|sign)[-_]?(?:out|off)|(?:delete|remove|destroy|unsubscribe|unfollow|deactivate|cancel)"
    r"|(?:add[-_]?to|empty|clear)[-_]?(?:cart|basket|wishlist|bag)|(?:up|down)?vote"
)
CHANGING_PATH = re.compile(rf"/(?:{ACTIONS})(?:\.\w{{1,5}})?/?$", re.IGNORECASE | re.ASCII)
CHANGING_QUERY = re.compile(
    rf"(?:^|&)(?:(?:action|act|do|op|cmd|task|mode|method|_method)=(?:{ACTIONS})|(?:{ACTIONS})=[^&]*|(?:{ACTIONS}))(?:&|$)",
    re.IGNORECASE | re.ASCII,
)


def changes_something(target: str) -> bool:
    """Whether a path with its query reads like an action: `/logout`, `/item/5/delete`, `?action=remove`."""
    path, _, query = target.partition("?")
    return bool(CHANGING_PATH.search(path) or CHANGING_QUERY.search(query))


class Site(NamedTuple):
    """`www.` and the scheme do not tell sites apart, the port does; 0 is the scheme's own."""

    host: str
    port: int

    @property
    def name(self) -> str:
        return f"{self.host}:{self.port}" if self.port else self.host


def site_of(at: ParsedUrl) -> Site:
    return Site(at.host.removeprefix("www."), 0 if at.port == PORTS[at.scheme] else at.port)


def key_of(url: str) -> str:
    """Equal for addresses of one page: scheme, `www.`, trackers, ids of sessions, the order of what a query asks, the
    last slash and the fragment do not count.
    """
    at = parse_url(url)
    path, _, query = at.target.partition("?")
    said = f"{site_of(at).name}{_plain(SESSION_IDS.sub('', path)).rstrip('/')}?{_normalize_query(query)}"
    return hashlib.sha256(said.encode(errors="surrogatepass")).hexdigest()[:32]


def _plain(path: str) -> str:
    """Each step written in one way, whichever of its letters were escaped."""
    return "/".join(quote(unquote_to_bytes(step), safe=UNESCAPED) for step in path.split("/"))


def _normalize_query(query: str) -> str:
    """What a query asks, in one order. Bytes are kept apart whatever text they once were: hence latin-1."""
    parts = parse_qsl(TRACKERS.sub("", query).lstrip("&"), keep_blank_values=True, encoding="latin-1")
    return urlencode(sorted(part for part in parts if _tells(part)), encoding="latin-1")


def _tells(part: tuple[str, str]) -> bool:
    name, value = part
    return name.lower() not in SESSION_NAMES or len(value) < SESSION_LEAST


class Scope:
    """The site of `start`, and what the caller's patterns leave of it."""

    def __init__(self, start: str, include: "Sequence[UrlPattern]" = (), exclude: "Sequence[UrlPattern]" = ()) -> None:
        self.start, self._include, self._exclude = start, include, exclude

    @cached_property
    def site(self) -> Site:
        return site_of(parse_url(self.start))

    def holds(self, url: str) -> bool:
        """Whether the canonical `url` is of this site, whatever the patterns say."""
        try:
            return site_of(parse_url(url)) == self.site
        except InvalidInput:
            return False

    def admits(self, url: str) -> bool:
        """Whether a page that was found at `url` is to be read. Exclusion wins, and what changes something is out."""
        if not self.holds(url):
            return False
        target = parse_url(url).target
        if changes_something(target):
            return False
        path = target.partition("?")[0]
        wanted = any(pattern.search(url) for pattern in self._include)
        if RESOURCES.search(path) or (self._include and not wanted) or (DOCUMENTS.search(path) and not wanted):
            return False
        return not any(pattern.search(url) for pattern in self._exclude)
