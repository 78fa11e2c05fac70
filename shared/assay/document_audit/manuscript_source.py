"""Gets the manuscript that a caller names: text, file, URL, upload or stored answer."""

import base64
import binascii
import json
from dataclasses import dataclass

from assay.context import Context
from assay.errors import InvalidInput, NotFound
from assay.manuscripts.manuscript import Manuscript
from assay.manuscripts.manuscript_reader import MAX_BYTES, read_manuscript
from assay.state import artifacts
from assay.text.url_parts import split_url

MAX_REFERENCES = 1_000
FETCH_SECONDS, RESERVED_SECONDS = 25.0, 5.0
SOURCES = ("url", "text", "content_base64", "upload_id", "artifact")


@dataclass(frozen=True)
class ManuscriptSource:
    """Where the manuscript is; one of `SOURCES` is set."""

    url: str = ""
    text: str = ""
    content_base64: str = ""
    upload_id: str = ""
    artifact: str = ""
    filename: str = ""
    bibliography: str = ""

    @property
    def kinds(self) -> list[str]:
        return [name for name in SOURCES if getattr(self, name)]


async def load_source(ctx: Context, source: ManuscriptSource) -> Manuscript:
    """Read the manuscript. Raises InvalidInput, which names the field, and the errors of reading."""
    kinds = source.kinds
    if len(kinds) > 1:
        raise InvalidInput(f"Give one manuscript: {' or '.join(kinds)}.", field=kinds[1])
    if not kinds and not source.bibliography:
        raise InvalidInput(
            "Give the manuscript as url, text, content_base64 with filename, upload_id, or artifact; or audit_id.",
            field="text",
        )
    body, media_type, filename = await _load_body(ctx, source)
    seconds = max(1.0, ctx.time_left() - RESERVED_SECONDS)
    bibliography = source.bibliography if kinds else ""
    return await read_manuscript(
        body,
        media_type=media_type,
        filename=filename,
        bibliography=bibliography,
        max_references=MAX_REFERENCES,
        seconds=seconds,
    )


async def _load_body(ctx: Context, source: ManuscriptSource) -> tuple[bytes | str, str, str]:
    """Return the manuscript's body, media type and file name."""
    if source.url:
        return await _fetch(ctx, source.url, source.filename)
    if source.content_base64:
        return _decode(source.content_base64), "", source.filename
    if source.upload_id:
        upload, body = await ctx.own.uploads.read(source.upload_id, MAX_BYTES)
        return body, upload.content_type, source.filename or upload.filename
    if source.artifact:
        return await _load_artifact(ctx, source.artifact), "", source.filename
    return source.text or source.bibliography, "", source.filename


async def _fetch(ctx: Context, url: str, filename: str) -> tuple[bytes, str, str]:
    seconds = min(FETCH_SECONDS, ctx.time_left() / 2)
    fetched = await ctx.services.web.fetch(url, cap=MAX_BYTES, seconds=seconds, over_cap="refuse")
    if not 200 <= fetched.status < 300:
        raise NotFound(f"The manuscript's host answered HTTP {fetched.status}; check the address.", field="url")
    name = filename or split_url(fetched.url).path.rpartition("/")[2]
    return fetched.body, fetched.headers.get("content-type", ""), name


def _decode(text: str) -> bytes:
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError):
        raise InvalidInput("content_base64 is not base64; encode the file's bytes.", field="content_base64") from None


async def _load_artifact(ctx: Context, name: str) -> str:
    """Return the text of a stored answer, such as a scraped page."""
    body = await artifacts.read(ctx.services.bucket, ctx.caller.tenant, name)
    try:
        stored = json.loads(body)
    except ValueError:
        return body
    content = stored.get("content") if isinstance(stored, dict) else None
    if not isinstance(content, str) or not content.strip():
        raise InvalidInput("This artifact has no text; use that of scrape_page or paper_fulltext.", field="artifact")
    return content
