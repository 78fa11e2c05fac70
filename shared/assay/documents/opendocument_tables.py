"""The rows and cells of tables in OpenDocument texts (ODF 1.3 part 3, section 9)."""

from assay.text.safe_xml import Element, get_attribute, local_name

DEPTH = 60  # maximum nesting


def list_rows(table: Element, depth: int) -> list[Element]:
    """The visible rows of a table."""
    rows: list[Element] = []
    for part in table if depth < DEPTH else ():
        name = local_name(part)
        if name == "table-row" and get_attribute(part, "visibility") not in ("collapse", "filter"):
            rows.append(part)
        elif name in ("table-header-rows", "table-rows", "table-row-group"):
            rows += list_rows(part, depth + 1)
    return rows


def find_only_cell(rows: list[Element]) -> Element:
    """The cell of a table that has one; None for other tables."""
    cells = [part for part in rows[0] if local_name(part)] if len(rows) == 1 else []
    is_only = len(cells) == 1 and local_name(cells[0]) == "table-cell"
    return cells[0] if is_only and get_attribute(cells[0], "number-columns-repeated") in ("", "1") else None
