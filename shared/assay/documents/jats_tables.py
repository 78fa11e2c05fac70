"""Tables of JATS articles as HTML: those in XHTML's model, and those in the exchange model of OASIS."""

from html import escape

from assay.documents.jats_front import WriteInside
from assay.text.safe_xml import Element, local_name

PARTS = {"thead": "thead", "tbody": "tbody", "tfoot": "tfoot", "tr": "tr", "row": "tr", "td": "td", "th": "th"}
TABLE = "<table>"
SPANS = ("colspan", "rowspan")


def write_table(table: Element, write_inside: WriteInside) -> str:
    """Write a table; `write_inside` writes what is in a cell."""
    names = [column.get("colname", "") for column in table.iter("{*}colspec")]
    rows = "".join(_write_part(part, names, write_inside) for part in table)
    return f"{TABLE}{rows}</table>"


def _write_part(part: Element, names: list[str], write_inside: WriteInside) -> str:
    name = local_name(part)
    if name in ("td", "th", "entry"):
        return _write_cell(part, names, write_inside)
    inside = "".join(_write_part(child, names, write_inside) for child in part)
    tag = PARTS.get(name)
    return f"<{tag}>{inside}</{tag}>" if tag else inside


def _write_cell(cell: Element, names: list[str], write_inside: WriteInside) -> str:
    is_head = local_name(cell) == "th" or any(local_name(outer) == "thead" for outer in cell.iterancestors())
    spans = {key: value for key in SPANS if (value := cell.get(key))} | _read_oasis_spans(cell, names)
    tag = "th" if is_head else "td"
    return f"<{tag}{''.join(f' {key}="{escape(value)}"' for key, value in spans.items())}>{write_inside(cell)}</{tag}>"


def _read_oasis_spans(cell: Element, names: list[str]) -> dict[str, str]:
    """Return the spans that an `entry` declares by the names of its columns and the rows that it has more."""
    first, last, more = cell.get("namest"), cell.get("nameend"), cell.get("morerows") or ""
    spans = {"rowspan": str(int(more[:4]) + 1)} if more.isdecimal() else {}
    if first in names and last in names:
        spans["colspan"] = str(max(1, names.index(last) - names.index(first) + 1))
    return spans
