"""Code in PDFs: consecutive lines in a font whose characters all have the same width."""

import re
from itertools import pairwise

from assay.documents.pdf_text_page import PdfLine

MAX_SHARE = 0.9  # of the letters; a document that is all monospaced was typed on a typewriter
MAX_GAP = 3.5  # font sizes between lines of one block of code
MAX_EMPTY = 3  # empty lines written between two lines
MAX_INDENT = 200
SURE = 2  # more lines than this are code wherever they stand
INDENT, GAP = 1.0, 0.2  # relative to the size of the text
WORD = re.compile(r"[\w.:/@-]*")  # a name or an address, which text shows on a line of its own too
TICKS = re.compile(r"`{3,}")


def find_code_lines(lines: list[PdfLine], step: float) -> list[bool]:
    """Return for each line of a page whether it is code: in a fixed pitch, and apart from the text around it.

    `step` is the line spacing of text relative to its size. A pair of lines that begins and ends like its paragraph is
    text, such as a long address.
    """
    found: list[bool] = []
    while len(found) < len(lines):
        start = end = len(found)
        while end < len(lines) and lines[end].is_fixed and (end == start or follows_code(lines[end - 1], lines[end])):
            end += 1
        before, after = lines[start - 1] if start else None, lines[end] if end < len(lines) else None
        count = max(1, end - start)
        is_code = end > start and _is_apart(lines[start], lines[end - 1], before, after, step, count)
        found += [is_code] * count
    return found


def _is_apart(
    first: PdfLine, last: PdfLine, before: PdfLine | None, after: PdfLine | None, step: float, count: int
) -> bool:
    """Whether lines of a fixed pitch are apart from the lines before and after them."""
    if count > SURE:
        return True
    gaps = before is None or _is_gap(before, first, step), after is None or _is_gap(last, after, step)
    indents = [line is None or first.left - line.left > INDENT * first.size for line in (before, after)]
    if count > 1:
        return any(gaps) or any(indents)
    return (all(gaps) or all(indents)) and WORD.fullmatch(first.text) is None


def _is_gap(one: PdfLine, two: PdfLine, step: float) -> bool:
    return not 0 < one.bottom - two.bottom <= (step + GAP) * max(one.size, two.size)


def follows_code(before: PdfLine, line: PdfLine) -> bool:
    """Return whether a line of code continues the block of the line before."""
    down = before.bottom - line.bottom
    return abs(before.size - line.size) < 0.06 * before.size and 0 < down < MAX_GAP * before.size


def is_typewritten(pages: list[list[PdfLine]]) -> bool:
    """Return whether most of the document has a fixed pitch, which then does not tell code from text."""
    letters = sum(len(line.text) for page in pages for line in page)
    return sum(len(line.text) for page in pages for line in page if line.is_fixed) > MAX_SHARE * letters


def format_code(lines: list[PdfLine]) -> str:
    """Format lines as a fenced block, with the indents and empty lines that their positions show."""
    left = min(line.left for line in lines)
    steps = [one.bottom - two.bottom for one, two in pairwise(lines)]
    step = min(steps, default=1.0)
    longest = max(lines, key=lambda line: len(line.text))
    pitch = (longest.right - longest.left) / len(longest.text) or 1.0
    found: list[str] = []
    for line, down in zip(lines, [0.0, *steps], strict=True):
        found += [""] * min(MAX_EMPTY, max(0, round(down / step) - 1))
        indent = min(MAX_INDENT, round((line.left - left) / pitch))
        found.append(" " * indent + line.text + "-" * line.hyphen)
    text = "\n".join(found)
    fence = "`" * (max((len(run) for run in TICKS.findall(text)), default=2) + 1)
    return f"{fence}\n{text}\n{fence}"
