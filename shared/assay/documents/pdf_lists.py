"""Lists of PDFs: the nesting of items by the position of their markers."""

import re

MARKED = re.compile(r"(?:-|\d{1,3}[.)])\s")
ALIGNED = 3.0  # points by which markers of one list may differ
MAX_DEPTH = 8


class ListIndents:
    """The open items on a page, each with the position of its marker and the column where its text begins."""

    def __init__(self) -> None:
        self.open: list[tuple[float, int]] = []
        self.page = -1

    def find_marker(self, text: str, left: float, page: int) -> str:
        """Return the marker of an item, indented below the one that it belongs to; "" for others: they end the list."""
        marker = MARKED.match(text)
        if marker is None or page != self.page:
            self.open = []
        self.page = page
        if marker is None:
            return ""
        while self.open and self.open[-1][0] > left - ALIGNED:
            self.open.pop()
        column = self.open[-1][1] if self.open else 0
        if len(self.open) < MAX_DEPTH:
            self.open.append((left, column + marker.end()))
        return " " * column + marker[0]
