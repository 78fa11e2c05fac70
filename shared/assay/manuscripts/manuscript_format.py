"""Names the formats of manuscripts, and detects the format of one from its content and its name."""

import re

from assay.bibliography.notation import BIBTEX, HAYAGRIVA, NBIB, RIS
from assay.documents.file_type import detect_kind
from assay.errors import InvalidInput

DOCUMENTS = ("docx", "pdf", "odt", "epub", "rtf")  # read in the sandbox of documents
BIBLIOGRAPHIES = ("bibtex", "ris", "csl-json", "nbib", "endnote-xml", "hayagriva")
FORMATS = ("markdown", "text", "latex", "html", *DOCUMENTS, "reference-list", *BIBLIOGRAPHIES)
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
HTML = re.compile(r"<(?:!doctype\s+html|html|head|body|article|main|section|div|p|h1)\b", re.IGNORECASE)
HTML_ROOT = re.compile(r"<(?:html|body)\b[^>]*>", re.IGNORECASE)
BIBLIOGRAPHY_SIGNS = (
    (BIBTEX, "bibtex"), (RIS, "ris"), (NBIB, "nbib"), (HAYAGRIVA, "hayagriva"),
    (re.compile(r"(?:<\?xml[^>]{0,200}>\s{0,20})?<xml>\s{0,20}<records>"), "endnote-xml"),
)  # fmt: skip
HEAD = 20_000  # characters that show the format
COMMENTS = re.compile(r"(?:\s|%[^\n]*\n)*")


def detect_format(body: bytes | str, media_type: str, filename: str) -> str:
    """Return the format of a manuscript. Raises InvalidInput for a file of another type."""
    if isinstance(body, bytes):
        kind = detect_kind(body, media_type, f"file:///{filename}")
        if kind in DOCUMENTS:
            return kind
    text = body[: 4 * HEAD].decode("utf-8", "replace") if isinstance(body, bytes) else body
    named = MEDIA_TYPES.get(media_type.partition(";")[0].strip().casefold())
    return named or SUFFIXES.get(filename.rpartition(".")[2].casefold()) or detect_text_format(text)


def detect_text_format(text: str) -> str:
    """Return the format of a text by its content."""
    start = text[COMMENTS.match(text, 0, HEAD).end() :] if text[:1] in "% \n\t" else text  # type: ignore[union-attr]
    unmarked = start.lstrip("\ufeff")
    for pattern, name in BIBLIOGRAPHY_SIGNS:
        if pattern.match(unmarked):
            return name
    if start.startswith(("[{", "[\n", "{")) and '"' in start[:200]:
        return "csl-json"
    if HTML.match(start) or HTML_ROOT.search(start[:HEAD]):
        return "html"
    if LATEX.search(text[:HEAD]):
        return "latex"
    return "markdown" if MARKDOWN.search(text[:HEAD]) else "text"


def check_format(name: str) -> str:
    """Return the format. Raises InvalidInput if it is not supported."""
    if name not in FORMATS:
        raise InvalidInput(f"{name!r} is not a format of manuscripts; use one of {', '.join(FORMATS)}.", field="format")
    return name
