"""Parsing of a document in the current process: selects the parser of its kind."""

import re
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING

from assay.documents.document import NAMES, Document
from assay.errors import ContentEmpty
from assay.text.sanitize import sanitise

if TYPE_CHECKING:
    from assay.documents.pdf_parallel import Helper

CREATED = re.compile(r"\d{4}(?:-\d\d(?:-\d\d(?:T\d\d:\d\d[\d:.]{0,12}(?:Z|[+-]\d\d:?\d\d)?)?)?)?", re.ASCII)
PAGED = {"pdf", "pdf_fallback"}  # parsers that can stop early at a deadline
MODULES = {"text": "text_formats"} | {
    "json": "text_formats", "csv": "text_formats", "xml": "xml_outline", "feed": "feed_markdown",
    "xlsx": "spreadsheets", "xls": "spreadsheets", "ods": "spreadsheets", "odt": "opendocument",
    "doc": "word97",
}  # fmt: skip


def parse(body: bytes, kind: str, deadline: float = float("inf"), helper: "Helper | None" = None) -> Document:
    """Parse a document in this process and sanitise the result.

    PDF parsing stops at `deadline` (monotonic time) and keeps the pages read so far. Raises ContentEmpty if there is no
    text, and what the parser of the kind raises.
    """
    module = import_module(f"assay.documents.{MODULES.get(kind, kind)}")
    document: Document = module.parse(body, deadline, helper) if kind in PAGED else module.parse(body, kind)
    markdown, comments = sanitise(document.markdown), sanitise(document.comments)
    if not markdown.strip():
        raise ContentEmpty(f"The {NAMES[document.kind]} contains no text.")
    title, author, doi = sanitise(document.title), sanitise(document.author), sanitise(document.doi)
    markdown = f"{markdown.rstrip()}\n\n{comments}" if comments else markdown
    created = document.created if CREATED.fullmatch(document.created) else ""
    return replace(
        document, markdown=markdown, title=title, author=author, created=created, file_size=len(body),
        comments=comments, doi=doi,
    )  # fmt: skip
