"""Text of individual PDF pages as lines, and rendering of a page as an image."""

import base64
import time
from collections.abc import Sequence
from typing import Any

from assay.documents.document import PAGES, TEXT_CHARS, RetryWithParser
from assay.documents.pdf import PASSWORD, VisiblePage, read_visible_page
from assay.documents.pdf_annotation_marks import AnnotatedText, list_unlabelled, write_annotations
from assay.documents.pdf_annotations import PdfAnnotation
from assay.documents.pdf_parallel import Helper, PageBatch, read_in_parallel
from assay.documents.pdf_text_page import PdfLine, TextPage
from assay.documents.pdfium import pdfium, raw_handle
from assay.errors import InvalidInput, UpstreamFailed
from assay.text.sanitize import sanitise

HEAD = 1024  # bytes; readers accept the header `%PDF-` within them
INCH = 72.0  # points
PIXELS = 12_000_000  # maximum of an image; a larger page is scaled down

type Answer = dict[str, Any]


def prepare() -> None:
    """Load PDFium, before the sandbox forbids opening files."""
    pdfium()


def answer(body: bytes, how: str, deadline: float, helper: Helper | None) -> Answer:
    """Answer a request about single pages (zero-based).

    `text 0,2` returns `{count, pages: [[index, text]…], truncated}` for these pages, or for all if none is named.
    `picture 2 200` returns `{image}`: the page at 200 dots per inch as a greyscale PNM image in base64.
    """
    what, _, rest = how.partition(" ")
    if what == "picture":
        number, _, dots = rest.partition(" ")
        return {"image": _render_page(body, int(number), int(dots))}
    return _read_texts(body, [int(number) for number in rest.split(",") if number], deadline, helper)


def _read_texts(body: bytes, requested: list[int], deadline: float, helper: Helper | None) -> Answer:
    if b"%PDF-" not in body[:HEAD]:
        raise InvalidInput("open pdf: not a PDF file: invalid header")
    file = _open_document(body)
    if file is None:
        raise RetryWithParser(f"pdf_fallback:{','.join(map(str, requested))}")
    numbers = check_page_numbers(requested, len(file))
    raw = raw_handle(file.raw)
    batch = read_in_parallel(numbers[:PAGES], deadline, helper, lambda part: _read_pages(raw, part, deadline))
    pages = zip(batch.pages, batch.annotations, strict=True)
    return build_answer(len(file), numbers, [_join_lines(lines, fields) for (_, lines), fields in pages])


def _open_document(body: bytes) -> Any:
    """Open the document with PDFium; None if it finds no page. Raises InvalidInput if a password is needed."""
    import pypdfium2

    try:
        file = pypdfium2.PdfDocument(body)
    except pypdfium2.PdfiumError as failure:
        if getattr(failure, "err_code", None) == PASSWORD:
            raise InvalidInput("open pdf: encrypted PDF: invalid password") from failure
        return None
    return file if len(file) else None


def check_page_numbers(requested: list[int], count: int) -> list[int]:
    """The requested pages without duplicates, or all if none. Raises InvalidInput for a page that does not exist."""
    for number in requested:
        if not 0 <= number < count:
            raise InvalidInput(f"page index out of range: {number} (total {count})")
    return list(dict.fromkeys(requested or range(count)))


def _read_pages(file: int, numbers: Sequence[int], deadline: float) -> PageBatch:
    """Read the pages until the limit of text or time; a damaged page counts as empty."""
    batch, letters = PageBatch(), 0
    for number in numbers:
        if letters > TEXT_CHARS or time.monotonic() > deadline:
            break
        page = read_visible_page(file, number, TextPage) or VisiblePage((0.0, 0.0, 0.0, 0.0), [])
        letters += sum(len(line.text) for line in page.lines)
        batch.pages.append((page.box, page.lines))
        batch.annotations.append([annotation for annotation in page.annotations if annotation.shown])
    return batch


def read_range(body: bytes, numbers: Sequence[int], deadline: float) -> PageBatch:
    """Read part pages in the helper process; `deadline` is monotonic time."""
    return _read_pages(raw_handle(_open_document(body).raw), numbers, deadline)


def _join_lines(lines: list[PdfLine], fields: list[PdfAnnotation]) -> str:
    texts = [AnnotatedText(0, line.text + "-" if line.hyphen else line.text) for line in lines]
    [missed] = write_annotations(texts, [fields]) or [[]]
    return sanitise("\n".join([*(text.text for text in texts), *list_unlabelled(missed)]))


def build_answer(count: int, numbers: list[int], texts: list[str]) -> Answer:
    """Build the result of a `text` request for these pages, of which the first have been read."""
    return {"count": count, "pages": list(zip(numbers, texts, strict=False)), "truncated": len(texts) < len(numbers)}


def _render_page(body: bytes, number: int, dots: int) -> str:
    """Render a page; a damaged page becomes a blank image."""
    import pypdfium2

    file = _open_document(body)
    if file is None:
        raise UpstreamFailed("open pdf: the file is damaged: its pages cannot be drawn")
    try:
        page = file[number]
        width, height = page.get_size()
        scale = dots / INCH
        scale = min(scale, (PIXELS / max(1.0, width * height)) ** 0.5)
        drawn = page.render(scale=scale, grayscale=True)
    except pypdfium2.PdfiumError:
        return base64.b64encode(b"P5\n1 1\n255\n\xff").decode()
    rows = memoryview(drawn.buffer).cast("B")
    pixels = b"".join(rows[at : at + drawn.width] for at in range(0, drawn.stride * drawn.height, drawn.stride))
    return base64.b64encode(b"P5\n%d %d\n255\n" % (drawn.width, drawn.height) + pixels).decode()
