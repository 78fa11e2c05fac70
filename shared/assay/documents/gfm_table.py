"""Tables in GitHub Flavored Markdown (GFM specification section 4.10)."""

from collections.abc import Sequence

COLUMNS = 100  # maximum number of columns shown


def format_table(rows: Sequence[Sequence[str]]) -> str:
    """Format rows as a table with the first as header. Short rows are padded; bars and line breaks are escaped."""
    shown = [list(row[:COLUMNS]) for row in rows if any(cell.strip() for cell in row)]
    width = max((len(row) for row in shown), default=0)
    if not width:
        return ""
    lines = ["| " + " | ".join(_format_cell(cell) for cell in row + [""] * (width - len(row))) + " |" for row in shown]
    lines.insert(1, "|" + " --- |" * width)
    return "\n".join(lines)


def format_inner_table(rows: Sequence[Sequence[str]]) -> str:
    """Format the rows of a table in a cell, where Markdown has no tables, as lines."""
    lines = (" | ".join(" ".join(cell.split()) for cell in row[:COLUMNS]).strip(" |") for row in rows)
    return "\n".join(line for line in lines if line)


def _format_cell(text: str) -> str:
    if "|" not in text and "\n" not in text:
        return text.strip()
    return "<br>".join(line.strip() for line in text.replace("|", "\\|").splitlines() if line.strip())
