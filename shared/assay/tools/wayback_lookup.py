"""Look up a page in the Wayback Machine."""

from typing import Annotated

from pydantic import Field

from assay.context import Context
from assay.models.common import Source
from assay.text.user_info import remove_url_user_info
from assay.toolkit.json_tools import JsonContract, JsonToolInput, JsonToolOutput, require_text
from assay.toolkit.tool import tool


class WaybackLookupInput(JsonToolInput):
    url: Annotated[str, require_text("url"), Field(description="http(s) URL of the page to look up.")]


class WaybackLookupOutput(JsonToolOutput):
    closest_url: Annotated[
        str | None, Field(description="URL of the snapshot closest to now; absent if none exists.")
    ] = None
    timestamp: Annotated[str | None, Field(description="Time of the snapshot, YYYYMMDDhhmmss.")] = None

    def sources(self) -> list[Source]:
        return [Source(url=self.closest_url, relevance="archived", date=self.timestamp)] if self.closest_url else []

    def is_empty(self) -> bool:
        return not self.closest_url


@tool(toolsets=("json",), plain=JsonContract())
async def wayback_lookup(ask: WaybackLookupInput, ctx: Context) -> WaybackLookupOutput:
    """Find the Internet Archive's snapshot of a URL closest to now; {} if there is none. archive_source creates one."""
    from assay.providers.wayback import Wayback

    wayback = Wayback(ctx.services.http, ctx.services.settings, clock=ctx.services.clock)
    found = await wayback.readable_search(wayback.closest(remove_url_user_info(ask.url)))
    return (
        WaybackLookupOutput(closest_url=found.url, timestamp=found.timestamp or None)
        if found
        else WaybackLookupOutput()
    )
