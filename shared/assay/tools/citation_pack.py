"""Collect the data of a citation."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import AfterValidator, ConfigDict, Field

from assay.context import Context
from assay.errors import ToolError
from assay.text.url_parts import split_url
from assay.text.user_info import remove_url_user_info
from assay.toolkit.base import Source
from assay.toolkit.json_tools import JsonContract, JsonToolInput, JsonToolOutput, JsonToolPart, require_text
from assay.toolkit.tool import tool

BREAKS = re.compile(r"[\s\x00-\x1f\x7f]")


def host_of(url: str) -> str:
    """Return the host as written, without port. Raises ValueError if there is none."""
    parts = split_url(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or BREAKS.search(url) or parts.port == 0:
        raise ValueError("doc.url must be a valid http/https URL")
    place = parts.netloc.rpartition("@")[2]
    return place.partition("]")[0].removeprefix("[") if place.startswith("[") else place.partition(":")[0]


def _valid(url: str) -> str:
    try:
        host_of(url)
    except ValueError:
        raise ValueError("doc.url must be a valid http/https URL") from None
    return remove_url_user_info(url)  # a citation is public


class CitationPackDoc(JsonToolPart):
    model_config = ConfigDict(json_schema_extra={"required": ["url"]})  # the validator's message is fixed

    url: Annotated[str, require_text("doc.url"), AfterValidator(_valid)] = Field(
        default="", validate_default=True, description="http(s) URL of the page; user name and password are left out."
    )
    title: Annotated[str, Field(description="Title of the page; left out of the citation if empty.")] = ""
    published_at: Annotated[str, Field(description="Date of publication; accepted but not used.")] = ""


class CitationPackArchive(JsonToolPart):
    wayback: Annotated[bool, Field(description="Look for a snapshot in the Wayback Machine.")] = False


class CitationPackInput(JsonToolInput):
    model_config = ConfigDict(json_schema_extra={"required": ["doc"]})

    doc: CitationPackDoc = Field(default_factory=dict, validate_default=True, description="Page to cite.")
    archive: Annotated[CitationPackArchive, Field(description="Archive to look the page up in; none if unset.")] = (
        CitationPackArchive()
    )


class CitationPackOutput(JsonToolOutput):
    title: str | None = None
    url: str
    host: Annotated[str, Field(description="Host of the URL.")]
    accessed_at: Annotated[str, Field(description="RFC 3339, UTC.")]
    archive_url: Annotated[str | None, Field(description="Wayback snapshot of the page.")] = None
    archive_error: Annotated[str | None, Field(description="Why it is not known whether a snapshot exists.")] = None

    def sources(self) -> list[Source]:
        return [Source(url=self.url, title=self.title, relevance="cited")]


def asks_archive(arguments: Mapping[str, Any]) -> bool:
    """Whether the arguments, not yet validated, may cause a call of the archive."""
    return bool(arguments.get("archive"))


@tool(toolsets=("json",), plain=JsonContract(waits=asks_archive))
async def citation_pack(ask: CitationPackInput, ctx: Context) -> CitationPackOutput:
    """Collect the data of a citation of a page: title, URL, host, time of access and, on request, its Wayback
    snapshot."""
    archive_url, archive_error = await look_up(ask.doc.url, ctx) if ask.archive.wayback else (None, None)
    return CitationPackOutput(
        title=ask.doc.title.strip() or None,
        url=ask.doc.url,
        host=host_of(ask.doc.url),
        accessed_at=f"{datetime.fromtimestamp(ctx.services.clock(), UTC):%Y-%m-%dT%H:%M:%SZ}",
        archive_url=archive_url,
        archive_error=archive_error,
    )


async def look_up(url: str, ctx: Context) -> tuple[str | None, str | None]:
    """Return the URL of the archive's copy, if any, and the reason if the lookup failed.

    The rest of the citation does not depend on the archive, so its failure does not fail the call.
    """
    from assay.providers.wayback import Wayback

    wayback = Wayback(ctx.services.http, ctx.services.settings, clock=ctx.services.clock)
    try:
        found = await wayback.readable_search(wayback.closest(url))
    except ToolError as failure:
        return None, failure.sentence()
    return (found.url if found else None), None
