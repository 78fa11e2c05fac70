"""Lists of PDFs: which dashes are bullets, and the nesting of items by the position of their markers."""

import re
from collections.abc import Sequence

from assay.documents.pdf_paragraphs import BULLET, PdfBlock
from assay.documents.pdf_tags import Tag
from assay.documents.pdf_text_page import PdfLine

MARKED = re.compile(r"(?:-|\d{1,3}[.)])\s")
SIGN = re.compile(r"(?:[^\w\s(\[]|o)\s+")  # of an item: a bullet in a font of signs, or a letter for a circle
DASH = re.compile(r"[–—]\s")
ALIGNED = 3.0  # points by which markers of one list may differ
MAX_DEPTH = 8


def write_label(text: str, tag: Tag) -> str:
    """Return the text of a tagged item with a marker of markdown in place of its label or before it."""
    if tag.kind != "item" or tag.goes_on:
        return text
    text = BULLET.sub("- ", text)
    if MARKED.match(text):
        return text
    sign = SIGN.match(text) if tag.has_label else None
    return f"- {text[sign.end() :] if sign else text}"


def find_lone_dashes(blocks: Sequence[PdfBlock]) -> set[int]:
    """Ids of paragraphs that begin with a dash as none beside them does: names below quotations, not items."""
    dashes = [found[0] if (found := DASH.match(block.lines[0].text)) else "" for block in blocks]
    around = zip(["", *dashes], dashes, [*dashes[1:], ""], blocks, strict=False)
    return {id(block) for before, dash, after, block in around if dash and dash not in (before, after)}


class ListIndents:
    """The open items on a page, each with the position of its marker and the column where its text begins."""

    def __init__(self) -> None:
        self.open: list[tuple[float, int]] = []
        self.page, self.bottom = -1, 0.0

    def find_tagged_marker(self, text: str, tag: Tag) -> str:
        """Return the marker of a tagged item, or the indent of another paragraph in its list."""
        marker = MARKED.match(text) if tag.kind == "item" and not tag.goes_on else None
        del self.open[max(0, tag.level - (tag.kind == "item" and not tag.goes_on)) :]
        column = self.open[-1][1] if self.open else 0
        if marker is None:
            return " " * column
        self.open += [(0.0, column)] * (min(tag.level, MAX_DEPTH) - 1 - len(self.open))
        if len(self.open) < MAX_DEPTH:
            self.open.append((0.0, column + marker.end()))
        return " " * column + marker[0]

    def find_marker(self, text: str, first: PdfLine, page: int) -> str:
        """Return the marker of an item, indented below the one that it belongs to; "" for others: they end the list.

        An item above the one before is in another column.
        """
        marker, left = MARKED.match(text), first.left
        if marker is None or page != self.page or first.bottom > self.bottom + ALIGNED:
            self.open = []
        self.page, self.bottom = page, first.bottom
        if marker is None:
            return ""
        while self.open and self.open[-1][0] > left - ALIGNED:
            self.open.pop()
        column = self.open[-1][1] if self.open else 0
        if len(self.open) < MAX_DEPTH:
            self.open.append((left, column + marker.end()))
        return " " * column + marker[0]
