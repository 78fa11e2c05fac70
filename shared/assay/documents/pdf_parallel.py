"""Parallel reading of a long PDF with a second process, on machines with at least two processors."""

import marshal
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from assay.documents.document_comments import Comment
from assay.documents.pdf_annotations import PdfAnnotation
from assay.documents.pdf_objects import Box
from assay.documents.pdf_tags import Tag
from assay.documents.pdf_text_page import Page, PdfLine
from assay.errors import UpstreamFailed

MANY = 40  # pages; for fewer, starting a second process takes longer than reading
DIED = "A page of the PDF crashed the parser; the file is damaged or malicious."


@dataclass
class PageBatch:
    """Pages read: boxes and lines, annotations and comments, the numbers of hidden objects and of damaged pages."""

    pages: list[Page] = field(default_factory=list)
    annotations: list[list[PdfAnnotation]] = field(default_factory=list)
    hidden: int = 0
    broken: int = 0
    comments: list[Comment] = field(default_factory=list)

    @property
    def count(self) -> int:
        return len(self.pages) + self.broken


type ReadRange = Callable[[bytes, Sequence[int], float], PageBatch]  # the file, page numbers, deadline


class Helper:
    """A second process that can read pages of the same file.

    It is forked before its parent opens the file, because the sandbox forbids a parser to start processes. It calls
    `confine` before it opens the file itself.
    """

    def __init__(self, body: bytes, read: ReadRange, confine: Callable[[], None]) -> None:
        source, self._requests = os.pipe()
        self._results, target = os.pipe()
        self._process = os.fork()
        if not self._process:
            code = 1
            try:
                os.close(self._requests)
                os.close(self._results)
                confine()
                _serve(source, target, body, read)
                code = 0
            finally:
                os._exit(code)
        os.close(source)
        os.close(target)

    def start(self, numbers: Sequence[int], deadline: float) -> None:
        """Request these pages (zero-based); `deadline` is monotonic time."""
        with os.fdopen(self._requests, "wb") as pipe:
            marshal.dump((list(numbers), deadline), pipe)
        self._requests = -1

    def finish(self) -> PageBatch:
        """Wait for the pages. Raises UpstreamFailed if the process crashed."""
        with os.fdopen(self._results, "rb") as pipe:
            data = pipe.read()
        self._results = -1
        if self._wait_for_process():
            raise UpstreamFailed(DIED)
        return _decode_pages(marshal.loads(data))  # noqa: S302 - from our own fork, as trusted as this process

    def close(self) -> None:
        """Close the pipes, which ends an unused process, and wait for the process."""
        for end in (self._requests, self._results):
            if end >= 0:
                os.close(end)
        if self._process:
            self._wait_for_process()

    def _wait_for_process(self) -> int:
        process, self._process = self._process, 0
        return os.waitpid(process, 0)[1]


def _serve(source: int, target: int, body: bytes, read: ReadRange) -> None:
    with os.fdopen(source, "rb") as pipe:
        request = pipe.read()
    if request:
        numbers, deadline = marshal.loads(request)  # noqa: S302 - from our own parent
        with os.fdopen(target, "wb") as pipe:
            marshal.dump(_encode_pages(read(body, numbers, deadline)), pipe)


def read_in_parallel(
    numbers: Sequence[int], deadline: float, helper: Helper | None, read: Callable[[Sequence[int]], PageBatch]
) -> PageBatch:
    """Read the pages with `read`; for many pages, the helper reads the second half at the same time."""
    if helper is None or len(numbers) < MANY:
        return read(numbers)
    middle = len(numbers) // 2
    helper.start(numbers[middle:], deadline)
    first, second = read(numbers[:middle]), helper.finish()
    if first.count < middle:  # it reached a limit, so the later pages are dropped
        return first
    return PageBatch(
        first.pages + second.pages,
        first.annotations + second.annotations,
        first.hidden + second.hidden,
        first.broken + second.broken,
        first.comments + second.comments,
    )


type EncodedLine = tuple[object, ...]
type EncodedPages = tuple[
    list[tuple[Box, list[EncodedLine]]], list[list[tuple[str | bool, ...]]], int, int, list[tuple[str | int, ...]]
]

CELLS, TAG = map(PdfLine._fields.index, ("cells", "tag"))


def _encode_pages(batch: PageBatch) -> EncodedPages:
    pages = [(box, [_encode_line(line) for line in lines]) for box, lines in batch.pages]
    annotations: list[list[tuple[str | bool, ...]]] = [[(*one,) for one in each] for each in batch.annotations]
    return pages, annotations, batch.hidden, batch.broken, [(*comment,) for comment in batch.comments]


def _encode_line(line: PdfLine) -> EncodedLine:
    """Return the fields of a line as plain tuples: marshal refuses named tuples, those of the cells too."""
    tag = line.tag and tuple(line.tag)
    return (*line[:CELLS], tuple(map(_encode_line, line.cells)), *line[CELLS + 1 : TAG], tag)


def _decode_pages(data: EncodedPages) -> PageBatch:
    pages, annotations, hidden, broken, comments = data
    lines_of_pages = [(box, [_decode_line(line) for line in lines]) for box, lines in pages]
    return PageBatch(
        lines_of_pages,
        [list(map(PdfAnnotation._make, each)) for each in annotations],
        hidden,
        broken,
        list(map(Comment._make, comments)),
    )


def _decode_line(data: EncodedLine) -> PdfLine:
    line = PdfLine._make(data)
    line = line._replace(tag=Tag._make(line.tag)) if line.tag else line
    return line._replace(cells=tuple(map(_decode_line, line.cells))) if line.cells else line
