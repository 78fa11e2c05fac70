"""Rows of cells as a GFM table."""

from collections.abc import Sequence

COLUMNS = 100  # wider is no table a person reads


def gfm(rows: Sequence[Sequence[str]]) -> str:
    """The first row is the head. Rows are filled up to one width; bars and line ends in cells are escaped."""
    kept = [list(row[:COLUMNS]) for row in rows if any(cell.strip() for cell in row)]
    width = max((len(row) for row in kept), default=0)
    if not width:
        return ""
    lines = ["| " + " | ".join(_cell(cell) for cell in row + [""] * (width - len(row))) + " |" for row in kept]
    lines.insert(1, "|" + " --- |" * width)
    return "\n".join(lines)


def _cell(text: str) -> str:
    if "|" not in text and "\n" not in text:
        return text.strip()
    return "<br>".join(line.strip() for line in text.replace("|", "\\|").splitlines() if line.strip())
