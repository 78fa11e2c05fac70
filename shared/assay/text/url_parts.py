"""Splitting and joining URLs without keeping them: `urllib.parse` caches the last URLs it has split, however long."""

import re
from urllib.parse import SplitResult, urljoin, urlsplit

LONGEST = 80_000  # characters; nine times what callers may send, as much as escapes can make of it
SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


def split_url(url: str) -> SplitResult:
    """The parts of the URL. Raises ValueError for a malformed or overlong one."""
    if len(url) > LONGEST:
        raise ValueError("the URL is too long")
    return urlsplit(url)


def join_url(base: str, link: str) -> str:
    """The link made absolute. Raises ValueError for a malformed or overlong one; long `data:` URLs pass unread."""
    if len(base) + len(link) <= LONGEST:
        return urljoin(base, link)
    if SCHEME.match(link):
        return link
    raise ValueError("the URL is too long")
