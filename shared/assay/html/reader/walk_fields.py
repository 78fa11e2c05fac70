"""The fields of frames and blocks, as `_block_walk.c` has them, for a machine where that is not built."""

import re
from typing import Any

from assay.html.parser.html_element import HtmlElement

HEADING = re.compile(r"h[1-6]")


class FrameFields:
    """A block element's tag, its parent frame, its place among others and the totals of the blocks in it."""

    __slots__ = (
        *("blocks", "cells", "data", "element", "first", "heading", "items", "last", "link_words", "marker", "nested"),
        *("parent", "place", "rows", "table", "tag", "texts", "words"),
    )

    def __init__(self, element: HtmlElement, tag: str, parent: Any, first: int) -> None:
        self.element = element
        self.tag = tag
        self.parent = parent
        self.first = self.last = first
        self.words = self.link_words = self.blocks = self.texts = self.items = 0
        self.place = 0  # index among the items of a list; for a cell, its row number
        self.nested = False  # whether a table contains a table, or a heading elsewhere than in a head cell
        self.rows: list[list[Any]] | None = None
        self.cells = 0
        self.marker: str | None = None  # the bullet or number that a word processor wrote; "" until it is read
        self.data: bool | None = None  # cached result of `html_tables.holds_data`
        self.heading: int = int(tag[1]) if HEADING.fullmatch(tag) else (parent.heading if parent is not None else 0)
        self.table: Any = parent.table if parent is not None else None


class BlockFields:
    """A run of text that no block element interrupts."""

    __slots__ = ("frame", "index", "is_running_text", "kind", "link_words", "links", "score", "text", "tokens", "words")

    def __init__(self, index: int, frame: Any, tokens: list[Any], text: str, kind: str) -> None:
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
