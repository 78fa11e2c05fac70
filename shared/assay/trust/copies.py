"""Copies that the Internet Archive has already: where a dead link can still be read."""

import asyncio
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from assay.context import Context
from assay.errors import ToolError
from assay.providers.wayback import Wayback

AT_ONCE = 6  # look-ups


class Copies(NamedTuple):
    """`found` has the address of the latest copy by URL; of the URLs in `unknown` the archive told nothing."""

    found: Mapping[str, str]
    unknown: frozenset[str]


async def copies(ctx: Context, urls: Iterable[str]) -> Copies:
    """The archived copies of these pages. A look-up that fails is told as such: it is not "no copy"."""
    wayback = Wayback(ctx.services.http, ctx.services.settings, clock=ctx.services.clock)
    slots = asyncio.Semaphore(AT_ONCE)
    found: dict[str, str] = {}
    unknown: set[str] = set()

    async def look(url: str) -> None:
        async with slots:
            try:
                copy = await wayback.readable(wayback.closest(url))
            except ToolError:
                unknown.add(url)
                return
        if copy:
            found[url] = copy.address

    await asyncio.gather(*map(look, dict.fromkeys(urls)))
    return Copies(found, frozenset(unknown))
