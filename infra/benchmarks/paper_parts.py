"""Parts of papers as LaTeX and layout programs write them in PDFs: lists of references, tables, formulas."""

from typing import Any

from infra.benchmarks.document_parts import build_rows
from infra.benchmarks.structure_pages.page import Page
from infra.benchmarks.structure_pages.page import Table as TableTruth
from reportlab.lib.styles import ParagraphStyle, getSampleStyleSheet
from reportlab.platypus import Flowable, Paragraph, Spacer

ENTRIES, HANGING = 8, 18  # references of a list; their hanging indent in points
COLUMN_GAP = 12.0  # points between the columns of a table, the default of LaTeX
LINE = 12.0  # height of a row in points
SCRIPT = 7  # size of raised and lowered text in points


def build_references(page: Page) -> list[Any]:
    """Return a list of references with a hanging indent, numbered in every other document."""
    style = ParagraphStyle(
        "Reference", getSampleStyleSheet()["BodyText"], leftIndent=HANGING, firstLineIndent=-HANGING, alignment=4
    )
    found: list[Any] = []
    for number in range(1, ENTRIES + 1):
        entry = f"{page.label(2)}. “{page.sentence(14).rstrip('.')},” {page.label(3)}, vol. {number}, 20{10 + number}."
        entry = f"[{number}] {entry}" if page.number % 2 else entry
        page.expect("lines", (entry,))
        found.append(Paragraph(entry, style))
    return [*found, Spacer(1, 8)]


class TextRows(Flowable):
    """Rows of cells of which each row is one text with gaps in it."""

    def __init__(self, rows: list[list[str]]) -> None:
        super().__init__()
        self._rows = rows

    def wrap(self, width: float, _height: float) -> tuple[float, float]:
        return width, LINE * len(self._rows)

    def draw(self) -> None:
        canvas, size = self.canv, 9
        font = canvas._doc.getInternalFontName("Helvetica")  # noqa: SLF001 - reportlab has no public way to write TJ
        widths = [
            max(canvas.stringWidth(cell, "Helvetica", size) for cell in column)
            for column in zip(*self._rows, strict=True)
        ]
        for place, row in enumerate(self._rows):
            pieces = []
            for cell, width in zip(row, widths, strict=True):
                gap = width + COLUMN_GAP - canvas.stringWidth(cell, "Helvetica", size)
                pieces.append(f"({cell}) {-gap * 1000 / size:.0f}")
            y = LINE * (len(self._rows) - place - 1)
            canvas._code.append(f"BT {font} {size} Tf 1 0 0 1 0 {y} Tm [{' '.join(pieces)}] TJ ET")  # noqa: SLF001


def build_latex_table(page: Page) -> list[Any]:
    """Return a table without lines whose rows are one text each."""
    rows = build_rows(page, 6, 4 - page.number % 2)
    page.expect("tables", TableTruth(rows, head=True))
    return [TextRows(rows), Spacer(1, 8)]


class TextColumns(TextRows):
    """Cells of which each is a text, column by column, as text recognition and layout programs write them."""

    def draw(self) -> None:
        self.canv.setFont("Helvetica", 9)
        left = 0.0
        for column in zip(*self._rows, strict=True):
            for place, cell in enumerate(column):
                self.canv.drawString(left, LINE * (len(self._rows) - place - 1), cell)
            left += max(self.canv.stringWidth(cell) for cell in column) + COLUMN_GAP


def build_column_table(page: Page) -> list[Any]:
    """Return a table of figures without lines that the file has column by column."""
    rows = [["Place", "1921", "1922", "1923"]]
    rows += [[page.label(1), *(f"{row * 7 + year * 3}.{year}" for year in range(3))] for row in range(1, 7)]
    page.expect("tables", TableTruth(rows, head=True))
    return [TextColumns(rows), Spacer(1, 8)]


class Formula(Flowable):
    """A displayed sum with limits and a fraction, in the order in which LaTeX writes them."""

    def __init__(self, number: int, offset: float) -> None:
        super().__init__()
        self._number, self._offset = number, offset

    def wrap(self, width: float, _height: float) -> tuple[float, float]:
        return width, 4 * LINE

    def draw(self) -> None:
        x, y = self._offset, 1.6 * LINE
        pieces = [
            (0, 0, 10, "E(k) ="),
            (36, 15, SCRIPT, "N-1"),
            (36, 0, 14, "S"),  # for the sign of a sum
            (35, -11, SCRIPT, "n=0"),
            (50, 0, 10, "x(n)"),
            (74, 0, 10, "+"),
            (86, 7, 10, f"a+{self._number}"),
            (90, -7, 10, "c"),
            (150, 0, 10, f"({self._number})"),
        ]
        for left, rise, size, text in pieces:
            self.canv.setFont("Helvetica", size)
            self.canv.drawString(x + left, y + rise, text)


def build_formula(page: Page) -> list[Any]:
    """Return a displayed formula with its number."""
    number = page.counter = page.counter + 1
    page.expect("lines", (f"E(k) = N-1 S n=0 x(n) + a+{number} c ({number})",))
    return [Formula(number, 20.0 + 5 * (page.number % 5)), Spacer(1, 4)]
