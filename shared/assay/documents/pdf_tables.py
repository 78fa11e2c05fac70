"""Tables of PDFs: rows of cells, which belong to the column below or above them, as pipe tables."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise

from assay.documents.gfm_table import COLUMNS
from assay.documents.paragraph_markdown import format_paragraph
from assay.documents.pdf_compounds import Compounds
from assay.documents.pdf_gaps import overlaps_gap
from assay.documents.pdf_paragraphs import BULLET, LEADER, NUMBERED, SPACES, PdfBlock
from assay.documents.pdf_text_page import PdfLine

TABLE_ROWS = 3  # minimum; fewer rows are usually a number beside a heading, or a label beside its text
CLOSE, CLOSE_SHARE = 0.95, 0.3  # distance of baselines in text sizes, and share of rows closer than that, of formulas
MOST = 0.8  # minimum share of the rows whose cells end before the next column, and that have no more cells than others
LONG = 60  # letters; longer lines behind numbers are the numbered lines of a manuscript
MOST_HEADS, TITLE_LETTERS = 4, 100  # rows of a head; letters of a part of it that spans columns
ALIGNED = 3.0  # points by which the widths of the parts of one table may differ


def format_table(rows: Sequence[PdfLine], compounds: Compounds) -> str:
    """Format rows of cells as a table; "" if it is unclear to which columns the cells belong."""
    cells = [row.cells for row in rows]
    texts = _align_cells(cells, compounds) if rows[0].table or _may_be_table(rows) else None
    if texts is None:
        return ""
    lines = ["| " + " | ".join(map(_format_cell, row)) + " |" for row in texts]
    lines.insert(1, "|" + " --- |" * len(texts[0]))
    return "\n".join(lines)


def _may_be_table(rows: Sequence[PdfLine]) -> bool:
    if len(rows) < TABLE_ROWS or max(len(row.cells) for row in rows) > COLUMNS:
        return False
    return not (_are_formulas(rows) or _are_sentences(rows) or _are_numbered_lines(rows))


def _are_formulas(rows: Sequence[PdfLine]) -> bool:
    """Whether rows overlap, as the parts of fractions and the limits of sums do."""
    close = sum(0 <= one.bottom - two.bottom < CLOSE * min(one.size, two.size) for one, two in pairwise(rows))
    return close > CLOSE_SHARE * len(rows)


def _are_sentences(rows: Sequence[PdfLine]) -> bool:
    """Whether most rows have their gaps at other places than the row before, as lines with formulas in them do."""
    apart = sum(not _have_same_gaps(*sorted((one.cells, two.cells), key=len)) for one, two in pairwise(rows))
    return 2 * apart >= len(rows)


def _are_numbered_lines(rows: Sequence[PdfLine]) -> bool:
    """Whether rows are long lines behind their numbers, as in manuscripts."""
    letters = sum(len(row.cells[-1].text) for row in rows)
    return letters >= LONG * len(rows) and all(len(row.cells) == 2 and row.cells[0].text.isdigit() for row in rows)


def _have_same_gaps(few: Sequence[PdfLine], many: Sequence[PdfLine]) -> bool:
    """Whether each gap between the cells of one row is above or below one of the other."""
    gaps = _list_gaps(many)
    return all(overlaps_gap(gap, gaps) for gap in _list_gaps(few))


def _list_gaps(cells: Sequence[PdfLine]) -> list[tuple[float, float]]:
    return [(left.right, right.left) for left, right in pairwise(cells)]


def _format_cell(text: str) -> str:
    return format_paragraph(text).replace("|", "\\|").replace("\n", "<br>")


def join_rows(rows: Sequence[PdfLine]) -> str:
    """Return the text of rows of cells, one row per line."""
    return "\n".join(LEADER.sub(" …", " ".join(cell.text for cell in row.cells)) for row in rows)


def join_tables(blocks: Sequence[tuple[int, PdfBlock]]) -> list[tuple[int, PdfBlock]]:
    """Join the tables that go on over the end of a page or a column to one, which has its head once.

    The blocks are given with the place of their page.
    """
    found: list[tuple[int, PdfBlock]] = []
    titles: Counter[str] = Counter()  # how often each is there
    last = -1  # the page on which the last block ends
    for place, block in blocks:
        if found and _continues(found[-1][1].lines, block.lines[0], place - last):
            _join_table(found[-1][1].lines, block.lines)
        elif (repeated := _list_titles(found, place, block)) and all(
            (titles := titles or Counter(_read_title(each) for _, each in blocks))[title] > 1 for title in repeated
        ):
            del found[-len(repeated) :]
            _join_table(found[-1][1].lines, block.lines)
        else:
            found.append((place, block))
        last = place
    return found


def _read_title(block: PdfBlock) -> str:
    """The text of a block that may be a part of the head of a table, which spans columns; "" of others."""
    text = " ".join(line.text for line in block.lines[:MOST_HEADS])
    return text if len(block.lines) <= MOST_HEADS and len(text) <= TITLE_LETTERS and not block.lines[0].cells else ""


def _list_titles(found: Sequence[tuple[int, PdfBlock]], place: int, block: PdfBlock) -> list[str]:
    """What is between a table and the same head on another page, and may be parts of the head that are repeated."""
    titles: list[str] = []
    for begun, before in reversed(found[-MOST_HEADS:] if block.lines[0].cells else ()):
        if before.lines[0].cells:
            return titles if begun < place and before.lines[0].text == block.lines[0].text else []
        titles.append(_read_title(before))
        if not titles[-1]:
            return []
    return []


def _join_table(table: list[PdfLine], rows: Sequence[PdfLine]) -> None:
    """Add rows to a table without its head; the first may be the rest of a row that the end of a page cuts."""
    place = int(rows[0].text == table[0].text)
    while 0 < place < min(MOST_HEADS, len(rows)) and _is_head(rows[place]) and rows[place].text == table[place].text:
        place += 1
    if place < len(rows) and _is_cut_row(table[-1], rows[place]):
        table[-1] = _join_row(table[-1], rows[place])
        place += 1
    table += rows[place:]


def _is_head(row: PdfLine) -> bool:
    """Whether a row may be the second one of a head: its first cell is empty, or all are bold."""
    return not row.cells[:1] or not row.cells[0].text or all(cell.is_bold for cell in row.cells if cell.text)


def _is_cut_row(before: PdfLine, row: PdfLine) -> bool:
    """Whether a row has only text that goes on from the cells of the row before, in less than half of its cells."""
    pairs = [(one, two) for one, two in zip(before.cells, row.cells, strict=False) if two.text]
    return (
        row.table > 0
        and len(row.cells) == len(before.cells)
        and bool(pairs)
        and 2 * len(pairs) <= len(row.cells)
        and not row.cells[0].text
        and all(one.text and two.text[0].islower() and one.text[-1] not in ".!?" for one, two in pairs)
    )


def _join_row(before: PdfLine, rest: PdfLine) -> PdfLine:
    cells = tuple(
        one._replace(text=f"{one.text} {two.text}", cells=(one.cells or (one,)) + (two.cells or (two,)))
        if two.text
        else one
        for one, two in zip(before.cells, rest.cells, strict=True)
    )
    return before._replace(text=" ".join(cell.text for cell in cells if cell.text), cells=cells)


def _continues(table: Sequence[PdfLine], row: PdfLine, pages: int) -> bool:
    """Whether a row at the top of a page, or of a column, continues the table at the end of the one before."""
    before = table[-1]
    if not row.cells or len(before.cells) != len(row.cells):
        return False
    repeats_head = row.text == table[0].text
    if row.tag and row.tag.goes_on and pages == 1:
        return True
    if min(before.table, row.table) == 0 and not repeats_head:
        return False
    width, other = before.right - before.left, row.right - row.left
    is_next = pages == 1 or (pages == 0 and row.bottom > before.bottom and row.left > before.left)
    return is_next and (abs(width - other) <= ALIGNED or repeats_head)


def _read_cell(cell: PdfLine, compounds: Compounds) -> str:
    """The text of a cell, with a line for each of its items."""
    first, *others = [SPACES.sub(" ", line.text) for line in cell.cells or (cell,)]
    text = BULLET.sub("- ", first) if others else first
    for before, line in zip(cell.cells, others, strict=False):
        item = BULLET.sub("- ", line)
        starts = item != line or (NUMBERED.match(line) is not None and not before.text[-1:].isalpha())
        text = f"{text}\n{item}" if starts else compounds.join_lines(text, line, cut=before.hyphen)
    return text


def _align_cells(rows: Sequence[Sequence[PdfLine]], compounds: Compounds) -> list[list[str]] | None:
    """Return the texts of each row by column, "" where a row has no cell; None if the columns are unclear."""
    counts = Counter(len(row) for row in rows)
    width = max((count for count, times in counts.items() if times * 2 >= len(rows)), default=0)
    if width < 2:
        return None
    full = [row for row in rows if len(row) == width]
    if len(full) == len(rows):
        return [[_read_cell(cell, compounds) for cell in row] for row in rows]
    wider = [len(row) for row in rows if len(row) > width]
    if len(full) < 2 or len(wider) >= (1 - MOST) * len(rows) or max(wider, default=0) > width + 1:
        return None
    lefts = [min(cell.left for cell in cells) for cells in zip(*full, strict=True)]
    usual = [row for row in full if all(cell.right <= left for cell, left in zip(row, lefts[1:], strict=False))]
    if len(usual) < MOST * len(full):
        return None
    columns = [
        (min(cell.left for cell in cells), max(cell.right for cell in cells)) for cells in zip(*usual, strict=True)
    ]
    texts = []
    for row in rows:
        places = _find_columns(row, columns)
        if len(set(places)) < min(width, len(places)):
            return None
        by_place: dict[int, list[str]] = defaultdict(list)
        for place, cell in zip(places, row, strict=True):
            by_place[place].append(_read_cell(cell, compounds))
        texts.append([" ".join(by_place[place]) for place in range(width)])
    return texts


def _find_columns(row: Sequence[PdfLine], columns: list[tuple[float, float]]) -> list[int]:
    """The column of each cell: the one that it overlaps, whose middle is nearest if these are several.

    A cell between two columns, such as a head at the left of figures, is in the nearer one that has no other cell.
    """
    places = [_find_overlapping(cell, columns) for cell in row]
    return [
        _find_nearest(cell, columns, places) if place is None else place
        for cell, place in zip(row, places, strict=True)
    ]


def _find_overlapping(cell: PdfLine, columns: list[tuple[float, float]]) -> int | None:
    middle = (cell.left + cell.right) / 2
    overlaps = [place for place, (left, right) in enumerate(columns) if cell.left < right and cell.right > left]
    return min(overlaps, key=lambda place: abs(sum(columns[place]) / 2 - middle), default=None)


def _find_nearest(cell: PdfLine, columns: list[tuple[float, float]], taken: Sequence[int | None]) -> int:
    after = sum(right <= cell.left for _, right in columns)
    gaps = {
        place: max(cell.left - columns[place][1], columns[place][0] - cell.right)
        for place in (after - 1, after)
        if 0 <= place < len(columns)
    }
    return min(gaps, key=lambda place: (place in taken, gaps[place]))
