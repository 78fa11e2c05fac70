"""The lines of a tagged PDF page in the order of its tags, which say what is a heading, an item or a cell.

Tags decide where nearly all text of the page has them and they say more than where paragraphs are.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from assay.documents.pdf_cells import LEVEL, build_row
from assay.documents.pdf_drawn import has_mark
from assay.documents.pdf_lines import build_line, join_places
from assay.documents.pdf_paragraphs import ENDED
from assay.documents.pdf_tags import PageTags, Tag, TaggedCell, TagTable, read_tags
from assay.documents.pdf_text_page import PdfLine, Place, TextPage
from assay.documents.pdfium import pdfium

TAGGED = 0.9  # minimum share of the letters that are in tagged content
MOST_ARTIFACTS = 0.3  # maximum share of the letters that are artifacts, such as running heads
HEADING_LETTERS = 300
PARAGRAPH_LETTERS = 5_000  # more are the text of a page, of which the paragraphs are not known
CELL_LETTERS = 3_000  # more are in the tables of layouts
MOST_CUT, FEWEST = 0.3, 5  # share of paragraphs that end within a sentence where lines are tagged, not paragraphs
NO_BLOCK, ARTIFACT, NO_OBJECT = -1, -2, -3  # in place of a block; PDFium adds characters that are no object's


def extract_tagged_lines(page: int, text: TextPage, places: list[Place]) -> list[PdfLine] | None:
    """Return the lines in the order of the tags; None where these are missing or not to be trusted."""
    tags = read_tags(page)
    if tags is None or not any(tag.kind in ("heading", "item") or cell for tag, cell in tags.blocks):
        return None
    finder = _BlockFinder(text, tags)
    if not finder.is_tagged(places):
        return None
    pieces = _list_pieces(finder, join_places(text, places))
    lines = [(block, build_line(text, *place)) for block, place in pieces]
    held: dict[int, list[PdfLine]] = defaultdict(list)
    for block, line in lines:
        held[block].append(line)
    if _are_lines_tagged(tags, held):
        return None
    _add_pictures(tags, held, finder.contents)
    return _order_blocks(tags, held)


def drop_artifacts(pages: list[list[PdfLine]]) -> list[list[PdfLine]]:
    """Return the lines without those that the tags call artifacts, such as running heads."""
    return [[line for line in page if line.tag is None or line.tag.kind != "artifact"] for page in pages]


class TaggedBlock(NamedTuple):
    """The text of a block."""

    tag: Tag
    cell: TaggedCell | None
    lines: list[PdfLine]


class _BlockFinder:
    """Finds the block of a character by the mark of its text object."""

    def __init__(self, text: TextPage, tags: PageTags) -> None:
        self._text, self._tags, self._ask = text, tags, pdfium()
        self._known: dict[int, int] = {}
        self.contents: set[int] = set()  # in which text was found

    def find(self, place: int) -> int:
        """The number of the block of a character, or NO_BLOCK, ARTIFACT or NO_OBJECT."""
        ask = self._ask
        thing = ask.Text_GetTextObject(self._text.handle, self._text.index(place))
        if not thing:
            return NO_OBJECT
        if thing not in self._known:
            content = ask.PageObj_GetMarkedContentID(thing)
            self.contents.add(content)
            block = self._tags.contents.get(content, NO_BLOCK)
            self._known[thing] = ARTIFACT if block == NO_BLOCK and has_mark(thing, "Artifact") else block
        return self._known[thing]

    def is_tagged(self, places: Iterable[Place]) -> bool:
        """Whether nearly all text of the page is tagged, and little of it an artifact."""
        letters: dict[int, int] = defaultdict(int)
        for start, end, _ in places:
            block = self.find(start)
            letters[min(block, 0)] += end - start
        told = letters[0] + letters[NO_BLOCK]
        return (
            letters[0] > 0
            and letters[0] >= TAGGED * told
            and letters[ARTIFACT] <= MOST_ARTIFACTS * (told + letters[ARTIFACT])
        )

    def strip(self, start: int, end: int) -> tuple[int, int]:
        """The place of a text without the space around it."""
        words = self._text.text[start:end]
        return start + len(words) - len(words.lstrip()), end - (len(words) - len(words.rstrip()))

    def is_beside(self, one: int, two: int) -> bool:
        """Whether a character is to the right of another one, on its baseline."""
        (base, size), (level, _) = self._text.level(one), self._text.level(two)
        return abs(base - level) < LEVEL * size and self._text.box(one)[0] < self._text.box(two)[0]

    def split(self, start: int, end: int) -> list[tuple[int, int, int]]:
        """Divide a line where another block begins: (block, start, end)."""
        parts: list[tuple[int, int, int]] = []
        last_block = self.find(end - 1)
        while (block := self.find(start)) != last_block:
            next_start = self._find_change(start, end - 1, block)
            parts.append((block, start, next_start))
            start = next_start
        return [*parts, (last_block, start, end)]

    def _find_change(self, low: int, high: int, block: int) -> int:
        """The place between a character of the block and one of another block at which another block begins."""
        while high - low > 1:
            middle = (low + high) // 2
            near = middle
            while near > low and self.find(near) == NO_OBJECT:
                near -= 1
            if near == low or self.find(near) == block:
                low = middle
            else:
                high = near if near < high else middle
        return high


def _list_pieces(finder: _BlockFinder, places: Sequence[Place]) -> list[tuple[int, Place]]:
    """The lines, divided between blocks; text in no block belongs to the one behind it in its line, or to that before.

    Browsers do not tag the numbers that a style sheet gives to items.
    """
    pieces = [
        (block, (*finder.strip(one, two), hyphen and two == end))
        for start, end, hyphen in places
        for block, one, two in finder.split(start, end)
    ]
    found: list[tuple[int, Place]] = []
    following = [*pieces[1:], (NO_BLOCK, (0, 0, False))]
    before = 0
    for (block, place), (after, next_place) in zip(pieces, following, strict=True):
        before = block if block >= 0 else before
        is_label = block == NO_BLOCK and after >= 0 and finder.is_beside(place[0], next_place[0])
        if place[0] < place[1]:
            found.append((block if block != NO_BLOCK else after if is_label else before, place))
    return found


def _are_lines_tagged(tags: PageTags, held: dict[int, list[PdfLine]]) -> bool:
    """Whether many paragraphs end within a sentence that the next one continues: these are lines."""
    paragraphs = [
        held[tag.block] for tag, cell in tags.blocks if tag.kind == "paragraph" and not cell and tag.block in held
    ]
    cut = sum(
        len(one) == 1 and not one[-1].text.endswith(ENDED) and two[0].text[:1].islower()
        for one, two in pairwise(paragraphs)
    )
    return len(paragraphs) >= FEWEST and cut > MOST_CUT * len(paragraphs)


def _add_pictures(tags: PageTags, held: dict[int, list[PdfLine]], contents: set[int]) -> None:
    """Add the alternative texts of the figures without text as lines, behind the text of the block before."""
    line = next(line for lines in held.values() for line in lines)
    for tag, _ in tags.blocks:
        line = held[tag.block][-1] if tag.block in held else line
        picture = tags.pictures.get(tag.block)
        if picture is not None and picture.contents.isdisjoint(contents):
            held[tag.block] = [PdfLine(f"![{picture.alternative}]", line.left, line.right, line.bottom, line.size)]


def _order_blocks(tags: PageTags, held: dict[int, list[PdfLine]]) -> list[PdfLine]:
    """The lines of all blocks, those of a table where its first cell is, artifacts at the end."""
    found: list[PdfLine] = []
    tables: dict[int, list[TaggedBlock]] = defaultdict(list)
    blocks = [TaggedBlock(tag, cell, held[tag.block]) for tag, cell in tags.blocks if tag.block in held]
    for block in blocks:
        if block.cell:
            tables[block.cell.table].append(block)
    for block in blocks:
        if block.cell is None:
            found += _mark_lines(block)
        elif cells := tables.pop(block.cell.table, None):
            found += _build_table(tags.tables[block.cell.table - 1], cells)
    artifact = Tag(ARTIFACT, "artifact")
    return found + [line._replace(tag=artifact) for line in held.get(ARTIFACT, ())]


def _mark_lines(block: TaggedBlock) -> list[PdfLine]:
    tag, _, lines = block
    letters = sum(len(line.text) for line in lines)
    if letters > PARAGRAPH_LETTERS:
        tag = tag._replace(kind="")
    elif tag.kind == "heading" and letters > HEADING_LETTERS:
        tag = tag._replace(kind="paragraph", level=0)
    lines = _join_label(lines) if tag.kind == "item" else lines
    is_text = tag.kind in ("heading", "item") or (tag.kind and not all(line.is_fixed for line in lines))
    return [line._replace(tag=tag, is_fixed=line.is_fixed and not is_text) for line in lines]


def _join_label(lines: list[PdfLine]) -> list[PdfLine]:
    """Join the label of an item that is a line of its own to the text beside it."""
    label, *others = lines
    if not others or label.right > others[0].left or abs(label.bottom - others[0].bottom) > LEVEL * others[0].size:
        return lines
    return [others[0]._replace(text=f"{label.text} {others[0].text}", left=label.left), *others[1:]]


def _build_table(table: TagTable, blocks: list[TaggedBlock]) -> list[PdfLine]:
    """The rows of a table; the lines of its cells if it is none."""
    rows: dict[int, dict[int, list[PdfLine]]] = defaultdict(lambda: defaultdict(list))
    for _, cell, lines in blocks:
        if cell:
            rows[cell.row][cell.column] += lines
    width = max(table.widths)
    cells = [cell for row in rows.values() for cell in row.values()]
    is_layout = width < 2 or len(rows) < 2 or any(sum(len(one.text) for one in cell) > CELL_LETTERS for cell in cells)
    if is_layout:
        return [line for block in blocks for line in _mark_lines(block)]
    edges = _find_edges(rows, width)
    tag, number = Tag(blocks[0].tag.block, "row", goes_on=table.goes_on), blocks[0].tag.block + 1
    found: list[PdfLine] = []
    for row, held in sorted(rows.items()):
        missing = width - table.widths[row]
        placed = _place_cells(held, edges) if missing and row in table.ragged else held
        found.append(build_row(placed, edges, number)._replace(tag=tag))
    return found


def _find_edges(rows: dict[int, dict[int, list[PdfLine]]], width: int) -> list[tuple[float, float]]:
    """The left and right edge of each column."""
    edges: list[tuple[float, float]] = []
    for column in range(width):
        lines = [line for row in rows.values() if len(row) == width for line in row[column]]
        lines = lines or [line for row in rows.values() for line in row.get(column, ())]
        before = edges[-1][1] if edges else 0.0
        left = min((line.left for line in lines), default=before)
        edges.append((left, max((line.right for line in lines), default=before)))
    return edges


def _place_cells(row: dict[int, list[PdfLine]], edges: Sequence[tuple[float, float]]) -> dict[int, list[PdfLine]]:
    """The cells of a row with empty cells of unknown width by the column that is nearest."""
    placed: dict[int, list[PdfLine]] = {}
    for column, lines in sorted(row.items(), reverse=True):
        left, right = min(line.left for line in lines), max(line.right for line in lines)
        free = list(range(column, min(placed, default=len(edges)))) or [column]
        best = min(free, key=lambda place: abs(left + right - sum(edges[place])))
        placed[best] = lines + placed.get(best, [])
    return placed
