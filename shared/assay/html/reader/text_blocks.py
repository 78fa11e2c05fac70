"""A document as a sequence of text blocks, each with its enclosing elements."""

from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING

from assay.html.parser.html_element import HtmlElement, HtmlRoot

if TYPE_CHECKING:
    from assay.html.reader._block_walk import BlockFields, FrameFields
else:
    try:
        from assay.html.reader._block_walk import BlockFields, FrameFields
    except ImportError:  # the extension module is not built
        from assay.html.reader.walk_fields import BlockFields, FrameFields

MAX_SPAN = 40  # columns or rows that one cell may span
HEADINGS = {f"h{level}": level for level in range(1, 7)}
ITEMS = frozenset(("li", "dt", "dd"))
CELLS = frozenset(("tr", "td", "th"))

type Mark = tuple[str, ...]
type Token = str | Mark
BREAK: Mark = ("br",)


class Frame(FrameFields):
    """A block element: its tag, its parent frame and the totals of the blocks in it."""

    __slots__ = ()

    def register_position(self) -> None:
        """Register the element with the list or table that contains it."""
        parent, table = self.parent, self.table
        if self.tag in ITEMS:
            if parent is not None:
                parent.items += 1
                self.place = parent.items
        elif self.tag == "table":
            self._begin_table()
        elif self.tag not in CELLS:
            if table is not None and (parent is None or parent.tag != "th"):
                table.nested = True
        elif table is not None and table.rows is not None:
            self._take_cell(table, table.rows)

    def _begin_table(self) -> None:
        outer = self.table
        while outer is not None:
            outer.nested = True
            outer = outer.parent.table if outer.parent is not None else None
        self.table, self.rows = self, []

    def _take_cell(self, table: "Frame", rows: "list[list[Frame]]") -> None:
        if self.tag == "tr" or not rows:
            rows.append([])
        if self.tag != "tr":
            rows[-1].append(self)
            self.place = len(rows)
            table.cells += 1


class TextBlock(BlockFields):
    """A run of text that no block element interrupts."""

    __slots__ = ()


def find_text(blocks: list[TextBlock], place: int, step: int) -> TextBlock | None:
    """Return the nearest block with words, from a place on in steps of 1 or -1."""
    while 0 <= place < len(blocks):
        if blocks[place].words:
            return blocks[place]
        place += step
    return None


@dataclass(frozen=True, slots=True)
class Credit:
    """What a block is in a thread: the name of who wrote the post in the frame, or its date."""

    post: Frame
    is_name: bool
    shown: tuple[Token, ...] = ()  # what is written of it, if not all


class BlockPage:
    """The result of walking a document."""

    def __init__(self, root: HtmlRoot) -> None:
        self.root = root  # of the document
        self.blocks: list[TextBlock] = []  # each at the place of its index
        self.frames: list[Frame] = []
        self.hidden: dict[object, list[HtmlElement]] = {}  # hidden elements by the rule or element that hides them
        self.opened: dict[HtmlElement, int] = {}  # hidden sections that a click opens: index of the first block
        self.dropped = 0
        self.is_cut = False  # whether a limit left out a part of the document
        self.noscripts: list[HtmlElement] = []
        self.credits: dict[int, Credit] = {}  # by the index of the block
        self.marked: set[int] = set()  # texts that have the marker of an item, as `row_markers` joins them
        self.page_ends: list[int] = []  # of pages of paper: the index of the first block of the next one

    @cached_property
    def tags(self) -> frozenset[str]:
        """The tags of all frames: rules about one of them need not look at pages without it."""
        return frozenset(map(attrgetter("tag"), self.frames))
