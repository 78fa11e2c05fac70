"""Reads the pages that a site lists in its sitemaps (sitemaps.org)."""

import asyncio
import zlib
from collections.abc import Awaitable, Callable, Sequence

from assay.errors import InvalidInput, ToolError, UpstreamFailed
from assay.net.guarded_client import Fetched
from assay.net.urls import parse_url

MOST_FILES, MOST_BYTES = 10, 20 * 1024 * 1024  # files per site; bytes per unpacked file
GZIP = b"\x1f\x8b"

type Fetch = Callable[[str], Awaitable[Fetched]]


async def list_sitemap_pages(
    places: Sequence[str], fetch: Fetch, wanted: Callable[[str], bool], most: int
) -> list[str]:
    """Return up to `most` wanted URLs from the sitemaps at `places` and those they reference.

    Unreadable sitemaps are skipped, since a sitemap is only a hint.
    """
    waiting, seen, found = list(places), set[str](), dict[str, None]()
    while waiting and len(seen) < MOST_FILES and len(found) < most:
        url = waiting.pop(0)
        if url in seen:
            continue
        seen.add(url)
        try:
            said = await fetch(url)
            inner, pages = await asyncio.to_thread(_read, said)
        except ToolError:
            continue
        waiting += inner
        found |= dict.fromkeys(page for page in pages if wanted(page))
    return list(found)[:most]


def _read(said: Fetched) -> tuple[list[str], list[str]]:
    """Return the sitemaps and pages in a sitemap as canonical URLs. Raises UpstreamFailed for other content."""
    from assay.documents.safe_xml import local_name, parse_xml

    if said.status != 200:
        return [], []
    body = said.body
    if body.startswith(GZIP):
        body = _decompress(body)
    if not body.lstrip().startswith((b"<", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        return [], _canonical(body.decode("utf-8", "replace").splitlines())
    root = parse_xml(body, "sitemap", lenient=True)
    named = [entry.findtext("{*}loc") or "" for entry in root.iterchildren("{*}url", "{*}sitemap")]
    return (_canonical(named), []) if local_name(root) == "sitemapindex" else ([], _canonical(named))


def _decompress(body: bytes) -> bytes:
    try:
        return zlib.decompressobj(31).decompress(body, MOST_BYTES)
    except zlib.error:
        raise UpstreamFailed("The sitemap's gzip data is corrupt.") from None


def _canonical(said: Sequence[str]) -> list[str]:
    found = []
    for text in said[:50_000]:
        try:
            found.append(parse_url(text.strip()).url)
        except InvalidInput:
            continue
    return found
