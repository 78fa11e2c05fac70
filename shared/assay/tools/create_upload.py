"""Open an upload for a document that is too large for a request."""

import re
from typing import Annotated, Literal

from pydantic import Field, field_validator

from assay.context import Context
from assay.models.common import Input, Output
from assay.state.uploads import MAX_BYTES
from assay.text.timestamps import format_utc
from assay.toolkit.tool import tool

MEDIA_TYPE = re.compile(r"(text|application)/[a-z0-9][a-z0-9.+-]{0,100}")  # of documents; pictures and films are none
FILENAME = re.compile(r"[^\x00-\x1f\x7f/\\]{0,300}")


class CreateUploadInput(Input):
    size: Annotated[int, Field(ge=1, le=MAX_BYTES, description="Exact size of the file in bytes.")]
    content_type: Annotated[str, Field(description="Media type, such as application/pdf.")] = "application/octet-stream"
    filename: Annotated[str, Field(description="Name of the file, shows its format.")] = ""

    @field_validator("content_type")
    @classmethod
    def _is_document(cls, given: str) -> str:
        if not MEDIA_TYPE.fullmatch(given.lower()):
            raise ValueError("is not the media type of a document, such as application/pdf or text/plain")
        return given.lower()

    @field_validator("filename")
    @classmethod
    def _is_name(cls, given: str) -> str:
        if not FILENAME.fullmatch(given):
            raise ValueError("is a name of at most 300 characters, without a path")
        return given


class CreateUploadOutput(Output):
    upload_id: Annotated[str, Field(description="Pass it as upload_id to a tool that reads documents.")]
    method: Annotated[Literal["PUT"], Field(description="Method of the request that sends the file.")] = "PUT"
    url: Annotated[str, Field(description="Where the file is sent, once. Keep it secret.")]
    headers: Annotated[dict[str, str], Field(description="Headers of that request.")]
    max_bytes: Annotated[int, Field(description="Size of the file; no other is taken.")]
    expires_at: Annotated[str, Field(description="Until when the url takes the file, RFC 3339, UTC.")]
    deleted_at: Annotated[str, Field(description="When the file is deleted, RFC 3339, UTC.")]

    def markdown(self) -> str:
        headers = "".join(f" -H '{name}: {value}'" for name, value in self.headers.items())
        return (
            f"curl -T FILE{headers} '{self.url}'\n"
            f"Send the file so until {self.expires_at}, then pass upload_id {self.upload_id}. "
            f"It is deleted at {self.deleted_at}."
        )


@tool(toolsets=("research", "json"), read_only=False, idempotent=False, open_world=False)
async def create_upload(ask: CreateUploadInput, ctx: Context) -> CreateUploadOutput:
    """Open an upload for a document too large for a request: send the file to the url with PUT, then pass upload_id to
    audit_document, audit_bibliography, pdf_extract, metadata_extract or readability_extract."""
    services = ctx.services
    upload, address, ends = await ctx.own.uploads.open(
        ask.filename, ask.content_type, ask.size, services.limit_counters, services.settings.uploads_per_day
    )
    return CreateUploadOutput(
        upload_id=upload.id,
        url=address.url,
        headers=dict(address.headers),
        max_bytes=upload.size,
        expires_at=format_utc(ends),
        deleted_at=format_utc(upload.until),
    )
