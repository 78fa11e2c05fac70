"""Markers of list items that the file of a PDF has behind their texts, as programs that set HTML draw them last."""

import re
from bisect import bisect_left, bisect_right

from assay.documents.pdf_text_page import PdfLine

MARKER = re.compile(r"[•◦▪‣●○■□⁃∙·▶►➢➤◆❖✓✔–-]|\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})[.)]")
MOST = 300  # of a page
LEVEL = 0.34  # maximum difference of the baselines of a marker and its text, relative to the size of the text
FARTHEST = 1.0  # distance of a marker from its text, likewise


def join_late_markers(lines: list[PdfLine]) -> list[PdfLine]:
    """Return the lines with each marker at the beginning of its text that the file has somewhere behind it."""
    late = [number for number, line in enumerate(lines) if MARKER.fullmatch(line.text) and _is_late(lines, number)]
    if not 0 < len(late) <= MOST:
        return lines
    order = sorted(range(len(lines)), key=lambda number: lines[number].bottom)
    levels = [lines[number].bottom for number in order]
    found: list[PdfLine | None] = list(lines)
    for number in late:
        marker = lines[number]
        reach = LEVEL * marker.size
        near = order[bisect_left(levels, marker.bottom - reach) : bisect_right(levels, marker.bottom + reach)]
        text = next((place for place in near if place < number and _is_before(marker, lines[place])), None)
        if text is not None:
            line = lines[text]
            found[text] = line._replace(text=f"{marker.text} {line.text}", left=marker.left)
            found[number] = None
    return [line for line in found if line is not None]


def _is_late(lines: list[PdfLine], number: int) -> bool:
    """Whether the line behind a marker in the file is not beside it."""
    return number > 0 and not any(_is_before(lines[number], line) for line in lines[number + 1 : number + 2])


def _is_before(marker: PdfLine, line: PdfLine) -> bool:
    """Whether a marker is on the baseline of a line, shortly before its beginning."""
    return (
        not (line.cells or line.is_tilted)
        and abs(marker.bottom - line.bottom) <= LEVEL * line.size
        and 0 <= line.left - marker.right <= FARTHEST * line.size
    )
