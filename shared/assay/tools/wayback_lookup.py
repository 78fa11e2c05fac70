"""Look up a page in the Wayback Machine."""

from typing import Annotated

from pydantic import Field

from assay.context import Context
from assay.errors import ToolError
from assay.models.common import Source
from assay.net import json_tool_fetch
from assay.toolkit.json_tools import JsonContract, JsonToolInput, JsonToolOutput, require_text
from assay.toolkit.tool import tool


class WaybackLookupInput(JsonToolInput):
    url: Annotated[str, require_text("url"), Field(description="http(s) URL of the page to look up.")]
    save: Annotated[bool, Field(description="Ask the archive to save the page if it has no snapshot.")] = False


class WaybackLookupOutput(JsonToolOutput):
    closest_url: Annotated[
        str | None, Field(description="URL of the snapshot closest to now; absent if none exists.")
    ] = None
    timestamp: Annotated[str | None, Field(description="Time of the snapshot, YYYYMMDDhhmmss.")] = None
    saved: Annotated[bool | None, Field(description="Whether the archive accepted the page for saving.")] = None
    save_error: Annotated[str | None, Field(description="Why the page was not saved.")] = None

    def sources(self) -> list[Source]:
        return [Source(url=self.closest_url, relevance="archived", date=self.timestamp)] if self.closest_url else []

    def is_empty(self) -> bool:
        return not self.closest_url


@tool(toolsets=("json",), plain=JsonContract(), read_only=False)
async def wayback_lookup(ask: WaybackLookupInput, ctx: Context) -> WaybackLookupOutput:
    """Find the Internet Archive's snapshot of a URL closest to now; {} if there is none. With save, ask the
    archive to create one if none exists."""
    from assay.providers.wayback import SAVE_SECONDS, Wayback

    wayback = Wayback(ctx.services.http, ctx.services.settings, clock=ctx.services.clock)
    found = await wayback.readable(wayback.closest(ask.url))
    if found:
        return WaybackLookupOutput(closest_url=found.url, timestamp=found.timestamp or None)
    if not ask.save:
        return WaybackLookupOutput()
    json_tool_fetch.parse_http_url(ask.url)
    try:
        await wayback.save(ask.url, min(SAVE_SECONDS, ctx.time_left() - 1))
    except ToolError as failure:  # the lookup itself succeeded: there is no snapshot
        return WaybackLookupOutput(saved=False, save_error=failure.sentence())
    return WaybackLookupOutput(saved=True)
