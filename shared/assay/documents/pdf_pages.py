"""PDF pages one by one: their words in lines as a reader sees them, or the page as a picture."""

import base64
import time
from collections.abc import Sequence
from typing import Any

from assay.documents.document import PAGES, TEXT_CHARS, AskAgain
from assay.documents.pdf import PASSWORD, read_visible_lines
from assay.documents.pdf_lines import PdfLine
from assay.documents.pdf_parallel import Helper, Met, in_halves
from assay.documents.pdfium import handle, pdfium
from assay.errors import InvalidInput, UpstreamFailed
from assay.text.sanitize import sanitise

HEAD = 1024  # bytes in which a PDF says that it is one
INCH = 72.0  # points
PIXELS = 12_000_000  # of a picture; a larger page is drawn smaller

type Answer = dict[str, Any]


def prepare() -> None:
    pdfium()


def answer(body: bytes, how: str, deadline: float, helper: Helper | None) -> Answer:
    """`text 0,2`: `{count, pages: [[index, text]…], truncated}` of these pages, of all when none is named.

    `picture 2 200`: `{image}`, the page at 200 dots an inch as a grey PNM picture in base64.
    """
    what, _, rest = how.partition(" ")
    if what == "picture":
        number, _, dots = rest.partition(" ")
        return {"image": _picture(body, int(number), int(dots))}
    return _texts(body, [int(number) for number in rest.split(",") if number], deadline, helper)


def _texts(body: bytes, asked: list[int], deadline: float, helper: Helper | None) -> Answer:
    if b"%PDF-" not in body[:HEAD]:
        raise InvalidInput("open pdf: not a PDF file: invalid header")
    file = _open_document(body)
    if file is None:
        raise AskAgain(f"pdf_fallback:{','.join(map(str, asked))}")
    numbers = page_numbers(asked, len(file))
    raw = handle(file.raw)
    met = in_halves(numbers, deadline, helper, lambda some: _read(raw, some, deadline))
    texts = [_text(lines) for _, lines in met.pages]
    return build_answer(
        len(file), numbers, texts, met.count < len(numbers) or len(numbers) < len(asked or range(len(file)))
    )


def _open_document(body: bytes) -> Any:
    """PDFium's document; None where it finds no page. Raises InvalidInput where a password is needed."""
    import pypdfium2

    try:
        file = pypdfium2.PdfDocument(body)
    except pypdfium2.PdfiumError as failure:
        if getattr(failure, "err_code", None) == PASSWORD:
            raise InvalidInput("open pdf: encrypted PDF: invalid password") from failure
        return None
    return file if len(file) else None


def page_numbers(asked: list[int], count: int) -> list[int]:
    """The pages to read, each once, in the order they were asked for."""
    for number in asked:
        if not 0 <= number < count:
            raise InvalidInput(f"page index out of range: {number} (total {count})")
    return list(dict.fromkeys(asked or range(count)))[:PAGES]


def _read(file: int, numbers: Sequence[int], deadline: float) -> Met:
    """The pages until a limit is met; a damaged one is as good as an empty one."""
    met, letters = Met(), 0
    for number in numbers:
        if letters > TEXT_CHARS or time.monotonic() > deadline:
            break
        box, lines, _ = read_visible_lines(file, number) or ((0.0, 0.0, 0.0, 0.0), [], 0)
        letters += sum(len(line.text) for line in lines)
        met.pages.append((box, lines))
    return met


def read_range(body: bytes, numbers: Sequence[int], deadline: float) -> Met:
    """As another process reads a part of the pages."""
    return _read(handle(_open_document(body).raw), numbers, deadline)


def _text(lines: list[PdfLine]) -> str:
    return sanitise("\n".join([line.text + "-" if line.hyphen else line.text for line in lines]))


def build_answer(count: int, numbers: list[int], texts: list[str], truncated: bool) -> Answer:
    return {"count": count, "pages": list(zip(numbers, texts, strict=False)), "truncated": truncated}


def _picture(body: bytes, number: int, dots: int) -> str:
    """A damaged page is a blank one, as it is to its readers."""
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
