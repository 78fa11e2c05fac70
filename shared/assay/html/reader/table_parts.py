"""The rows of a data table as a page shows them: with a head or foot that is a table of its own, in the stated order.

Libraries that let the rows scroll below a fixed head write the head as another table; grids with fixed columns write
the cells of a row in several parts, which have the same `aria-rowindex`.
"""

from collections import defaultdict

from assay.html.reader.text_blocks import Frame, TextBlock

ROW_GROUPS = ("thead", "tbody", "tfoot", "table")
MAX_SPARE_CELLS = 1  # in a head, above the scroll bar
MAX_INDEX_DIGITS = 6


def list_parts(table: Frame, blocks: list[TextBlock]) -> list[Frame]:
    """Return a data table, with the tables directly before and after it that are its head and foot."""
    parts = [table]
    if table.first and (head := _find_part(blocks[table.first - 1], "thead")) and _heads(head, table):
        parts.insert(0, head)
    if table.last < len(blocks) and (foot := _find_part(blocks[table.last], "tfoot")) and foot.first == table.last:
        parts.append(foot)
    return parts


def find_table_below(head: Frame, blocks: list[TextBlock]) -> Frame | None:
    """Return the table that has its head in the table `head`."""
    if head.last >= len(blocks) or not _has_only(head, "thead"):
        return None
    below = blocks[head.last].frame.table
    return below if below is not None and _heads(head, below) else None


def _find_part(block: TextBlock, group: str) -> Frame | None:
    table = block.frame.table
    return table if table is not None and _has_only(table, group) else None


def _has_only(table: Frame, group: str) -> bool:
    """Return whether all rows of the table are in such a group of rows."""
    rows = table.rows or ()
    return any(rows) and all(find_group(row) == group for row in rows if row)


def _heads(head: Frame, table: Frame) -> bool:
    """Return whether a table of heads is directly before one that has none, with as many columns."""
    rows = [row for row in table.rows or () if any(cell.words for cell in row)]
    if head.last != table.first or not rows or any(cell.tag == "th" for cell in rows[0]):
        return False
    columns = max(sum(_count_columns(cell) for cell in row) for row in head.rows or ())
    return 0 <= columns - max(sum(_count_columns(cell) for cell in row) for row in rows) <= MAX_SPARE_CELLS


def _count_columns(cell: Frame) -> int:
    return _read_index(cell, "colspan") or 1


def find_group(row: list[Frame]) -> str:
    """Return the tag of the group of rows that the row is in."""
    parent = row[0].parent
    while parent is not None and parent.tag not in ROW_GROUPS:
        parent = parent.parent
    return "" if parent is None else parent.tag


def list_rows(parts: list[Frame]) -> list[list[Frame]]:
    """Return the rows of the parts of a table that have cells."""
    rows = [row for part in parts for row in part.rows or () if row]
    if any(part.element.tag == "table" for part in parts):
        return rows
    width = sum(cell.tag == "th" for cell in rows[0]) if len(rows) == 1 else 0
    if width:  # the cells of all rows follow each other, after the heads of the columns
        return [rows[0][start : start + width] for start in range(0, len(rows[0]), width)]
    places = [_read_index(_find_row(row[0]), "aria-rowindex") for row in rows]
    if not all(places) or places == sorted(set(places)):
        return rows
    joined: defaultdict[int, list[Frame]] = defaultdict(list)
    for place, row in zip(places, rows, strict=True):
        joined[place] += row
    return [sorted(joined[place], key=_read_column) for place in sorted(joined)]


def _find_row(cell: Frame) -> Frame:
    row: Frame | None = cell
    while row is not None and row.tag != "tr":
        row = row.parent
    return row or cell


def _read_column(cell: Frame) -> int:
    return _read_index(cell, "aria-colindex")


def _read_index(frame: Frame, name: str) -> int:
    value = frame.element.get(name) or ""
    return int(value) if value.isascii() and value.isdigit() and len(value) <= MAX_INDEX_DIGITS else 0
