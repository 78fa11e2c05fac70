"""Tables: recognition of data tables, and their conversion to pipe tables (GitHub Flavored Markdown, section 4.10)."""

from collections.abc import Callable
from itertools import compress, takewhile

from assay.html.reader.amount_columns import join_amounts
from assay.html.reader.cell_markers import has_markers
from assay.html.reader.table_parts import find_group, list_rows
from assay.html.reader.text_blocks import CELLS, MAX_SPAN, Frame, TextBlock

MAX_COLUMNS = 60
MAX_ROWS = 3000
MAX_CELLS = 30_000
MAX_MEAN_CELL_WORDS = 60  # words per cell above which a table is used for layout
CELL_LINE_END = "<br>"  # a cell of a pipe table is one line
MAX_REPEATED_WORDS = 3  # words of a cell, not a heading, that is repeated in each of its columns


def holds_data(table: Frame) -> bool:
    """Return whether the table holds data. Other tables are used for layout and read as text.

    The result is cached in the frame, because it is needed for every block and examines every cell.
    """
    if table.data is None:
        table.data = _holds_data(table)
    return table.data


def _holds_data(table: Frame) -> bool:
    rows = [row for row in list_rows([table]) if any(cell.words for cell in row)]
    if (
        len(rows) < 2
        or (table.nested and not _has_head_row(rows))
        or table.element.get("role") in ("presentation", "none")
    ):
        return False
    if max(len(row) for row in rows) < 2 or has_markers(rows):
        return False
    filled = sum(cell.words > 0 for row in rows for cell in row)
    if table.blocks > 4 * table.cells or filled < 3:
        return False
    wide = sum(sum(cell.words > 0 for cell in row) > 1 for row in rows)
    return wide * 2 >= len(rows) and table.words <= MAX_MEAN_CELL_WORDS * filled


def _has_head_row(rows: list[list[Frame]]) -> bool:
    """Return whether a table with another one or a heading in it is certainly no layout: it names its columns."""
    return len(rows) > 2 and len(rows[0]) > 1 and all(cell.tag == "th" for cell in rows[0])


def find_data_table(frame: Frame) -> Frame | None:
    """Return the outermost data table around a frame."""
    found: Frame | None = None
    table = frame.table
    while table is not None:
        if holds_data(table):
            found = table
        table = table.parent.table if table.parent is not None else None
    return found


def find_cell(frame: Frame | None) -> Frame | None:
    while frame is not None and frame.tag not in CELLS:
        frame = frame.parent
    return frame


def is_in_caption(frame: Frame | None, table: Frame | None) -> bool:
    """Return whether the frame is in a caption of the table."""
    while frame is not None and frame is not table:
        if frame.tag == "caption":
            return True
        frame = frame.parent
    return False


def pipe_table(
    parts: list[Frame], blocks: list[TextBlock], inside: Callable[[TextBlock], str]
) -> tuple[list[str], bool]:
    """Return the lines of a data table, which may be written in parts, and whether a limit left out cells of it.

    `inside` returns one block's content on one line.
    """
    rows = list_rows(parts)
    is_cut = len(rows) > MAX_ROWS
    del rows[MAX_ROWS:]
    rows.sort(key=_is_foot)  # a foot may stand before the rows above it

    def text(cell: Frame) -> str:
        texts = [text for block in blocks[cell.first : cell.last] if (text := inside(block))]
        return CELL_LINE_END.join(texts).replace("|", "\\|")

    grid, lacks_cells = _grid(rows, text)
    is_cut = is_cut or lacks_cells
    heads = [_is_head(row) for row in rows]
    keep = [index for index, row in enumerate(grid) if any(row)]
    if not keep:
        return [], is_cut
    titles = _count_titles([rows[index] for index in keep])
    title = [line for index in keep[:titles] for line in (grid[index][0], "")]
    keep = keep[titles:]
    first = keep[0]
    without_heads = not any(cell.tag == "th" for index in keep for cell in rows[index])
    if heads[first] or (without_heads and len(keep) > 2 and not _has_keys([grid[index] for index in keep])):
        head, keep = grid[first], keep[1:]
    else:
        head = [""] * len(grid[0])
    lines = [*title, _format_row(head), _format_row(["---"] * len(head))]
    return lines + [_format_row(grid[index]) for index in keep], is_cut


