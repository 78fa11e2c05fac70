"""Entry point of document parsing: checks the size, and runs the parser in the sandbox or in a thread."""

from typing import TYPE_CHECKING

from assay.documents.document import FILES, NAMES, Document
from assay.documents.document_parser import parse
from assay.errors import ContentEmpty, InvalidInput

if TYPE_CHECKING:
    from assay.documents.sandbox_pool import Sandbox

SANDBOXED = {*FILES, "xml", "feed"}  # kinds whose parsers are native code or complex
SMALL = 1 << 20  # bytes; larger text is sandboxed too, because parsing may multiply its memory


async def read(
    body: bytes, kind: str, *, max_bytes: int, seconds: float = 30, sandbox: "Sandbox | None" = None
) -> Document:
    """Parse the document in `body`, whose kind `detect_kind` has determined.

    Raises InvalidInput if it is too large, encrypted or a decompression bomb; ContentEmpty if it has no text, such as
    a scan without a text layer; UpstreamFailed if it is damaged, or exceeds its time or memory limit.
    """
    if kind not in NAMES:
        raise InvalidInput(f"{kind!r} is not a supported kind of document; use one of {', '.join(NAMES)}.")
    if len(body) > max_bytes:
        raise InvalidInput(f"The {NAMES[kind]} has {len(body):,} bytes; the limit is {max_bytes:,} bytes.")
    if not body.strip():
        raise ContentEmpty(f"The {NAMES[kind]} is empty.")
    if kind in SANDBOXED or len(body) > SMALL:
        from assay.documents.sandbox_pool import common_sandbox

        return await (sandbox or common_sandbox()).read(body, kind, seconds)
    import asyncio

    return await asyncio.to_thread(parse, body, kind)
