"""Looks up existing Internet Archive copies of pages."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from assay.context import Context
from assay.errors import ToolError
from assay.providers.wayback import Snapshot, Wayback
from assay.verification.bounded_gather import bounded_gather

MAX_CONCURRENT = 6  # concurrent look-ups


class ArchivedCopies(NamedTuple):
    """`found` maps each URL to its latest copy; for URLs in `unknown` the archive gave no answer."""

    found: Mapping[str, str]
    unknown: frozenset[str]


async def find_archived_copies(ctx: Context, urls: Iterable[str], *, seconds: float = 3600.0) -> ArchivedCopies:
    """Look up the latest archived copy of each URL; failures and time-outs go to `unknown`."""
    wayback = Wayback(ctx.services.http, ctx.services.settings, clock=ctx.services.clock)
    unique = list(dict.fromkeys(urls))

    async def look_up(url: str) -> Snapshot | ToolError | None:
        try:
            return await wayback.readable(wayback.closest(url))
        except ToolError as failure:
            return failure

    answers = await bounded_gather(unique, look_up, at_once=MAX_CONCURRENT, seconds=seconds)
    unknown = frozenset(url for url in unique if url not in answers or isinstance(answers[url], ToolError))
    return ArchivedCopies({url: copy.address for url, copy in answers.items() if isinstance(copy, Snapshot)}, unknown)
