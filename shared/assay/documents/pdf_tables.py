"""Tables of PDFs: rows of cells, which belong to the column below or above them, as pipe tables."""

import re
from collections.abc import Sequence
from itertools import pairwise

from assay.documents.pdf_text_page import PdfLine

TABLE_ROWS = 3  # minimum; fewer rows are usually a number beside a heading, or a label beside its text
LEADER = re.compile(r"(?:\s?\.){5,}")  # dot leaders in a table of contents


def format_table(rows: Sequence[Sequence[PdfLine]]) -> str:
    """Format rows of cells as a table; one row per line if it is unclear to which columns the cells belong."""
    texts = _align_cells(rows) if len(rows) >= TABLE_ROWS else None
    if texts is None:
        return "\n".join(LEADER.sub(" …", " ".join(cell.text for cell in row)) for row in rows)
    lines = ["| " + " | ".join(text.replace("|", "\\|") for text in row) + " |" for row in texts]
    lines.insert(1, "|" + " --- |" * len(texts[0]))
    return "\n".join(lines)


def _align_cells(rows: Sequence[Sequence[PdfLine]]) -> list[list[str]] | None:
    """Return the texts of each row by column, "" where a row has no cell; None if the columns are unclear."""
    width = max(len(row) for row in rows)
    full = [row for row in rows if len(row) == width]
    if len(full) == len(rows):
        return [[cell.text for cell in row] for row in rows]
    if len(full) * 2 < len(rows) or len(full) < 2:
        return None
    columns = [
        (min(cell.left for cell in cells), max(cell.right for cell in cells)) for cells in zip(*full, strict=True)
    ]
    if any(one[1] > two[0] for one, two in pairwise(columns)):
        return None
    texts = []
    for row in rows:
        places = [_find_column(cell, columns) for cell in row]
        if len(set(places)) < len(places):
            return None
        by_place = dict(zip(places, row, strict=True))
        texts.append([by_place[place].text if place in by_place else "" for place in range(width)])
    return texts


def _find_column(cell: PdfLine, columns: list[tuple[float, float]]) -> int:
    """Return the column whose middle is nearest to the cell, of those that it overlaps if there are any."""
    middle = (cell.left + cell.right) / 2
    overlaps = [place for place, (left, right) in enumerate(columns) if cell.left < right and cell.right > left]
    return min(overlaps or range(len(columns)), key=lambda place: abs(sum(columns[place]) / 2 - middle))
