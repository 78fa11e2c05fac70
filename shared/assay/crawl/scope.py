"""Decides which URLs belong to a crawl, and which of them are the same page."""

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
UNESCAPED = "~!$&'()*+,;=:@"  # unreserved in a path
MIN_SESSION_ID = 16  # characters: a short `sid` has another meaning
RESOURCES = re.compile(
    r"\.(?:png|jpe?g|gif|webp|avif|svg|ico|bmp|tiff?|mp[34]|m4[av]|webm|og[gv]|wav|flac|avi|mov|mkv|wmv"
    r"|css|js|mjs|map|wasm|woff2?|ttf|otf|eot|zip|tar|gz|tgz|bz2|xz|7z|rar|exe|msi|dmg|pkg|deb|rpm|apk|iso|bin|jar)$",
    re.IGNORECASE,
)
# Not pages, but possibly what a caller wants: read if an include pattern matches them.
DOCUMENTS = re.compile(r"\.(?:pdf|docx?|pptx?|xlsx?|csv|xml|json|txt|rss|atom|epub)$", re.IGNORECASE)


# GET requests with side effects, by the last path segment or an action parameter.
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
    """Return whether a path with its query looks like an action: `/logout`, `/item/5/delete`, `?action=remove`."""
    path, _, query = target.partition("?")
    return bool(CHANGING_PATH.search(path) or CHANGING_QUERY.search(query))


class Site(NamedTuple):
    """A site: host without `www.`, and port (0 is the scheme's default); the scheme is ignored."""

    host: str
    port: int

    @property
    def name(self) -> str:
        return f"{self.host}:{self.port}" if self.port else self.host


def site_of(at: ParsedUrl) -> Site:
    return Site(at.host.removeprefix("www."), 0 if at.port == PORTS[at.scheme] else at.port)


def key_of(url: str) -> str:
    """Return a key that is equal for URLs of one page.

    Scheme, `www.`, tracking parameters, session ids, the order of the query, a trailing slash and the fragment are
    ignored.
    """
    at = parse_url(url)
    path, _, query = at.target.partition("?")
    key = f"{site_of(at).name}{_normalize_path(SESSION_IDS.sub('', path)).rstrip('/')}?{_normalize_query(query)}"
    return hashlib.sha256(key.encode(errors="surrogatepass")).hexdigest()[:32]


def _normalize_path(path: str) -> str:
    """Normalise the percent-encoding of each path segment."""
    return "/".join(quote(unquote_to_bytes(step), safe=UNESCAPED) for step in path.split("/"))


def _normalize_query(query: str) -> str:
    """Sort the query parameters. Latin-1 keeps the bytes whatever their encoding is."""
    parts = parse_qsl(TRACKERS.sub("", query).lstrip("&"), keep_blank_values=True, encoding="latin-1")
    return urlencode(sorted(part for part in parts if _selects_content(part)), encoding="latin-1")


def _selects_content(part: tuple[str, str]) -> bool:
    name, value = part
    return name.lower() not in SESSION_NAMES or len(value) < MIN_SESSION_ID


class Scope:
    """The site of `start`, restricted by the caller's patterns."""

    def __init__(self, start: str, include: "Sequence[UrlPattern]" = (), exclude: "Sequence[UrlPattern]" = ()) -> None:
        self.start, self._include, self._exclude = start, include, exclude

    @cached_property
    def site(self) -> Site:
        return site_of(parse_url(self.start))

    def is_on_site(self, url: str) -> bool:
        """Return whether the canonical `url` is on this site, regardless of the patterns."""
        try:
            return site_of(parse_url(url)) == self.site
        except InvalidInput:
            return False

    def allows_page(self, url: str) -> bool:
        """Return whether to read a page found at `url`. Exclusions win, and URLs with side effects are out."""
        if not self.is_on_site(url):
            return False
        target = parse_url(url).target
        if changes_something(target):
            return False
        path = target.partition("?")[0]
        wanted = any(pattern.search(url) for pattern in self._include)
        if RESOURCES.search(path) or (self._include and not wanted) or (DOCUMENTS.search(path) and not wanted):
            return False
        return not any(pattern.search(url) for pattern in self._exclude)
