"""Rows of RTF tables, whose cells are as wide as the right edges say that stand before or behind them."""

from bisect import bisect_right
from dataclasses import dataclass, field

from assay.documents.gfm_table import COLUMNS

NEAR = 100  # twips between edges that are one: rows that were made or dragged apart differ a little


@dataclass
class RtfRow:
    """The texts of cells, and the edges of the row, of which the first is on the left of its first cell."""

    cells: list[str]
    edges: list[int] = field(default_factory=list)


def align_rows(rows: list[RtfRow]) -> list[list[str]]:
    """The cells by columns: one that is as wide as several in other rows is followed by empty ones."""
    as_they_are = [row.cells for row in rows]
    if all(row.edges == rows[0].edges for row in rows):
        return as_they_are
    edges = _join_edges(sorted({edge for row in rows for edge in row.edges}))
    if len(edges) > COLUMNS + 1:
        return as_they_are
    return [_place_cells(row, edges) if len(row.edges) == len(row.cells) + 1 else row.cells for row in rows]


def _join_edges(edges: list[int]) -> list[int]:
    joined: list[int] = []
    for edge in edges:
        if not joined or edge > joined[-1] + NEAR:
            joined.append(edge)
    return joined


def _place_cells(row: RtfRow, edges: list[int]) -> list[str]:
    placed: list[str] = []
    for text, left in zip(row.cells, row.edges, strict=False):
        placed += [""] * (bisect_right(edges, left) - 1 - len(placed))
        placed.append(text)
    return placed
