"""Reads a manuscript in any supported format: its references, and the sentences that cite them."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from assay.bibliography.notation import parse_bibliography
from assay.bibliography.person_names import parse_name, split_names
from assay.bibliography.work import Bibliography, UnparsedPassage
from assay.documents.dispatch import read
from assay.documents.document import TEXT_CHARS, Document
from assay.errors import ContentEmpty, InvalidInput
from assay.manuscripts.latex_project import is_project, read_project
from assay.manuscripts.manuscript import ListedReference, Manuscript
from assay.manuscripts.manuscript_assembly import assemble_manuscript
from assay.manuscripts.manuscript_draft import Draft, DraftReference
from assay.manuscripts.manuscript_format import BIBLIOGRAPHIES, DOCUMENTS, check_format, detect_format
from assay.text.decode import decode
from assay.text.sanitize import sanitise

if TYPE_CHECKING:
    from assay.documents.sandbox_pool import Sandbox

MAX_BYTES = 50_000_000
SECONDS = 60.0
PARSERS = {"docx": "docx_citations", "pdf": "pdf_citations"}  # modules of documents that also answer what is hidden


async def read_manuscript(
    body: bytes | str,
    *,
    format: str | None = None,  # noqa: A002  # the tools' field name
    media_type: str = "",
    filename: str = "",
    bibliography: str = "",
    max_references: int = 1_000,
    max_bytes: int = MAX_BYTES,
    seconds: float = SECONDS,
    sandbox: "Sandbox | None" = None,
) -> Manuscript:
    """Read a manuscript, of which at most `max_references` references are parsed.

    Without `format` it is detected, by the content, `media_type` and `filename`. `bibliography` is the text of a file
    of references that belongs to the manuscript, such as a `.bib` file. A file is parsed in `sandbox` for at most
    `seconds`. Raises InvalidInput if the format is not supported or a limit is exceeded, ContentEmpty if there is no
    text, UpstreamFailed if a file is damaged.
    """
    if len(body) > max_bytes:
        raise InvalidInput(f"The manuscript has {len(body):,} bytes; the limit is {max_bytes:,} bytes.")
    name = check_format(format) if format else detect_format(body, media_type, filename)
    if name in PARSERS and isinstance(body, bytes):
        from assay.documents.sandbox_pool import common_sandbox

        response = await (sandbox or common_sandbox()).ask(body, f"{PARSERS[name]}:read", seconds)
        return await asyncio.to_thread(_read_response, response, name, max_references)
    if name in DOCUMENTS and isinstance(body, bytes):
        document = await read(body, name, max_bytes=max_bytes, seconds=seconds, sandbox=sandbox)
        return await asyncio.to_thread(_read_document, document, max_references)
    if name == "latex" and isinstance(body, bytes) and is_project(body):
        body, own = await asyncio.to_thread(read_project, body)
        bibliography = bibliography or own
    text = sanitise(body if isinstance(body, str) else decode(body))
    if not text.strip():
        raise ContentEmpty("The manuscript is empty.")
    return await asyncio.to_thread(_read_text, text, name, bibliography, max_references)


def _read_response(response: Mapping[str, Any], name: str, max_references: int) -> Manuscript:
    """Read the response of a parser in the sandbox; a PDF that PDFium cannot open comes as a document."""
    if "document" in response:
        return _read_document(Document(**response["document"]), max_references)
    if name == "docx":
        from assay.manuscripts.word_manuscript import read_word

        return assemble_manuscript(read_word(response["answer"]), max_references)
    from assay.manuscripts.pdf_manuscript import read_pdf

    return assemble_manuscript(read_pdf(response["answer"]), max_references)


def _read_document(document: Document, max_references: int) -> Manuscript:
    from assay.manuscripts.markdown_manuscript import read_markdown

    draft = read_markdown(document.markdown.removesuffix(document.comments), document.kind)
    draft.title = document.title or draft.title
    draft.authors = draft.authors or tuple(parse_name(name) for name in split_names(document.author))
    draft.notes += document.notes
    draft.is_truncated |= document.truncated
    return assemble_manuscript(draft, max_references)


def _read_text(text: str, name: str, bibliography: str, max_references: int) -> Manuscript:
    if name in BIBLIOGRAPHIES or name == "reference-list":
        return _read_bibliography(text, name, max_references)
    listed, notes = _read_listed(bibliography)
    draft = _read_draft(text[:TEXT_CHARS], name, listed)
    draft.notes += notes
    draft.is_truncated |= len(text) > TEXT_CHARS
    return assemble_manuscript(draft, max_references)


def _read_draft(text: str, name: str, listed: Sequence[DraftReference]) -> Draft:
    if name == "latex":
        from assay.manuscripts.latex_manuscript import read_latex

        return read_latex(text, listed)
    if name == "jats":
        from assay.manuscripts.jats_manuscript import read_jats

        return read_jats(text)
    if name == "html":
        from assay.manuscripts.html_manuscript import read_html

        return read_html(text)
    from assay.manuscripts.markdown_manuscript import read_markdown

    return read_markdown(text, name, listed)


def _read_listed(bibliography: str) -> tuple[list[DraftReference], list[str]]:
    """Read the bibliography that belongs to a manuscript; also return notes on what could not be read."""
    if not bibliography.strip():
        return [], []
    parsed = parse_bibliography(sanitise(bibliography))
    return [DraftReference(work.key, work.printed, work) for work in parsed.entries], _describe_unread(parsed.unread)


def _read_bibliography(text: str, name: str, max_references: int) -> Manuscript:
    """Read a file that has references and no text."""
    parsed: Bibliography = parse_bibliography(text, "text" if name == "reference-list" else name, limit=max_references)  # type: ignore[arg-type]
    references = tuple(ListedReference(number, work, work.key) for number, work in enumerate(parsed.entries, 1))
    notes = _describe_unread(parsed.unread)
    if parsed.total > len(references):
        notes.append(f"Only the first {len(references):,} of {parsed.total:,} references were read.")
    return Manuscript(
        name, references=references, notes=tuple(notes), total_references=parsed.total,
        is_truncated=parsed.total > len(references),
    )  # fmt: skip


def _describe_unread(passages: Sequence[UnparsedPassage]) -> list[str]:
    """Return a sentence for each of the first passages that are no references."""
    notes = [
        f"Line {each.line} of the bibliography was not read: {each.reason} “{each.text}”" for each in passages[:10]
    ]
    return (
        [*notes, f"{len(passages) - 10:,} more passages of the bibliography were not read."]
        if len(passages) > 10
        else notes
    )
