"""Names the formats of manuscripts, and detects the format of one from its content and its name."""

import re

from assay.bibliography.notation import BIBTEX, HAYAGRIVA, RIS
from assay.bibliography.reference_list import EVIDENCE, find_reference_list, split_entries
from assay.documents.file_type import detect_kind
from assay.documents.file_types import is_binary, name_file_type
from assay.errors import InvalidInput, UnsupportedType
from assay.manuscripts.latex_project import is_project
from assay.manuscripts.note_references import is_printed_reference

DOCUMENTS = ("docx", "doc", "pdf", "odt", "epub", "rtf")  # read in the sandbox of documents
BIBLIOGRAPHIES = ("bibtex", "ris", "csl-json", "nbib", "endnote-xml", "hayagriva")
FORMATS = ("markdown", "text", "latex", "html", "jats", *DOCUMENTS, "reference-list", *BIBLIOGRAPHIES)
SUFFIXES = {
    "md": "markdown", "markdown": "markdown", "qmd": "markdown", "rmd": "markdown", "txt": "text",
    "html": "html", "htm": "html", "xhtml": "html", "tex": "latex", "latex": "latex", "bbl": "latex",
    "bib": "bibtex", "ris": "ris", "nbib": "nbib", "yml": "hayagriva", "yaml": "hayagriva",
}  # fmt: skip
MEDIA_TYPES = {
    "text/markdown": "markdown", "text/x-markdown": "markdown", "text/html": "html", "application/xhtml+xml": "html",
    "application/x-tex": "latex", "text/x-tex": "latex", "application/x-latex": "latex",
    "application/x-bibtex": "bibtex", "application/x-research-info-systems": "ris",
    "application/vnd.citationstyles.csl+json": "csl-json",
}  # fmt: skip
MARKDOWN = re.compile(
    r"^ {0,3}#{1,6} \S|\]\(https?://|\[-?@[\w{]|^\[\^[^\]\s]+\]:|\A---[ \t]*\n|^ {0,3}```|\*\*\S", re.MULTILINE
)
LATEX = re.compile(r"\\documentclass\b|\\begin\{(?:document|thebibliography)\}|\\bibitem\b|\\(?:sub)?section\*?\{")
JATS = re.compile(
    r"(?:<\?xml[^<>]{0,200}\?>\s*)?(?:<!--(?:[^-]|-(?!->)){0,2000}-->\s*)?(?:<!DOCTYPE[^<>]{0,600}>\s*)?<article\b[^<>]*"
    r"(?:\barticle-type|\bdtd-version|xlink)|<!DOCTYPE\s+article\b|<\?xml[^<>]{0,200}\?>\s*<!DOCTYPE\s+article\b"
    r"|(?:<\?xml[^<>]{0,200}\?>\s*)?<article\b[^<>]*>\s*<front\b"
)
STARTS = (
    (BIBTEX, "bibtex"),
    (RIS, "ris"),
    (re.compile(r"PMID- ?\d"), "nbib"),
    (re.compile(r"<(?:\?xml|xml|records|record)\b[^<>]*>(?:[^<]|<(?!record[\s>])){0,2000}<record[\s>]"), "endnote-xml"),
    (JATS, "jats"),
    (HAYAGRIVA, "hayagriva"),
    (re.compile(r"\[\s*\{\s*\"|\{\s*\""), "csl-json"),
    (re.compile(r"<(?:!doctype\s+html|html|head|body|article|main|section|div|p|h1)\b", re.IGNORECASE), "html"),
)
SIGNS = ((re.compile(r"<(?:html|body)\b[^<>]*>", re.IGNORECASE), "html"), (LATEX, "latex"))
MISNAMED = {"latex", "jats", "reference-list", "bibtex", "ris", "nbib", "endnote-xml"}  # never also Markdown
NOTE = re.compile(r"\[\^[^\]\s]{1,100}\]")
NAMES_AND_DATE = re.compile(  # only an entry has a full stop before the parenthesis
    r"[^\W\d_][^\d()]{1,300}\.\s\((?:(?:1[5-9]|20)\d\d[^()]{0,30}|n\.\s?d\.|in press|forthcoming)\)\."
)
LIST_SHARE = 0.8  # of the paragraphs that must look like references in a bare list
HEAD = 20_000  # characters that show the format
COMMENTS = re.compile(r"(?:\s|%[^\n]*\n)*")


def detect_format(body: bytes | str, media_type: str, filename: str) -> str:
    """Return the format of a manuscript. Raises UnsupportedType for a file of another type."""
    if isinstance(body, bytes):
        if is_project(body):
            return "latex"
        kind = detect_kind(body, media_type, f"file:///{filename}")
        if kind in DOCUMENTS:
            return kind
        if is_binary(body):
            raise UnsupportedType(
                f"The file is a {name_file_type(body) or 'binary file of unknown type'}, which has no text of a "
                f"manuscript; use one of {', '.join(FORMATS)}."
            )
    text = body[: 4 * HEAD].decode("utf-8", "replace") if isinstance(body, bytes) else body
    named = MEDIA_TYPES.get(media_type.partition(";")[0].strip().casefold())
    named = named or SUFFIXES.get(filename.rpartition(".")[2].casefold())
    return _correct_name(named, text) if named in ("markdown", "text") else named or detect_text_format(text)


def _correct_name(named: str, text: str) -> str:
    """Return the format of a text named Markdown or plain text, whose names also stand for other notations."""
    found = detect_text_format(text)
    if named == "text" and found != "markdown":
        return found
    is_start = found != "latex" or LATEX.match(_skip_comments(text)) is not None
    return found if found in MISNAMED and is_start else named


def detect_text_format(text: str) -> str:
    """Return the format of a text by its content."""
    start = _skip_comments(text)
    for pattern, name in STARTS:
        if pattern.match(start, 0, HEAD):
            return name
    for pattern, name in SIGNS:
        if pattern.search(text, 0, HEAD):
            return name
    if is_bare_list(text[:HEAD]):
        return "reference-list"
    return "markdown" if MARKDOWN.search(text[:HEAD]) else "text"


def _skip_comments(text: str) -> str:
    """Return the text behind the comments of BibTeX or LaTeX at its start."""
    comments = COMMENTS.match(text, 0, HEAD)
    return text[comments.end() if comments else 0 :].lstrip("\ufeff")


def is_bare_list(text: str) -> bool:
    """Whether each paragraph of a text is a reference or an identifier, so that there is no running text."""
    if NOTE.search(text) or find_reference_list(text).entries:
        return False
    entries = split_entries(text)
    named = [NAMES_AND_DATE.match(entry.text) is not None for entry in entries]
    dated = sum(found or bool(EVIDENCE.search(entry.text)) for entry, found in zip(entries, named, strict=True))
    started = sum(
        found or bool(entry.label) or is_printed_reference(entry.text)
        for entry, found in zip(entries, named, strict=True)
    )
    return len(entries) > 0 and dated >= LIST_SHARE * len(entries) and started >= LIST_SHARE * len(entries)


def check_format(name: str) -> str:
    """Return the format. Raises InvalidInput if it is not supported."""
    if name not in FORMATS:
        raise InvalidInput(f"{name!r} is not a format of manuscripts; use one of {', '.join(FORMATS)}.", field="format")
    return name
