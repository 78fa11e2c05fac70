"""PDF pages one by one: their words in lines as a reader sees them, or the page as a picture."""

import base64
import time
from collections.abc import Sequence
from io import BytesIO
from typing import Any

from assay.documents.document import PAGES, TEXT_CHARS
from assay.documents.pdf import PASSWORD, seen
from assay.documents.pdf_halves import Met, in_halves
from assay.documents.pdf_lines import Line
from assay.documents.pdf_second import ODDITIES
from assay.documents.pdfium import handle, pdfium
from assay.errors import InvalidInput, UpstreamFailed
from assay.text.sanitise import sanitise

HEAD = 1024  # bytes in which a PDF says that it is one
INCH = 72.0  # points
PIXELS = 12_000_000  # of a picture; a larger page is drawn smaller

type Answer = dict[str, Any]


def prepare() -> None:
    pdfium()


def answer(body: bytes, how: str, deadline: float, cores: int) -> Answer:
    """`text 0,2`: `{count, pages: [[index, text]…], truncated}` of these pages, of all when none is named.

    `picture 2 200`: `{image}`, the page at 200 dots an inch as a grey PNM picture in base64.
    """
    what, _, rest = how.partition(" ")
    if what == "picture":
        number, _, dots = rest.partition(" ")
        return {"image": _picture(body, int(number), int(dots))}
    return _texts(body, [int(number) for number in rest.split(",") if number], deadline, cores)


def _texts(body: bytes, asked: list[int], deadline: float, cores: int) -> Answer:
    if b"%PDF-" not in body[:HEAD]:
        raise InvalidInput("open pdf: not a PDF file: invalid header")
    file = _opened(body)
    if file is None:
        return _repaired(body, asked, deadline)
    numbers = _numbers(asked, len(file))
    raw = handle(file.raw)
    met = in_halves(numbers, cores, lambda some: _read(raw, some, deadline))
    texts = [_text(lines) for _, lines in met.pages]
    return _told(len(file), numbers, texts, met.count < len(numbers) or len(numbers) < len(asked or range(len(file))))


def _opened(body: bytes) -> Any:
    """PDFium's document; None where it finds no page. Raises InvalidInput where a password is needed."""
    import pypdfium2

    try:
        file = pypdfium2.PdfDocument(body)
    except pypdfium2.PdfiumError as failure:
        if getattr(failure, "err_code", None) == PASSWORD:
            raise InvalidInput("open pdf: encrypted PDF: invalid password") from failure
        return None
    return file if len(file) else None


def _numbers(asked: list[int], count: int) -> list[int]:
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
        box, lines, _ = seen(file, number) or ((0.0, 0.0, 0.0, 0.0), [], 0)
        letters += sum(len(line.text) for line in lines)
        met.pages.append((box, lines))
    return met


def _text(lines: list[Line]) -> str:
    return sanitise("\n".join([line.text + "-" if line.hyphen else line.text for line in lines]))


def _told(count: int, numbers: list[int], texts: list[str], truncated: bool) -> Answer:
    return {"count": count, "pages": list(zip(numbers, texts, strict=False)), "truncated": truncated}


def _repaired(body: bytes, asked: list[int], deadline: float) -> Answer:
    """What pypdf can save of a file that PDFium cannot open."""
    import logging

    import pypdf
    from pypdf.errors import PyPdfError

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it complains of each repair
    try:
        reader = pypdf.PdfReader(BytesIO(body), strict=False)
        if reader.is_encrypted and not reader.decrypt(""):
            raise InvalidInput("open pdf: encrypted PDF: invalid password")
        count = len(reader.pages)
        if not count:
            raise UpstreamFailed("open pdf: the file is damaged: no page can be found")
        numbers = _numbers(asked, count)
        texts: list[str] = []
        for number in numbers:
            if time.monotonic() > deadline or sum(map(len, texts)) > TEXT_CHARS:
                break
            texts.append(sanitise(reader.pages[number].extract_text().strip()))
    except (PyPdfError, OSError, *ODDITIES) as failure:  # it raises whatever a broken file makes it stumble on
        raise UpstreamFailed("open pdf: the file is damaged and cannot be opened") from failure
    return _told(count, numbers, texts, len(texts) < len(numbers))


def _picture(body: bytes, number: int, dots: int) -> str:
    """A damaged page is a blank one, as it is to its readers."""
    import pypdfium2

    file = _opened(body)
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
