"""The pages that a site names itself, in sitemaps."""

import asyncio
import zlib
from collections.abc import Awaitable, Callable, Sequence

from assay.errors import InvalidInput, ToolError, UpstreamFailed
from assay.net.guarded_client import Fetched
from assay.net.urls import parse_url

MOST_FILES, MOST_BYTES = 10, 20 * 1024 * 1024  # of one site; of one file, unpacked
GZIP = b"\x1f\x8b"

type Fetch = Callable[[str], Awaitable[Fetched]]


async def pages_of(places: Sequence[str], fetch: Fetch, wanted: Callable[[str], bool], most: int) -> list[str]:
    """Up to `most` wanted URLs that the sitemaps at `places` name, or sitemaps that those name. What cannot be read is
    passed over: a sitemap is a hint.
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
    """The sitemaps and the pages that a sitemap names, canonical. Raises UpstreamFailed for what is none."""
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
        raise UpstreamFailed("The sitemap is packed in a way that does not open.") from None


def _canonical(said: Sequence[str]) -> list[str]:
    found = []
    for text in said[:50_000]:
        try:
            found.append(parse_url(text.strip()).url)
        except InvalidInput:
            continue
    return found
