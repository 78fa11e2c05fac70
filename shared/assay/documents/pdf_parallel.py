"""The pages of a long PDF, read by two processes where there are two processors."""

import marshal
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from assay.documents.pdf_hidden import Box
from assay.documents.pdf_lines import PdfLine
from assay.errors import UpstreamFailed

MANY = 40  # pages; fewer are read before a second process is of use
DIED = "A page of the PDF ended its reader; the file is broken or hostile."


@dataclass
class Met:
    """Pages that were read: their boxes and lines, how much text was hidden, how many were damaged."""

    pages: list[tuple[Box, list[PdfLine]]] = field(default_factory=list)
    hidden: int = 0
    broken: int = 0

    @property
    def count(self) -> int:
        return len(self.pages) + self.broken


type ReadRange = Callable[[bytes, Sequence[int], float], Met]  # the file, page numbers, deadline


class Helper:
    """A second process that can read pages of the same file.

    It is forked before its parent meets the file: a process that reads may start no other. `confine` is what it does
    before it meets the file itself.
    """

    def __init__(self, body: bytes, read: ReadRange, confine: Callable[[], None]) -> None:
        source, self._asks = os.pipe()
        self._told, target = os.pipe()
        self._process = os.fork()
        if not self._process:
            code = 1
            try:
                os.close(self._asks)
                os.close(self._told)
                confine()
                _serve(source, target, body, read)
                code = 0
            finally:
                os._exit(code)
        os.close(source)
        os.close(target)

    def start(self, numbers: Sequence[int], deadline: float) -> None:
        with os.fdopen(self._asks, "wb") as pipe:
            marshal.dump((list(numbers), deadline), pipe)
        self._asks = -1

    def finish(self) -> Met:
        """What it has read. Raises UpstreamFailed where the file ended it."""
        with os.fdopen(self._told, "rb") as pipe:
            told = pipe.read()
        self._told = -1
        if self._wait_for_process():
            raise UpstreamFailed(DIED)
        return _decode_pages(marshal.loads(told))  # noqa: S302 - from our own fork, which is as trusted as this process

    def close(self) -> None:
        """End it where it was not asked; wait for its end in any case."""
        for end in (self._asks, self._told):
            if end >= 0:
                os.close(end)
        if self._process:
            self._wait_for_process()

    def _wait_for_process(self) -> int:
        process, self._process = self._process, 0
        return os.waitpid(process, 0)[1]


def _serve(source: int, target: int, body: bytes, read: ReadRange) -> None:
    with os.fdopen(source, "rb") as pipe:
        asked = pipe.read()
    if asked:
        numbers, deadline = marshal.loads(asked)  # noqa: S302 - from our own parent
        with os.fdopen(target, "wb") as pipe:
            marshal.dump(_plain(read(body, numbers, deadline)), pipe)


def in_halves(
    numbers: Sequence[int], deadline: float, helper: Helper | None, read: Callable[[Sequence[int]], Met]
) -> Met:
    """What `read` makes of the pages `numbers`; the second half of many is read by the helper at the same time."""
    if helper is None or len(numbers) < MANY:
        return read(numbers)
    middle = len(numbers) // 2
    helper.start(numbers[middle:], deadline)
    first, second = read(numbers[:middle]), helper.finish()
    if first.count < middle:  # it met a limit, so what comes after does not count
        return first
    return Met(first.pages + second.pages, first.hidden + second.hidden, first.broken + second.broken)


type Plain = tuple[list[tuple[Box, list[tuple[object, ...]]]], int, int]


def _plain(met: Met) -> Plain:
    return [(box, [tuple(line) for line in lines]) for box, lines in met.pages], met.hidden, met.broken


def _decode_pages(told: Plain) -> Met:
    pages, hidden, broken = told
    return Met([(box, [PdfLine._make(line) for line in lines]) for box, lines in pages], hidden, broken)
