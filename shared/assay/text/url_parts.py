"""Splits and joins URLs without caching: `urllib.parse` caches the last URLs it split, whatever their length."""

import re
from urllib.parse import SplitResult, urljoin, urlsplit

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})  # hostnames of this machine
MAX_URL = 80_000  # characters; nine times what callers may send, the most that percent-encoding can add
SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


def split_url(url: str) -> SplitResult:
    """Return the parts of the URL. Raises ValueError if it is malformed or too long."""
    if len(url) > MAX_URL:
        raise ValueError("the URL is too long")
    return urlsplit(url)


def join_url(base: str, link: str) -> str:
    """Return the link as an absolute URL. Raises ValueError if it is malformed or too long; long `data:` URLs are
    returned as is.
    """
    if len(base) + len(link) <= MAX_URL:
        return urljoin(base, link)
    if SCHEME.match(link):
        return link
    raise ValueError("the URL is too long")
