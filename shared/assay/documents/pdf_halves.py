"""The pages of a long PDF, read by two processes where there are two processors."""

import marshal
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from assay.documents.pdf_hidden import Box
from assay.documents.pdf_lines import Line
from assay.errors import UpstreamFailed

MANY = 40  # pages; fewer are read before a second process is of use
DIED = "A page of the PDF ended its reader; the file is broken or hostile."


@dataclass
class Met:
    """Pages that were read: their boxes and lines, how much text was hidden, how many were damaged."""

    pages: list[tuple[Box, list[Line]]] = field(default_factory=list)
    hidden: int = 0
    broken: int = 0

    @property
    def count(self) -> int:
        return len(self.pages) + self.broken


def in_halves(numbers: Sequence[int], cores: int, read: Callable[[Sequence[int]], Met]) -> Met:
    """What `read` makes of the pages `numbers`, the second half in a fork of this process, which has one thread."""
    if cores < 2 or len(numbers) < MANY:
        return read(numbers)
    middle = len(numbers) // 2
    source, target = os.pipe()
    helper = os.fork()
    if not helper:
        code = 1
        try:
            with os.fdopen(target, "wb") as pipe:
                marshal.dump(_plain(read(numbers[middle:])), pipe)
            code = 0
        finally:
            os._exit(code)
    os.close(target)
    with os.fdopen(source, "rb") as pipe:
        first, told = read(numbers[:middle]), pipe.read()
    if os.waitpid(helper, 0)[1]:
        raise UpstreamFailed(DIED)
    second = _met(marshal.loads(told))  # noqa: S302 - from our own fork, which is as trusted as this process
    if first.count < middle:  # it met a limit, so what comes after does not count
        return first
    return Met(first.pages + second.pages, first.hidden + second.hidden, first.broken + second.broken)


type Plain = tuple[list[tuple[Box, list[tuple[object, ...]]]], int, int]


def _plain(met: Met) -> Plain:
    return [(box, [tuple(line) for line in lines]) for box, lines in met.pages], met.hidden, met.broken


def _met(told: Plain) -> Met:
    pages, hidden, broken = told
    return Met([(box, [Line._make(line) for line in lines]) for box, lines in pages], hidden, broken)
