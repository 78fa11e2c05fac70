"""What a document is once it has been read, and how much of one is read."""

from dataclasses import dataclass

TEXT_CHARS = 5_000_000
PAGES = 2_000

NAMES = {
    "pdf": "PDF",
    "docx": "Word document",
    "pptx": "PowerPoint presentation",
    "xlsx": "Excel workbook",
    "xls": "Excel workbook",
    "ods": "OpenDocument spreadsheet",
    "odt": "OpenDocument text",
    "epub": "EPUB book",
    "rtf": "RTF document",
    "xml": "XML document",
    "feed": "feed",
    "json": "JSON document",
    "csv": "CSV file",
    "text": "text",
}
FILES = ("pdf", "docx", "pptx", "xlsx", "xls", "ods", "odt", "epub", "rtf")  # kinds that are never markup or plain text
READABLE = "HTML, Markdown, plain text, JSON, CSV, XML, feeds, PDF, DOCX, PPTX, XLSX, XLS, ODS, ODT, EPUB and RTF"


class AskAgain(Exception):
    """This reader can make nothing of the file; the reader of `kind` may."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind


@dataclass(frozen=True)
class Document:
    """A document as clean markdown with what it says of itself.

    `created` is ISO 8601 or "". `page_count` counts pages or slides; None where there are none.
    `truncated` says that text was left out for length; `notes` are sentences about what was done to it.
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


def cut(text: str, chars: int = TEXT_CHARS) -> tuple[str, bool]:
    """The text up to the last line that fits, and whether anything was left out."""
    if len(text) <= chars:
        return text, False
    end = text.rfind("\n", chars // 2, chars)
    return text[: end if end > 0 else chars], True
