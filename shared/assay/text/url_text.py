"""URLs as browsers parse them (URL Standard, https://url.spec.whatwg.org): normal form, comparison and domains."""

import re
from collections.abc import Iterator
from typing import NamedTuple

TRACKERS = re.compile(
    r"(?:^|&)(?:utm_[a-z_]+|gclid|gbraid|wbraid|fbclid|msclkid|dclid|yclid|igshid|mc_[ce]id|ref_src)=[^&]*",
    re.IGNORECASE,
)
MAX_URL = 4_000
IN_TEXT = re.compile(r"(?:https?://|(?<![\w.@/-])www\.)[^\s<>\"“”„«»‹›`{}|\\^]+", re.IGNORECASE)
BRACKETS = {")": "(", "]": "["}


class UrlParts(NamedTuple):
    """An http(s) URL in normal form. `path` begins with a slash."""

    href: str
    host: str
    path: str
    search: str


def find_url(text: str) -> str | None:
    """Return the first http(s) URL in a text, or address that begins with `www.`, without the marks around it."""
    return next(find_urls(text), None)


def find_urls(text: str) -> Iterator[str]:
    """Yield the URLs in a text as `find_url` finds them."""
    return (trim_url(found[0]) for found in IN_TEXT.finditer(text))


def add_scheme(url: str) -> str:
    """Return the URL that an address without a scheme stands for, such as `www.example.org`."""
    return f"http://{url}" if url[:4].lower() == "www." else url


def trim_url(url: str) -> str:
    """Remove punctuation at the end, and closing brackets that have no opening bracket in the URL."""
    unopened = {close: url.count(close) - url.count(opening) for close, opening in BRACKETS.items()}
    end = len(url)
    while end and (url[end - 1] in ".,;:!?*'’" or unopened.get(url[end - 1], 0) > 0):
        end -= 1
        if url[end] in unopened:
            unopened[url[end]] -= 1
    return url[:end]


def parse_http_url(url: object) -> UrlParts | None:
    """Parse `url`; None unless it is an http(s) URL without credentials."""
    if not isinstance(url, str) or len(url) > MAX_URL:
        return None
    import ada_url

    try:
        read = ada_url.URL(url.strip())
    except ValueError:
        return None
    if read.protocol not in ("http:", "https:") or not read.hostname or read.username or read.password:
        return None
    return UrlParts(read.href, read.hostname.rstrip("."), read.pathname, read.search)


def url_key(url: str) -> str:
    """Return a key that is equal for URLs of one page: scheme, `www.`, trackers, fragment and final slash are
    ignored.
    """
    found = parse_http_url(url)
    if found is None:
        return url
    search = TRACKERS.sub("", found.search.removeprefix("?")).lstrip("&")
    return f"{found.host.removeprefix('www.')}{found.path.rstrip('/')}?{search}"


def is_in_domains(url: str, domains: tuple[str, ...]) -> bool:
    """Return whether `url` is in one of `domains` (`host` or `host/path`), at label and path boundaries."""
    found = parse_http_url(url)
    return found is not None and any(_is_in_domain(found, domain) for domain in domains)


def _is_in_domain(found: UrlParts, domain: str) -> bool:
    host, _, path = domain.lower().partition("/")
    if found.host != host and not found.host.endswith(f".{host}"):
        return False
    path = path.rstrip("/")
    own = found.path.lower()
    return not path or own == f"/{path}" or own.startswith(f"/{path}/")
