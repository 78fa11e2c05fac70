"""Look a page up in the Wayback Machine."""

from typing import Annotated

from pydantic import Field

from assay.context import Context
from assay.errors import ToolError
from assay.models import Source
from assay.net import plainly
from assay.plain import Plain, PlainInput, PlainOutput, required
from assay.tool import tool


class Ask(PlainInput):
    url: Annotated[str, required("url")]
    save: Annotated[bool, Field(description="Have it saved where there is no snapshot.")] = False


class Answer(PlainOutput):
    closest_url: str | None = None
    timestamp: str | None = None
    saved: Annotated[bool | None, Field(description="Where there was no snapshot and save was asked.")] = None
    save_error: Annotated[str | None, Field(description="Why it was not saved.")] = None

    def sources(self) -> list[Source]:
        return [Source(url=self.closest_url, relevance="archived", date=self.timestamp)] if self.closest_url else []

    def is_empty(self) -> bool:
        return not self.closest_url


@tool(toolsets=("json",), plain=Plain(), read_only=False)
async def wayback_lookup(ask: Ask, ctx: Context) -> Answer:
    """Find the Internet Archive's snapshot of a URL closest to now; {} when there is none. With save it is asked to
    make one where none exists.
    """
    from assay.providers.wayback import SAVE_SECONDS, Wayback

    wayback = Wayback(ctx.services.http, ctx.services.settings, clock=ctx.services.clock)
    found = await wayback.readable(wayback.closest(ask.url))
    if found:
        return Answer(closest_url=found.url, timestamp=found.timestamp or None)
    if not ask.save:
        return Answer()
    plainly.address(ask.url)
    try:
        await wayback.save(ask.url, min(SAVE_SECONDS, ctx.left() - 1))
    except ToolError as failure:  # that there is no snapshot stays true
        return Answer(saved=False, save_error=failure.sentence())
    return Answer(saved=True)
