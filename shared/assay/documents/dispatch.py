"""The front door: which reader a kind needs, and where it runs."""

import re
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING

from assay.documents.document import FILES, NAMES, Document
from assay.errors import ContentEmpty, InvalidInput
from assay.text.sanitize import sanitise

if TYPE_CHECKING:
    from assay.documents.pdf_parallel import Helper
    from assay.documents.sandbox_pool import Sandbox

JAILED = {*FILES, "xml", "feed"}  # their parsers are C, or clever, or both
SMALL = 1 << 20  # bytes; what is larger may unfold to more memory than a server should lend
CREATED = re.compile(r"\d{4}(?:-\d\d(?:-\d\d(?:T\d\d:\d\d[\d:.]{0,12}(?:Z|[+-]\d\d:?\d\d)?)?)?)?", re.ASCII)
PAGED = {"pdf", "pdf_fallback"}  # may end early at a deadline
MODULES = {"text": "text_formats"} | {
    "json": "text_formats", "csv": "text_formats", "xml": "xml_outline", "feed": "feed_markdown",
    "xlsx": "spreadsheets", "xls": "spreadsheets", "ods": "spreadsheets", "odt": "opendocument",
}  # fmt: skip


def parse(body: bytes, kind: str, deadline: float = float("inf"), helper: "Helper | None" = None) -> Document:
    """Read a document here and now, in this process; what is long enough ends early at `deadline` (monotonic)."""
    module = import_module(f"assay.documents.{MODULES.get(kind, kind)}")
    document: Document = module.parse(body, deadline, helper) if kind in PAGED else module.parse(body, kind)
    markdown = sanitise(document.markdown)
    if not markdown.strip():
        raise ContentEmpty(f"The {NAMES[document.kind]} holds no text.")
    title, author = sanitise(document.title), sanitise(document.author)
    created = document.created if CREATED.fullmatch(document.created) else ""
    return replace(document, markdown=markdown, title=title, author=author, created=created, file_size=len(body))


async def read(
    body: bytes, kind: str, *, max_bytes: int, seconds: float = 30, jail: "Sandbox | None" = None
) -> Document:
    """The document in `body`, which `kind_of` has recognised as `kind`.

    InvalidInput: too large, a password is needed, a bomb. ContentEmpty: nothing to read, such as a scan without a text
    layer. UpstreamFailed: the file is broken, or takes more time or memory than it may.
    """
    if kind not in NAMES:
        raise InvalidInput(f"{kind!r} is no kind of document; use one of {', '.join(NAMES)}.")
    if len(body) > max_bytes:
        raise InvalidInput(f"The {NAMES[kind]} has {len(body):,} bytes; at most {max_bytes:,} are read.")
    if not body.strip():
        raise ContentEmpty(f"The {NAMES[kind]} is empty.")
    if kind in JAILED or len(body) > SMALL:
        from assay.documents.sandbox_pool import common_jail

        return await (jail or common_jail()).read(body, kind, seconds)
    import asyncio

    return await asyncio.to_thread(parse, body, kind)
