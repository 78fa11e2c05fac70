"""Have a public copy of a source made."""

from datetime import timedelta
from typing import Annotated, Literal

from pydantic import Field, field_validator

from assay.context import Context
from assay.models import TRUST, Input, Output, Trust
from assay.tool import tool

LONGEST = 2_048  # bytes


class Ask(Input):
    url: Annotated[str, Field(min_length=1, description="Public http(s) address.")]

    @field_validator("url")
    @classmethod
    def _is_short(cls, url: str) -> str:
        if len(url.encode()) > LONGEST:
            raise ValueError(f"is longer than {LONGEST} bytes; give a shorter address")
        return url


class Answer(Output):
    requested_url: str
    snapshot_url: str | None = None
    archived_at: Annotated[str | None, Field(description="RFC 3339, of a fresh capture.")] = None
    captured: Annotated[bool, Field(description="A fresh capture was confirmed by this call.")]
    status: Literal["archived", "existing", "pending", "unavailable"]
    http_status: Annotated[int | None, Field(description="Of Save Page Now.")] = None
    reason: Annotated[str | None, Field(description="Why there is no fresh capture.")] = None
    poll_url: Annotated[str | None, Field(description="Where a pending capture will show.")] = None
    source: str = "web.archive.org Save Page Now"
    provenance: list[str]
    trust: Trust = TRUST


@tool(limit=timedelta(seconds=30), read_only=False, open_world=False)
async def archive_source(ask: Ask, ctx: Context) -> Answer:
    """Have the Internet Archive take a public snapshot of a page now, so that a citation stays checkable. Safe to
    repeat. A slow or busy archive is no error: see status and reason (archived, existing, pending, unavailable).
    """
    from assay.trust.archive import archive

    done = await archive(ctx, ask.url)
    return Answer(
        requested_url=ask.url,
        snapshot_url=done.snapshot_url,
        archived_at=done.archived_at,
        captured=done.status == "archived",
        status=done.status,
        http_status=done.http_status,
        reason=done.reason,
        poll_url=done.poll_url,
        provenance=list(done.provenance),
    )
