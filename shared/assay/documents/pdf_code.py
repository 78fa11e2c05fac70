"""Code in PDFs: consecutive lines in a font whose characters all have the same width."""

import re
from itertools import pairwise

from assay.documents.pdf_lines import PdfLine

PITCHES = (
    (0.597, 0.605),
    (0.548, 0.552),
    (0.523, 0.527),
)  # width of a character by font size: most fonts, Consolas, TeX
MIN_LETTERS = 3
MAX_SHARE = 0.5  # of the letters; a document that is all monospaced was typed on a typewriter
MAX_GAP = 3.5  # font sizes between lines of one block of code
MAX_EMPTY = 3  # empty lines written between two lines
TICKS = re.compile(r"`{3,}")


def has_fixed_pitch(line: PdfLine) -> bool:
    """Return whether the width of a line is that of as many characters of equal width."""
    if line.cells or len(line.text) < MIN_LETTERS or line.size <= 0:
        return False
    pitch = (line.right - line.left) / (len(line.text) * line.size)
    return any(low <= pitch <= high for low, high in PITCHES)


def find_code_lines(lines: list[PdfLine]) -> list[bool]:
    """Return for each line of a page whether it is code: at least two lines of one size in a fixed pitch."""
    fixed = [has_fixed_pitch(line) for line in lines]
    joins = [
        one and two and follows_code(before, line)
        for (one, two), (before, line) in zip(pairwise(fixed), pairwise(lines), strict=True)
    ]
    return [one or two for one, two in zip([False, *joins], [*joins, False], strict=True)] if lines else []


def follows_code(before: PdfLine, line: PdfLine) -> bool:
    """Return whether a line of code continues the block of the line before."""
    down = before.bottom - line.bottom
    return abs(before.size - line.size) < 0.06 * before.size and 0 < down < MAX_GAP * before.size


def is_typewritten(pages: list[list[PdfLine]]) -> bool:
    """Return whether most of the document has a fixed pitch, which then does not tell code from text."""
    letters = sum(len(line.text) for page in pages for line in page)
    return sum(len(line.text) for page in pages for line in page if has_fixed_pitch(line)) > MAX_SHARE * letters


def format_code(lines: list[PdfLine]) -> str:
    """Format lines as a fenced block, with the indents and empty lines that their positions show."""
    left = min(line.left for line in lines)
    steps = [one.bottom - two.bottom for one, two in pairwise(lines)]
    step = min(steps)
    found: list[str] = []
    for line, down in zip(lines, [0.0, *steps], strict=True):
        found += [""] * min(MAX_EMPTY, max(0, round(down / step) - 1))
        pitch = (line.right - line.left) / len(line.text)
        found.append(" " * round((line.left - left) / pitch) + line.text)
    text = "\n".join(found)
    fence = "`" * (max((len(run) for run in TICKS.findall(text)), default=2) + 1)
    return f"{fence}\n{text}\n{fence}"