def _count_titles(rows: list[list[Frame]]) -> int:
    """Return the number of the first rows whose only cell is a head above all columns."""
    titles = sum(1 for _ in takewhile(lambda row: len(row) == 1 and _is_head(row), rows))
    return titles if titles + 1 < len(rows) and len(rows[titles]) > 1 else 0


def _has_keys(rows: list[list[str]]) -> bool:
    """Return whether the rows are pairs of a key, in bold or with a colon, and a value."""
    return all(len(row) == 2 and _is_key(row[0]) for row in rows) and not _is_key(rows[0][1])


def _is_key(text: str) -> bool:
    return text.endswith(":") or (text.startswith("**") and text.endswith("**"))


def _format_row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _is_foot(row: list[Frame]) -> bool:
    return find_group(row) == "tfoot"


def _is_head(row: list[Frame]) -> bool:
    if find_group(row) == "thead":
        return True
    return all(cell.tag == "th" or not cell.words for cell in row)


def _measure_spans(cell: Frame) -> tuple[int, int]:
    """Return the numbers of columns and rows that the cell spans."""
    attributes = cell.element.attributes
    if not attributes:
        return 1, 1
    across = attributes.get("colspan") or attributes.get("aria-colspan")
    high = attributes.get("rowspan") or attributes.get("aria-rowspan")
    return _parse_span(across) if across else 1, _parse_span(high) if high else 1


def _parse_span(value: str) -> int:
    value = value.strip()
    if not value.isascii() or not value.isdigit():
        return 1
    return min(max(int(value[:9]), 1), MAX_SPAN)


def _names_columns(cell: Frame, content: str) -> bool:
    """Return whether a cell says something of each of its columns: a heading or a value, not running text."""
    return cell.tag == "th" or len(content.replace(CELL_LINE_END, " ").split()) <= MAX_REPEATED_WORDS


def _grid(rows: list[list[Frame]], text: Callable[[Frame], str]) -> tuple[list[list[str]], bool]:
    """Return rows of equal length, and whether a limit left out cells with words. Spanning cells are repeated, except
    longer text across columns.

    A column in which no text begins says nothing and is left out: spreadsheets span several columns in every row.
    """
    spans = [[_measure_spans(cell) for cell in row] for row in rows]
    width = _count_columns(spans)
    height = min(len(rows), max(1, MAX_CELLS // width))
    grid: list[list[str | None]] = [[None] * width for _ in range(height)]
    begun = [False] * width
    is_cut = height < len(rows)
    for y in range(height):
        x = 0
        for place, (cell, (across, high)) in enumerate(zip(rows[y], spans[y], strict=True)):
            while x < width and grid[y][x] is not None:
                x += 1
            if x >= width:
                is_cut = is_cut or any(left_out.words for left_out in rows[y][place:])
                break
            content = text(cell)
            begun[x] = begun[x] or bool(content)
            if across == high == 1:
                grid[y][x] = content
            else:
                is_repeated = _names_columns(cell, content) and (len(rows[y]) > 1 or across < width)
                _fill(grid[y : y + high], range(x, min(x + across, width)), content, content if is_repeated else "")
            x += across
    return join_amounts([[content or "" for content in compress(row, begun)] for row in grid]), is_cut


def _fill(rows: list[list[str | None]], columns: range, content: str, repeated: str) -> None:
    """Write a cell into the first of its columns, and what is repeated into the others, where they are free."""
    for row in rows:
        for column in columns:
            if row[column] is None:
                row[column] = content if column == columns.start else repeated


def _count_columns(spans: list[list[tuple[int, int]]]) -> int:
    """Return the number of columns, at most MAX_COLUMNS, from the columns and rows that each cell spans.

    Cells stand to the right of those that reach into their row from above. The columns that the only cell of a row
    spans need not be there.
    """
    width, ends = 1, [0] * MAX_COLUMNS  # by column: the row that no cell reaches from above
    for y, row in enumerate(spans):
        x = first = 0
        for across, high in row:
            while x < MAX_COLUMNS and ends[x] > y:
                x += 1
            first, x = x, min(x + across, MAX_COLUMNS)
            for column in range(first, x):
                ends[column] = max(ends[column], y + high)
            if x == MAX_COLUMNS:
                break
        width = max(width, x if len(row) > 1 else min(first + 1, MAX_COLUMNS))
    return width
