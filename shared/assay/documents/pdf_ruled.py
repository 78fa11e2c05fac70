"""Tables between horizontal ruling lines without vertical ones, as in books and papers: rules above and below the heads
and at the end, all of one width.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from assay.documents.pdf_gaps import split_spans
from assay.documents.pdf_grids import MIDDLE, Grid, build_grid
from assay.documents.pdf_headings import CAPTION
from assay.documents.pdf_rows import split_cells
from assay.documents.pdf_ruled_columns import find_columns, find_edge
from assay.documents.pdf_ruled_heads import find_heads
from assay.documents.pdf_ruled_rows import LEVEL, RuledPiece, RuledRow, divide_part, divide_words
from assay.documents.pdf_rulings import Ruling, Rulings
from assay.documents.pdf_text_page import Place, TextPage

SAME = 1.5  # points by which the ends of the rules of a table may differ
MIN_RULES, MOST_RULES = 3, 200
ABOVE = 2.5  # distance of heads above a rule, in font sizes: the rules of such a table are between all rows
OVER = 3.0  # points by which text may go over the ends of the rules
MIN_SHARE = 0.6  # of the rows of a part of a table that have several cells
MIN_FULL = 0.25  # share of its lines that have several cells
COMPARED = 20  # rows with several cells, with which a line of one cell is compared
MOST_STEP = 4.0  # distance of rows, and of rules from them, in font sizes
MOST_LETTERS = 30  # mean length of cells; those of text in columns are longer
TITLE_LETTERS, TITLE_HEIGHT = 60, 3.5  # maximum of a title of rows between two rules; the height is in font sizes
FAR = 1.2  # minimum gap between cells that may be all alike, in text heights
FEW_BANDS, FULL = 3, 0.8  # parts of a table, of which more are rows; minimum share of the cells with text if not


def find_ruled_tables(page: TextPage, places: list[Place], rulings: Rulings, grids: list[Grid]) -> list[Grid]:
    """The tables between rules, beside the grids that have vertical lines too."""
    groups = [
        group for group in _group_rules(rulings.horizontal) if not any(_is_in_grid(rule, grids) for rule in group)
    ]
    if not groups:
        return []
    spans = [(start, end, *page.span(start, end)) for start, end, _ in places]
    found = []
    for group in groups:
        bands = [_read_band(page, spans, above, below) for above, below in pairwise(group)]
        for first, last in _list_runs(bands, list(pairwise(group))):
            held = group[first : last + 1]
            grid = _build_grid(held, bands[first:last], [*_list_short(rulings, *held[:2])])
            top = group[first]
            edge = top._replace(place=top.place + ABOVE * bands[first][0].size)
            beside = [_read_band(page, spans, edge, top), *bands[max(0, first - 1) : first], *bands[last : last + 1]]
            if grid is not None and not any(map(_has_cells, beside)):
                found.append(grid)
    return found


def _list_short(rulings: Rulings, above: Ruling, below: Ruling) -> Iterator[Ruling]:
    """The rules between two others, which begin or end within these, in parts between the vertical lines above them."""
    for rule in rulings.horizontal:
        is_between = below.place < rule.place < above.place
        is_within = above.start - SAME <= rule.start < rule.end <= above.end + SAME
        if is_between and is_within and rule.end - rule.start < above.end - above.start - SAME:
            walls = [
                wall.place
                for wall in rulings.vertical
                if rule.start + OVER < wall.place < rule.end - OVER and wall.start < rule.place + OVER < wall.end
            ]
            edges = [rule.start, *walls, rule.end]
            yield from (rule._replace(start=start, end=end) for start, end in pairwise(edges))


def _group_rules(rules: list[Ruling]) -> list[list[Ruling]]:
    """The rules of one width, from top to bottom, if there are enough for a table."""
    groups: list[list[Ruling]] = []
    for rule in sorted(rules, reverse=True)[:MOST_RULES]:
        for group in groups:
            if abs(rule.start - group[0].start) <= SAME and abs(rule.end - group[0].end) <= SAME:
                group.append(rule)
                break
        else:
            groups.append([rule])
    return [group for group in groups if len(group) >= MIN_RULES]


def _is_in_grid(rule: Ruling, grids: list[Grid]) -> bool:
    middle = (rule.start + rule.end) / 2
    return any(
        grid.xs[0] <= middle <= grid.xs[-1] and grid.ys[-1] - OVER <= rule.place <= grid.ys[0] + OVER for grid in grids
    )


def _read_band(
    page: TextPage, spans: Sequence[tuple[int, int, float, float, float, float]], above: Ruling, below: Ruling
) -> list[RuledRow]:
    """The rows between two rules."""
    rows: list[RuledRow] = []
    cells = [
        (*page.level(one), one, two)
        for start, end, left, right, bottom, size in spans
        if below.place < bottom + MIDDLE * size < above.place
        and below.start - OVER <= left
        and right <= below.end + OVER
        for one, two in _split_cells(page, start, end)
    ]
    for bottom, size, start, end in sorted(cells, key=lambda cell: -cell[0]):
        if not rows or rows[-1].bottom - bottom >= LEVEL * size:
            rows.append(RuledRow(bottom, size, [], []))
        rows[-1].cells.extend(_measure(page, [(start, end)]))
        rows[-1].words.extend(_measure(page, split_spans(page, start, end, 0.0)))
    return [row._replace(cells=sorted(row.cells), words=sorted(row.words)) for row in rows]


def _split_cells(page: TextPage, start: int, end: int) -> Sequence[tuple[int, int]]:
    """The cells of a line, which may be words that are all equally far apart."""
    cells = split_cells(page, start, end)
    far = split_spans(page, start, end, FAR) if len(cells) == 1 else ()
    return far if len(far) > 2 else cells


def _measure(page: TextPage, spans: Sequence[tuple[int, int]]) -> list[RuledPiece]:
    return [RuledPiece(page.box(start)[0], page.box(end - 1)[2], page.text[start:end]) for start, end in spans]


def _is_part(rows: list[RuledRow], rules: tuple[Ruling, Ruling]) -> bool:
    """Whether the rows between two rules are a part of a table: most have several cells, which are short."""
    if not rows or not _are_close(rows, rules):
        return False
    cells = [cell for row in rows for cell in row.cells]
    full = [row for row in rows if len(row.cells) > 1]
    are_rows = [len(row.cells) > 1 or _is_below(row.cells[0], full[:COMPARED]) for row in rows]
    has_rows = len(full) > MIN_FULL * len(rows) and sum(are_rows[1:], start=1) >= MIN_SHARE * len(rows)
    return has_rows and sum(len(cell.text) for cell in cells) <= MOST_LETTERS * len(cells)


def _are_close(rows: list[RuledRow], rules: tuple[Ruling, Ruling]) -> bool:
    """Whether rows follow each other from the upper rule to the lower one; the bars of slides have space between."""
    levels = [rules[0].place, *(row.bottom for row in rows), rules[1].place]
    return max(above - below for above, below in pairwise(levels)) <= MOST_STEP * rows[0].size


def _is_below(cell: RuledPiece, rows: list[RuledRow]) -> bool:
    """Whether a cell that is alone on its line is above or below one cell of most rows, and as short as that."""
    across = sum(sum(cell.left < other.right and cell.right > other.left for other in row.cells) > 1 for row in rows)
    return 2 * across <= len(rows)


def _is_title(rows: list[RuledRow], rules: tuple[Ruling, Ruling]) -> bool:
    """Whether a short line is alone between two rules, as the title of the rows below it."""
    if len(rows) != 1 or len(rows[0].cells) != 1 or rules[0].place - rules[1].place > TITLE_HEIGHT * rows[0].size:
        return False
    text = rows[0].cells[0].text
    return len(text) <= TITLE_LETTERS and CAPTION.match(text) is None


def _has_cells(rows: list[RuledRow]) -> bool:
    """Whether pieces of text are beside each other, maybe on different baselines, as cells are and prose is not."""
    return any(len(row.cells) > 1 for row in rows) or any(
        above.bottom - below.bottom < below.size
        and (above.cells[0].left > below.cells[0].right or below.cells[0].left > above.cells[0].right)
        for above, below in pairwise(rows)
    )


def _list_runs(bands: list[list[RuledRow]], rules: Sequence[tuple[Ruling, Ruling]]) -> Iterator[tuple[int, int]]:
    """The first and the last rule of at least two parts below each other, maybe with titles before parts."""
    are_parts = [_is_part(*pair) for pair in zip(bands, rules, strict=True)]
    are_titles = [_is_title(*pair) for pair in zip(bands, rules, strict=True)]
    begin = 0
    for place, is_part in enumerate([*are_parts, False]):
        if not is_part and not (begin < place < len(bands) - 1 and are_titles[place] and are_parts[place + 1]):
            if place - begin > 1:
                yield begin, place
            begin = place + 1


def _build_grid(rules: Sequence[Ruling], bands: Sequence[list[RuledRow]], short: Sequence[Ruling]) -> Grid | None:
    """The grid with a cell for each column in each row; None if columns or rows are unclear."""
    columns = find_columns([row for band in bands[1:] for row in band], bands[0])
    inner = [find_edge(one[1], two[0], bands[0]) for one, two in pairwise(columns)]
    xs = [rules[0].start - OVER, *inner, rules[0].end + OVER]
    if len(columns) < 2 or xs != sorted(xs):
        return None
    heads = find_heads(bands[0], xs, short, sum(map(len, bands[1:])))
    ys, spans = [rules[0].place], []
    for place, (band, rule) in enumerate(zip(bands, rules[1:], strict=True)):
        are_rows = len(bands) <= FEW_BANDS or _are_filled(band, xs)
        part = heads if heads and not place else divide_part(band, xs, is_head=not place, are_rows=are_rows)
        if part is None:
            return None
        first = len(ys) - 1
        spans += [(top + first, bottom + first, left, right) for top, bottom, left, right in part.spans]
        ys += [*part.edges, rule.place]
    grid = build_grid(xs, ys, spans)
    grid.heads = len(heads.edges) + 1 if heads else 1
    return grid


def _are_filled(rows: Sequence[RuledRow], xs: Sequence[float]) -> bool:
    """Whether the lines between two rules are rows, which have text in most columns, not those of one row."""
    filled = sum(bool(words) for row in rows for words in divide_words(row, xs))
    return filled >= FULL * len(rows) * (len(xs) - 1)
