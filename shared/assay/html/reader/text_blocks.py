"""A document as a sequence of text blocks, each with its enclosing elements."""

from assay.html.parser.html_element import HtmlElement

MAX_SPAN = 40  # columns or rows that one cell may span
HEADINGS = {f"h{level}": level for level in range(1, 7)}
ITEMS = frozenset(("li", "dt", "dd"))
CELLS = frozenset(("tr", "td", "th"))

type Mark = tuple[str, ...]
type Token = str | Mark
BREAK: Mark = ("br",)


class Frame:
    """A block element: its tag, its parent frame and the totals of the blocks in it."""

    __slots__ = (
        "blocks",
        "cells",
        "data",
        "element",
        "first",
        "heading",
        "items",
        "last",
        "link_words",
        "marker",
        "nested",
        "parent",
        "place",
        "rows",
        "table",
        "tag",
        "texts",
        "words",
    )

    def __init__(self, element: HtmlElement, tag: str, parent: "Frame | None", first: int) -> None:
        self.element = element
        self.tag = tag
        self.parent = parent
        self.first = self.last = first
        self.words = self.link_words = self.blocks = self.texts = self.items = 0
        self.place = 0  # index among the items of a list; for a cell, its row number
        self.nested = False  # whether a table contains a table, or a heading elsewhere than in a head cell
        self.rows: list[list[Frame]] | None = None
        self.cells = 0
        self.marker: str | None = None  # the bullet or number that a word processor wrote; "" until it is read
        self.data: bool | None = None  # cached result of `html_tables.holds_data`
        self.heading: int = HEADINGS.get(tag) or (parent.heading if parent is not None else 0)
        self.table: Frame | None = parent.table if parent is not None else None

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

    def add(self, inner: "Frame") -> None:
        """Add the totals of a nested frame."""
        self.words += inner.words
        self.link_words += inner.link_words
        self.blocks += inner.blocks
        self.texts += inner.texts


class TextBlock:
    """A run of text that no block element interrupts."""

    __slots__ = ("frame", "index", "is_running_text", "kind", "link_words", "links", "score", "text", "tokens", "words")

    def __init__(self, index: int, frame: Frame, tokens: list[Token], text: str, kind: str) -> None:
        self.index = index
        self.frame = frame
        self.tokens = tokens
        self.text = text
        self.kind = kind  # text, pre or image
        self.words = 0
        self.links = 0
        self.link_words = 0
        self.is_running_text = False  # whether it is running text: longer than a line, and mostly not links
        self.score = 0.0


class BlockPage:
    """The result of walking a document."""

    __slots__ = ("blocks", "dropped", "frames", "hidden", "noscripts", "opened")

    def __init__(self) -> None:
        self.blocks: list[TextBlock] = []
        self.frames: list[Frame] = []
        self.hidden: dict[object, list[HtmlElement]] = {}  # hidden elements by the rule or element that hides them
        self.opened: dict[HtmlElement, int] = {}  # hidden sections that a click opens: index of the first block
        self.dropped = 0
        self.noscripts: list[HtmlElement] = []
