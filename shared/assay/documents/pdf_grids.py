"""Grids of ruling lines on PDF pages, and the cells that they enclose, which may span rows and columns."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise

from assay.documents.pdf_objects import Box
from assay.documents.pdf_rulings import Ruling, Rulings
from assay.documents.pdf_text_page import TextPage

TOUCH = 3.0  # points by which lines that meet may miss each other
OPEN = 8.0  # points that lines must go beyond the outermost ones across them, to be cells without an edge
MIN_LINES, MOST_LINES = 3, 200  # in each direction with open edges, and at most between columns
MOST_CROSSINGS = 200_000  # pairs of lines of a page that are examined
MOST_CELLS = 20_000  # of a grid
MOST_GRIDS = 50  # of a page, the largest
MIN_CELLS = 0.5  # share of the places with a cell of their own; boxes of drawings leave most places empty
MIDDLE = 0.3  # of the size of a line of text, above its baseline
NONE = -1
SPACES = " \u00ad"  # within a line, as `pdf_lines` joins lines

type Place = tuple[int, int]  # a row and a column
type Area = tuple[int, int, int, int]  # the first row, the one behind the last, and the columns


@dataclass
class Grid:
    """The edges of columns and rows, from left to right and from top to bottom, and the cells between them."""

    xs: list[float]
    ys: list[float]
    owners: list[int] = field(default_factory=list)  # the number of the cell at each place, row by row
    boxes: list[Box] = field(default_factory=list)  # of each cell
    anchors: list[tuple[int, int]] = field(default_factory=list)  # the first row and column of each cell
    heads: int = 1  # rows of the head

    @property
    def box(self) -> Box:
        return self.xs[0], self.ys[-1], self.xs[-1], self.ys[0]

    def find_cell(self, x: float, y: float) -> int | None:
        """The number of the cell at a point; None outside of the grid."""
        column = bisect_right(self.xs, x) - 1
        row = bisect_left(self.ys, -y, key=lambda edge: -edge) - 1
        if not (0 <= column < len(self.xs) - 1 and 0 <= row < len(self.ys) - 1):
            return None
        return self.owners[row * (len(self.xs) - 1) + column]


def find_grid(grids: list[Grid], x: float, y: float) -> Grid | None:
    """The grid around a point."""
    for grid in grids:
        left, bottom, right, top = grid.box
        if left < x < right and bottom < y < top:
            return grid
    return None


def build_grid(xs: list[float], ys: list[float], spans: Iterable[Area] = ()) -> Grid:
    """The grid whose cells are between two columns and two rows, but for those that span some; `ys` go downwards."""
    width, height = len(xs) - 1, len(ys) - 1
    owners = list(range(width * height))
    for top, bottom, left, right in spans:
        for row in range(top, bottom):
            owners[row * width + left : row * width + right] = [top * width + left] * (right - left)
    last = {owner: place for place, owner in enumerate(owners)}
    numbers = {owner: number for number, owner in enumerate(sorted(last))}
    anchors = [divmod(owner, width) for owner in numbers]
    boxes = [
        (xs[column], ys[last[owner] // width + 1], xs[last[owner] % width + 1], ys[row])
        for owner, (row, column) in zip(numbers, anchors, strict=True)
    ]
    return Grid(xs, ys, [numbers[owner] for owner in owners], boxes, anchors)


def find_grids(rulings: Rulings) -> list[Grid]:
    """The grids of at least two columns and two rows, the largest first."""
    if len(rulings.horizontal) < 2 or not rulings.vertical:
        return []
    groups = sorted(_group_touching(rulings), key=lambda group: -len(group.horizontal) - len(group.vertical))
    grids = [_build_grid(group) for group in groups[:MOST_GRIDS]]
    return [grid for grid in grids if grid is not None]


def _group_touching(rulings: Rulings) -> list[Rulings]:
    """Divide the lines into groups that touch each other; none if the page has too many."""
    horizontal, vertical = rulings
    parents = list(range(len(horizontal) + len(vertical)))
    places = [ruling.place for ruling in horizontal]
    examined = 0
    for number, across in enumerate(vertical, len(horizontal)):
        first, end = bisect_left(places, across.start - TOUCH), bisect_right(places, across.end + TOUCH)
        examined += end - first
        if examined > MOST_CROSSINGS:
            return []
        for other in range(first, end):
            if horizontal[other].start - TOUCH <= across.place <= horizontal[other].end + TOUCH:
                parents[_find_root(parents, other)] = _find_root(parents, number)
    groups: dict[int, Rulings] = defaultdict(lambda: Rulings([], []))
    for number, ruling in enumerate((*horizontal, *vertical)):
        groups[_find_root(parents, number)][number >= len(horizontal)].append(ruling)
    return [group for group in groups.values() if len(group.horizontal) > 1 and group.vertical]


def _find_root(parents: list[int], place: int) -> int:
    while parents[place] != place:
        parents[place] = place = parents[parents[place]]
    return place


def _build_grid(rulings: Rulings) -> Grid | None:
    xs = _list_edges(rulings.vertical, rulings.horizontal)
    ys = _list_edges(rulings.horizontal, rulings.vertical)[::-1]
    if not MIN_LINES <= len(xs) <= MOST_LINES or len(ys) < MIN_LINES or len(xs) * len(ys) > MOST_CELLS:
        return None
    grid = Grid(xs, ys)
    _fill_cells(grid, rulings)
    return grid if len(grid.boxes) >= MIN_CELLS * len(grid.owners) else None


def _list_edges(rulings: list[Ruling], across: list[Ruling]) -> list[float]:
    """The places of lines, and those where the lines across them end if these go further: tables with open sides."""
    places = sorted({ruling.place for ruling in rulings})
    start, end = min(ruling.start for ruling in across), max(ruling.end for ruling in across)
    return [*([start] if start < places[0] - OPEN else []), *places, *([end] if end > places[-1] + OPEN else [])]


def _fill_cells(grid: Grid, rulings: Rulings) -> None:
    """Find the cells: places without a line between them are one."""
    walls, floors = _list_walls(grid, rulings.vertical), _list_floors(grid, rulings.horizontal)
    width, height = len(grid.xs) - 1, len(grid.ys) - 1
    grid.owners = [NONE] * (width * height)
    for row in range(height):
        for column in range(width):
            if grid.owners[row * width + column] == NONE:
                _add_cell(grid, row, column, walls, floors)


def _list_walls(grid: Grid, vertical: list[Ruling]) -> set[Place]:
    """The places with a line at their left side."""
    ys, columns = grid.ys[::-1], {x: column for column, x in enumerate(grid.xs)}
    middles = [(one + two) / 2 for one, two in pairwise(ys)]
    return {
        (len(middles) - 1 - row, columns[ruling.place])
        for ruling in vertical
        for row in range(bisect_left(middles, ruling.start), bisect_right(middles, ruling.end))
    }


def _list_floors(grid: Grid, horizontal: list[Ruling]) -> set[Place]:
    """The places with a line above them."""
    rows = {y: row for row, y in enumerate(grid.ys)}
    middles = [(one + two) / 2 for one, two in pairwise(grid.xs)]
    return {
        (rows[ruling.place], column)
        for ruling in horizontal
        for column in range(bisect_left(middles, ruling.start), bisect_right(middles, ruling.end))
    }


def _add_cell(grid: Grid, row: int, column: int, walls: set[Place], floors: set[Place]) -> None:
    """Add the cell that begins at a place: as many columns as have no line between them, then as many rows."""
    width, height = len(grid.xs) - 1, len(grid.ys) - 1
    end, bottom = column + 1, row + 1
    while end < width and (row, end) not in walls and grid.owners[row * width + end] == NONE:
        end += 1
    while bottom < height and not any(
        (bottom, place) in floors or (place > column and (bottom, place) in walls) for place in range(column, end)
    ):
        bottom += 1
    for place in range(row, bottom):
        grid.owners[place * width + column : place * width + end] = [len(grid.boxes)] * (end - column)
    grid.boxes.append((grid.xs[column], grid.ys[bottom], grid.xs[end], grid.ys[row]))
    grid.anchors.append((row, column))


def split_at_edges(page: TextPage, start: int, end: int, grids: list[Grid]) -> list[tuple[int, int]]:
    """Split a line at the edges of cells; return (start, end) pairs."""
    left, right, bottom, size = page.span(start, end)
    y = bottom + MIDDLE * size
    grid = find_grid(grids, (left + right) / 2, y)
    if grid is None:
        return [(start, end)]
    edges = [x for x in grid.xs if left + 1 < x < right - 1 and grid.find_cell(x - 1, y) != grid.find_cell(x + 1, y)]
    spans, begin, place, passed, text = [], start, start, 0, page.text
    while passed < len(edges) and (place := text.find(" ", place, end)) > 0:
        before = place
        while place < end and text[place] in SPACES:
            place += 1
        one, two = page.box(before - 1)[2], page.box(place)[0]
        while passed < len(edges) and edges[passed] < one - 1:
            passed += 1
        if passed < len(edges) and edges[passed] <= two + 1:
            spans.append((begin, before))
            begin = place
    return [*spans, (begin, end)]
