"""Tables of PDFs whose cells have several lines, for the benchmark of documents."""

from typing import Any

from infra.benchmarks.structure_pages.page import Page
from infra.benchmarks.structure_pages.page import Table as TableTruth
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import Paragraph, Spacer, Table, TableStyle

BLACK = (0, 0, 0)
EDGES: dict[str, list[tuple[Any, ...]]] = {
    "grid": [("GRID", (0, 0), (-1, -1), 0.5, BLACK)],
    "none": [],
    "rows": [("LINEBELOW", (0, 0), (-1, -1), 0.5, BLACK)],
    "head": [
        ("LINEABOVE", (0, 0), (-1, 0), 1, BLACK),
        ("LINEBELOW", (0, 0), (-1, 0), 0.5, BLACK),
        ("LINEBELOW", (0, -1), (-1, -1), 1, BLACK),
    ],
}
PLACES = ("TOP", "MIDDLE", "BOTTOM")
SHORT, LONG = 6, 24  # rows; more go on over a page


def build_wrapped_table(page: Page, width: float) -> list[Any]:
    """Return a table of this width, whose edges and the place of whose text depend on the number of the page."""
    edges = list(EDGES)[page.number % len(EDGES)]
    page.dialects.append(f"wrapped table, {edges}")
    count = LONG if page.number % 5 == 4 else SHORT
    rows = [[page.label(2), page.label(4), page.label(1)]]
    rows += [[page.label(1 + row % 3), page.sentence(7), page.label(3 - row % 3)] for row in range(count)]
    commands = [*EDGES[edges], ("VALIGN", (0, 0), (-1, -1), PLACES[page.number % len(PLACES)])]
    if edges == "grid":
        commands += _span_cells(rows)
    page.expect("tables", TableTruth(rows, head=True))
    page.dialects.pop()
    body = getSampleStyleSheet()["BodyText"]
    widths = [width * share for share in (0.3, 0.4, 0.3)]
    cells = [[Paragraph(cell, body) for cell in row] for row in rows]
    return [Table(cells, colWidths=widths, style=TableStyle(commands), repeatRows=1), Spacer(1, 8)]


def _span_cells(rows: list[list[str]]) -> list[tuple[Any, ...]]:
    """Let a cell span two rows and another one two columns; return the commands of the style."""
    rows[2][0] = rows[4][2] = ""
    return [("SPAN", (0, 1), (0, 2)), ("SPAN", (1, 4), (2, 4))]
