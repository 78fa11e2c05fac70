"""Tables: which of them hold data, and those as pipe tables."""

from collections.abc import Callable

from assay.html.reader.text_blocks import SPAN, Frame, TextBlock

COLUMNS = 60
ROWS = 3000
CELLS = 30_000
LONG_CELL = 60  # words: where cells are longer on average it is a layout


def holds_data(table: Frame) -> bool:
    """Whether rows and columns mean something; all other tables are layout, and read as text.

    The answer is kept with the table: it is asked for every block, and takes a look at every cell.
    """
    if table.data is None:
        table.data = _holds_data(table)
    return table.data


def _holds_data(table: Frame) -> bool:
    rows = [row for row in table.rows or [] if any(cell.words for cell in row)]
    if len(rows) < 2 or table.nested or table.element.get("role") in ("presentation", "none"):
        return False
    if max(len(row) for row in rows) < 2:
        return False
    filled = sum(cell.words > 0 for row in rows for cell in row)
    if table.blocks > 4 * table.cells or filled < 3:
        return False
    wide = sum(sum(cell.words > 0 for cell in row) > 1 for row in rows)
    return wide * 2 >= len(rows) and table.words <= LONG_CELL * filled


def pipe_table(table: Frame, blocks: list[TextBlock], inside: Callable[[TextBlock], str]) -> list[str]:
    """The lines of a data table. `inside` gives one block's content on one line."""
    rows = [row for row in (table.rows or [])[:ROWS] if row]

    def text(cell: Frame) -> str:
        parts = (inside(block) for block in blocks[cell.first : cell.last])
        return " ".join(part for part in parts if part).replace("|", "\\|")

    grid = _grid(rows, text)
    heads = [_is_head(row) for row in rows]
    keep = [index for index, row in enumerate(grid) if any(row)]
    if not keep:
        return []
    first = keep[0]
    without_heads = not any(cell.tag == "th" for row in rows for cell in row)
    if heads[first] or (without_heads and len(keep) > 2):
        head, keep = grid[first], keep[1:]
    else:
        head = [""] * len(grid[0])
    lines = [_line(head), _line(["---"] * len(head))]
    return lines + [_line(grid[index]) for index in keep]


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _is_head(row: list[Frame]) -> bool:
    parent = row[0].parent
    while parent is not None and parent.tag not in ("thead", "tbody", "tfoot", "table"):
        parent = parent.parent
    if parent is not None and parent.tag == "thead":
        return True
    return all(cell.tag == "th" or not cell.words for cell in row)


def _span(cell: Frame, name: str) -> int:
    value = (cell.element.get(name) or "1").strip()
    if not value.isascii() or not value.isdigit():
        return 1
    return min(max(int(value[:9]), 1), SPAN)


def _grid(rows: list[list[Frame]], text: Callable[[Frame], str]) -> list[list[str]]:
    """Every row with the same number of cells; what spans is repeated, save across a whole row."""
    spans = [[_span(cell, "colspan") for cell in row] for row in rows]
    width = min(max((sum(row) for row in spans if len(row) > 1), default=1), COLUMNS)
    height = min(len(rows), max(1, CELLS // width))
    grid: list[list[str | None]] = [[None] * width for _ in range(height)]
    for y in range(height):
        x = 0
        for cell, across in zip(rows[y], spans[y], strict=True):
            while x < width and grid[y][x] is not None:
                x += 1
            if x >= width:
                break
            content = text(cell)
            whole = len(rows[y]) == 1 and across >= width
            for down in range(y, min(y + _span(cell, "rowspan"), height)):
                for column in range(x, min(x + across, width)):
                    if grid[down][column] is None:
                        grid[down][column] = content if column == x or not whole else ""
            x += across
    return [[content or "" for content in row] for row in grid]
