"""The parsed document, the names of the supported kinds and the limits of parsing."""

from dataclasses import dataclass

TEXT_CHARS = 5_000_000  # maximum length of a document's Markdown
PAGES = 2_000  # maximum number of pages read

NAMES = {
    "pdf": "PDF",
    "docx": "Word document",
    "doc": "Word document",
    "pptx": "PowerPoint presentation",
    "ppt": "PowerPoint presentation",
    "xlsx": "Excel workbook",
    "xls": "Excel workbook",
    "ods": "OpenDocument spreadsheet",
    "odt": "OpenDocument text",
    "odp": "OpenDocument presentation",
    "epub": "EPUB book",
    "rtf": "RTF document",
    "xml": "XML document",
    "feed": "feed",
    "json": "JSON document",
    "csv": "CSV file",
    "text": "text",
}
# Kinds that are binary or file formats.
FILES = ("pdf", "docx", "doc", "pptx", "ppt", "xlsx", "xls", "ods", "odt", "odp", "epub", "rtf")
READABLE = (
    "HTML, Markdown, plain text, JSON, CSV, XML, feeds, "
    "PDF, DOCX, DOC, PPTX, PPT, XLSX, XLS, ODS, ODT, ODP, EPUB and RTF"
)
ENCRYPTED = "The {} is encrypted. Send a copy without a password."


class RetryWithParser(Exception):
    """Raised by a parser that cannot open the file, to retry it with the parser of `kind`."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind


@dataclass(frozen=True)
class Document:
    """A parsed document: sanitised Markdown and the metadata that the file declares.

    `author` has the names of several separated by semicolons, as office programs do. `created` is an ISO 8601 date or
    "". `doi` is that of an article which declares it. `page_count` is the number of pages or slides; None for other
    formats. `file_size` is in bytes. `truncated` tells that a limit cut the text. `notes` are for users. `comments` are
    those of reviewers: the last paragraphs of `markdown`, which manuscripts are read without.
    """

    kind: str
    markdown: str
    title: str = ""
    author: str = ""
    created: str = ""
    page_count: int | None = None
    file_size: int = 0
    truncated: bool = False
    notes: tuple[str, ...] = ()
    comments: str = ""
    doi: str = ""

    @property
    def authors(self) -> list[str]:
        return [name for part in self.author.split(";") if (name := part.strip())]


def truncate_text(text: str, chars: int = TEXT_CHARS) -> tuple[str, bool]:
    """Truncate the text to at most `chars` characters, at a line break if possible; also return whether it was cut."""
    if len(text) <= chars:
        return text, False
    end = text.rfind("\n", chars // 2, chars)
    return text[: end if end > 0 else chars], True
