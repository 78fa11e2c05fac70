"""Rows of tables with ruling lines: the lines of PDF text in each cell of a grid."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from assay.documents.pdf_gaps import CELL_GAP, split_spans
from assay.documents.pdf_grids import MIDDLE, Grid, find_grid, split_at_edges
from assay.documents.pdf_text_page import PdfLine, Place, TextPage

LEVEL = 0.4  # maximum difference of the baselines of pieces of one line, relative to the size of the text
EDGE = 3.0  # points by which text may go over the edge of its cell
MAX_OUTSIDE = 0.1  # share of the lines in a grid that may cross its lines
MAX_WIDE = 0.2  # share of the letters that may be in lines with gaps like those between columns
MAX_OTHERS = 0.3  # share of the letters that may be larger or smaller than most
MIN_FILLED, MIN_WHOLE = 0.5, 0.6  # share of the cells with text, and of the rows with several
MOST_LINES = 40  # of a cell; the frames of a layout hold more
MOST_ROWS = 300  # of a cell without lines between the rows
LEVELS = " / "  # between the parts of a head
FEW_BANDS = 3  # of a grid without lines between its rows
MANY_ROWS, FULL = 3, 0.7  # in a band, of which that share of the cells has text


def choose_tables(page: TextPage, places: list[Place], grids: list[Grid]) -> list[Grid]:
    """The grids that are tables, by the lines of the page in them."""
    held: dict[int, list[PdfLine]] = defaultdict(list)
    wide: Counter[int] = Counter()
    for start, end, _ in places if grids else ():
        left, right, bottom, size = page.span(start, end)
        if find_grid(grids, (left + right) / 2, bottom + MIDDLE * size) is None:
            continue
        for one, two in split_at_edges(page, start, end, grids):
            line = PdfLine(page.text[one:two], *page.span(one, two))
            grid = _find_grid(grids, line)
            if grid is not None:
                held[id(grid)].append(line)
                wide[id(grid)] += len(line.text) if len(split_spans(page, one, two, CELL_GAP)) > 1 else 0
    return [
        grid
        for grid in grids
        if wide[id(grid)] <= MAX_WIDE * sum(len(line.text) for line in held[id(grid)])
        and _is_table(grid, held[id(grid)])
    ]


def _find_grid(grids: list[Grid], line: PdfLine) -> Grid | None:
    return find_grid(grids, (line.left + line.right) / 2, line.bottom + MIDDLE * line.size)


def _find_cell(grid: Grid, line: PdfLine) -> int | None:
    return grid.find_cell((line.left + line.right) / 2, line.bottom + MIDDLE * line.size)


def _is_table(grid: Grid, lines: list[PdfLine]) -> bool:
    """Whether lines of one size fill most cells, and stay within them: charts and layouts have lines like tables."""
    filled: Counter[int] = Counter()
    sizes: Counter[int] = Counter()
    outside = 0
    for line in lines:
        cell = _find_cell(grid, line)
        if cell is None:
            continue
        box = grid.boxes[cell]
        outside += line.left < box[0] - EDGE or line.right > box[2] + EDGE
        filled[cell] += 1
        sizes[round(line.size)] += len(line.text)
    if not filled or outside > MAX_OUTSIDE * len(lines) or len(filled) < MIN_FILLED * len(grid.boxes):
        return False
    usual = sizes.most_common(1)[0][0]
    if sum(count for size, count in sizes.items() if abs(size - usual) > 1) > MAX_OTHERS * sizes.total():
        return False
    rows = Counter(grid.anchors[cell][0] for cell in filled)
    has_lines = len(rows) > FEW_BANDS
    return (
        len({grid.anchors[cell][1] for cell in filled}) > 1
        and sum(count > 1 for count in rows.values()) >= MIN_WHOLE * len(rows)
        and max(filled.values()) <= (MOST_LINES if has_lines else MOST_ROWS)
    )


def take_rows(lines: list[PdfLine], grids: list[Grid]) -> list[PdfLine]:
    """Return the lines with the rows of tables in place of the lines in their cells, where the first of these was."""
    inside: dict[int, list[PdfLine]] = defaultdict(list)
    for line in lines if grids else ():
        grid = None if line.is_tilted else _find_grid(grids, line)
        if grid is not None:
            inside[id(grid)].append(line)
    tables: list[tuple[list[PdfLine], list[PdfLine]]] = []
    for number, grid in enumerate(grids, 1):
        held = inside[id(grid)]
        found = _build_rows(grid, held, number)
        if len(found) > 1:
            tables.append((held, found))
    return replace_lines(lines, tables)


def replace_lines(lines: list[PdfLine], tables: Sequence[tuple[Sequence[PdfLine], Sequence[PdfLine]]]) -> list[PdfLine]:
    """Return the lines with the rows of each table, which are given behind its lines, in the place of the first one."""
    rows = {id(held[0]): found for held, found in tables}
    taken = {id(line) for held, _ in tables for line in held}
    return [row for line in lines for row in rows.get(id(line), () if id(line) in taken else (line,))]


def _build_rows(grid: Grid, lines: list[PdfLine], number: int) -> list[PdfLine]:
    """The rows of a table, behind the lines of its title if it has one in cells as wide as the table."""
    cells: dict[int, list[PdfLine]] = defaultdict(list)
    for line in lines:
        cell = _find_cell(grid, line)
        if cell is not None:
            cells[cell].append(line)
    found: list[PdfLine] = []
    for cell in sorted(cells):
        left, _, right, _ = grid.boxes[cell]
        if left > grid.xs[0] or right < grid.xs[-1]:
            break
        found += sorted(cells.pop(cell), key=lambda line: -line.bottom)
    columns = sorted({grid.anchors[cell][1] for cell in cells})
    places = {column: place for place, column in enumerate(columns)}
    bands: dict[int, dict[int, list[PdfLine]]] = defaultdict(dict)
    for cell, held in cells.items():
        row, column = grid.anchors[cell]
        bands[row][places[column]] = held
    rows = [part for _, band in sorted(bands.items()) for part in _split_band(band, len(columns), len(bands))]
    edges = [(grid.xs[column], grid.xs[column + 1]) for column in columns]
    built = [build_row(row, edges, number) for row in rows]
    if grid.heads > 1:
        built[: len({row for row in bands if row < grid.heads})] = [_build_head(grid, cells, columns, number)]
    return found + built


def _build_head(grid: Grid, cells: Mapping[int, list[PdfLine]], columns: Sequence[int], number: int) -> PdfLine:
    """The head of several rows as one: the text above each column, from top to bottom."""
    width = len(grid.xs) - 1
    row: dict[int, list[PdfLine]] = {}
    for place, column in enumerate(columns):
        owners = dict.fromkeys(grid.owners[level * width + column] for level in range(grid.heads))
        parts = [_build_cell(cells[owner]) for owner in owners if owner in cells]
        if parts:
            row[place] = [parts[-1]._replace(text=LEVELS.join(part.text for part in parts), cells=())]
    return build_row(row, [(grid.xs[column], grid.xs[column + 1]) for column in columns], number)


def _split_band(band: dict[int, list[PdfLine]], width: int, bands: int) -> list[dict[int, list[PdfLine]]]:
    """Divide the cells between two lines into rows, if no lines part them and their lines are side by side."""
    if len(band) < max(2, width - 1) or min(map(len, band.values())) < 2:
        return [band]
    rows: list[dict[int, list[PdfLine]]] = []
    lines = [(line, column) for column, cell in band.items() for line in cell]
    bottom = 1e9
    for line, column in sorted(lines, key=lambda pair: -pair[0].bottom):
        if bottom - line.bottom > line.size / 2:
            bottom = line.bottom
            rows.append({})
        rows[-1].setdefault(column, []).append(line)
    share = sum(len(row) for row in rows) / (len(band) * len(rows))
    least = FULL if len(rows) >= MANY_ROWS and bands <= FEW_BANDS else 1.0
    return rows if share >= least and (bands <= FEW_BANDS or len(rows) > MANY_ROWS) else [band]


def build_row(row: Mapping[int, list[PdfLine]], edges: Sequence[tuple[float, float]], number: int) -> PdfLine:
    """The row of a table by the lines of its cells, with a cell between the edges of each column."""
    first = max((line for cell in row.values() for line in cell), key=lambda line: line.bottom)
    cells = tuple(
        _build_cell(row[column]) if column in row else PdfLine("", left, right, first.bottom, first.size)
        for column, (left, right) in enumerate(edges)
    )
    text = " ".join(cell.text for cell in cells if cell.text)
    return PdfLine(text, edges[0][0], edges[-1][1], first.bottom, first.size, cells=cells, table=number)


def _build_cell(lines: list[PdfLine]) -> PdfLine:
    """A cell of one or more lines, from top to bottom; pieces on one baseline are one line."""
    rows: list[list[PdfLine]] = []
    for line in sorted(lines, key=lambda line: -line.bottom):
        if rows and rows[-1][0].bottom - line.bottom < LEVEL * min(line.size, rows[-1][0].size):
            rows[-1].append(line)
        else:
            rows.append([line])
    parts = [_join_pieces(sorted(row, key=lambda line: line.left)) for row in rows]
    if len(parts) == 1:
        return parts[0]
    left, right = min(part.left for part in parts), max(part.right for part in parts)
    text = " ".join(part.text for part in parts)
    return parts[0]._replace(text=text, left=left, right=right, cells=tuple(parts), hyphen=False, is_fixed=False)


def _join_pieces(pieces: list[PdfLine]) -> PdfLine:
    if len(pieces) == 1:
        return pieces[0]
    text = " ".join(piece.text for piece in pieces)
    return pieces[0]._replace(text=text, right=max(piece.right for piece in pieces), hyphen=pieces[-1].hyphen)
