"""Copies that the Internet Archive has already: where a dead link can still be read."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from assay.context import Context
from assay.errors import ToolError
from assay.providers.wayback import Snapshot, Wayback
from assay.verification.bounded_gather import bounded_gather

AT_ONCE = 6  # look-ups


class ArchivedCopies(NamedTuple):
    """`found` has the address of the latest copy by URL; of the URLs in `unknown` the archive told nothing."""

    found: Mapping[str, str]
    unknown: frozenset[str]


async def copies(ctx: Context, urls: Iterable[str], *, seconds: float = 3600.0) -> ArchivedCopies:
    """The archived copies of these pages. What fails or takes too long is told as such: it is not "no copy"."""
    wayback = Wayback(ctx.services.http, ctx.services.settings, clock=ctx.services.clock)
    asked = list(dict.fromkeys(urls))

    async def look(url: str) -> Snapshot | ToolError | None:
        try:
            return await wayback.readable(wayback.closest(url))
        except ToolError as failure:
            return failure

    told = await bounded_gather(asked, look, at_once=AT_ONCE, seconds=seconds)
    unknown = frozenset(url for url in asked if url not in told or isinstance(told[url], ToolError))
    return ArchivedCopies({url: copy.address for url, copy in told.items() if isinstance(copy, Snapshot)}, unknown)
