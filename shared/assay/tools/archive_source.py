"""Archive a page publicly."""

import math
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Annotated, Literal

from pydantic import Field, field_validator

from assay.context import Context
from assay.errors import RateLimited
from assay.models.common import TRUST, Input, Output, Trust
from assay.toolkit.tool import tool

MAX_URL_BYTES = 2_048


@asynccontextmanager
async def _acquire_slot(ctx: Context, patience: float) -> AsyncIterator[None]:
    """Wait for a slot of Save Page Now, shared with background jobs. Raises RateLimited if none is free in time."""
    from assay.crawl.politeness import HostBusy, HostSlots
    from assay.crawl.scope import site_of
    from assay.net.urls import parse_url
    from assay.providers.wayback import MACHINE, SAVE_INTERVAL, SAVE_INTERVAL_SIGNED
    from assay.work_queue.work_timing import DEFAULT_TIMING

    services = ctx.services
    settings = services.settings
    delay = SAVE_INTERVAL_SIGNED if settings.key("IA_ACCESS_KEY") else SAVE_INTERVAL
    name = f"call/{secrets.token_hex(8)}"
    slots = HostSlots(services.table, services.clock, DEFAULT_TIMING, settings.crawl_per_host, name, delay)
    try:
        async with slots.acquire(site_of(parse_url(MACHINE)).name, patience):
            yield
    except HostBusy:
        wait = math.ceil(delay)
        sentence = (
            f"Save Page Now accepts one request every {wait} seconds, and other requests are waiting. Call again."
        )
        raise RateLimited(sentence, provider="wayback", retry_after=wait) from None


class ArchiveSourceInput(Input):
    url: Annotated[str, Field(min_length=1, description="Public http(s) URL of the page to archive, up to 2048 bytes.")]

    @field_validator("url")
    @classmethod
    def _is_short(cls, url: str) -> str:
        if len(url.encode()) > MAX_URL_BYTES:
            raise ValueError(f"is longer than {MAX_URL_BYTES} bytes; give a shorter address")
        return url


class ArchiveSourceOutput(Output):
    requested_url: Annotated[str, Field(description="URL that was sent.")]
    snapshot_url: Annotated[str | None, Field(description="URL of the archived copy.")] = None
    archived_at: Annotated[str | None, Field(description="When the fresh copy was made, RFC 3339.")] = None
    captured: Annotated[bool, Field(description="Whether this call confirmed a fresh copy.")]
    status: Annotated[
        Literal["archived", "existing", "pending", "unavailable"],
        Field(description="archived: fresh copy; existing: older copy; pending: requested; unavailable: none."),
    ]
    http_status: Annotated[int | None, Field(description="HTTP status of Save Page Now.")] = None
    reason: Annotated[str | None, Field(description="Why there is no fresh copy.")] = None
    poll_url: Annotated[str | None, Field(description="Address where a pending copy will appear.")] = None
    source: Annotated[str, Field(description="Service that was asked.")] = "web.archive.org Save Page Now"
    provenance: Annotated[list[str], Field(description="How the result was determined, step by step.")]
    trust: Trust = TRUST


@tool(limit=timedelta(seconds=30), read_only=False)
async def archive_source(ask: ArchiveSourceInput, ctx: Context) -> ArchiveSourceOutput:
    """Ask the Internet Archive to take a public snapshot of a page now, so that a citation stays checkable.
    Safe to repeat. A slow or busy archive is not an error: see status and reason (archived, existing, pending,
    unavailable)."""
    from assay.verification.web_archive import archive

    archived = await archive(ctx, ask.url, acquire_slot=lambda patience: _acquire_slot(ctx, patience))
    return ArchiveSourceOutput(
        requested_url=ask.url,
        snapshot_url=archived.snapshot_url,
        archived_at=archived.archived_at,
        captured=archived.status == "archived",
        status=archived.status,
        http_status=archived.http_status,
        reason=archived.reason,
        poll_url=archived.poll_url,
        provenance=list(archived.provenance),
    )
