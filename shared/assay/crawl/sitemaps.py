"""Reads the pages that a site lists in its sitemaps (sitemaps.org)."""

import asyncio
import zlib
from collections.abc import Awaitable, Callable, Sequence

from assay.errors import InvalidInput, ToolError, UpstreamFailed
from assay.net.guarded_client import Fetched
from assay.net.urls import parse_url

MAX_FILES, MAX_BYTES = 10, 20 * 1024 * 1024  # files per site; bytes per unpacked file
GZIP = b"\x1f\x8b"

type Fetch = Callable[[str], Awaitable[Fetched]]


async def list_sitemap_pages(
    sitemap_urls: Sequence[str], fetch: Fetch, is_wanted: Callable[[str], bool], limit: int
) -> list[str]:
    """Return up to `limit` wanted URLs from the sitemaps at `sitemap_urls` and those they reference.

    Unreadable sitemaps are skipped, since a sitemap is only a hint.
    """
    waiting, seen, urls = list(sitemap_urls), set[str](), dict[str, None]()
    while waiting and len(seen) < MAX_FILES and len(urls) < limit:
        url = waiting.pop(0)
        if url in seen:
            continue
        seen.add(url)
        try:
            response = await fetch(url)
            inner, pages = await asyncio.to_thread(_read, response)
        except ToolError:
            continue
        waiting += inner
        urls |= dict.fromkeys(page for page in pages if is_wanted(page))
    return list(urls)[:limit]


def _read(response: Fetched) -> tuple[list[str], list[str]]:
    """Return the sitemaps and pages in a sitemap as canonical URLs. Raises UpstreamFailed for other content."""
    from assay.text.safe_xml import local_name, parse_xml

    if response.status != 200:
        return [], []
    body = response.body
    if body.startswith(GZIP):
        body = _decompress(body)
    if not body.lstrip().startswith((b"<", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        return [], _canonical(body.decode("utf-8", "replace").splitlines())
    root = parse_xml(body, "sitemap", lenient=True)
    named = [entry.findtext("{*}loc") or "" for entry in root.iterchildren("{*}url", "{*}sitemap")]
    return (_canonical(named), []) if local_name(root) == "sitemapindex" else ([], _canonical(named))


def _decompress(body: bytes) -> bytes:
    try:
        return zlib.decompressobj(31).decompress(body, MAX_BYTES)
    except zlib.error:
        raise UpstreamFailed("The sitemap's gzip data is corrupt.") from None


def _canonical(lines: Sequence[str]) -> list[str]:
    urls = []
    for text in lines[:50_000]:
        try:
            urls.append(parse_url(text.strip()).url)
        except InvalidInput:
            continue
    return urls
