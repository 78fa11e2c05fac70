"""Text that a spreadsheet prints over the edge of a page: the whole of it is on each page that shows a part."""

from assay.documents.pdf_text_page import Page, PdfLine, join_cells

OUTSIDE = 5.0  # points left of the page where such text begins

type Key = tuple[str, int]  # a text and its height


def drop_repeated_overflow(pages: list[Page]) -> list[Page]:
    """Return the pages without lines and cells that begin left of their page, if an earlier one has them as well."""
    if not any(line.left < box[0] - OUTSIDE for box, lines in pages for line in lines):
        return pages
    seen: set[Key] = set()
    found: list[Page] = []
    for box, lines in pages:
        kept = [_drop_seen(line, box[0] - OUTSIDE, seen) for line in lines]
        seen.update(_make_key(cell) for line in lines for cell in (line, *line.cells))
        found.append((box, [line for line in kept if line is not None]))
    return found


def _make_key(line: PdfLine) -> Key:
    return line.text, round(line.bottom)


def _drop_seen(line: PdfLine, edge: float, seen: set[Key]) -> PdfLine | None:
    """The line without what begins left of an edge and has been seen; None if that is all."""
    if line.left >= edge:
        return line
    cells = [cell for cell in line.cells or (line,) if cell.left >= edge or _make_key(cell) not in seen]
    if len(cells) == len(line.cells or (line,)):
        return line
    if len(cells) < 2:
        return cells[0] if cells else None
    return join_cells(cells, hyphen=line.hyphen)
