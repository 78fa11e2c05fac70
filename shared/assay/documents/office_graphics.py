"""Text of charts (DrawingML, ECMA-376 part 1 clause 21.2) and diagrams (SmartArt, clause 21.4) in Office files."""

from assay.documents.gfm_table import COLUMNS, format_table
from assay.documents.ooxml import Package, Relation, find_child
from assay.text.safe_xml import Element, get_attribute, local_name

GRAPHICS = {"chart", "relIds"}  # elements that reference a chart or a diagram
POINTS = 1_000  # maximum number of points of a series, and of shapes of a diagram


def format_graphic(package: Package, relations: dict[str, Relation], frame: Element) -> str:
    """The text of the chart or diagram that a frame shows as Markdown; "" if it shows neither."""
    for item in frame.iter():
        name = local_name(item)
        if name in GRAPHICS:
            relation = relations.get(get_attribute(item, "id" if name == "chart" else "dm"))
            root = None if relation is None or relation.outside else package.root(relation.target)
            if root is not None:
                return _format_chart(root) if name == "chart" else _format_diagram(root)
    return ""


def _format_diagram(root: Element) -> str:
    """A list of the texts of the diagram's shapes, in the order of the file."""
    points = find_child(root, "ptLst")
    texts = [find_child(point, "t") for point in ([] if points is None else points[:POINTS])]
    lines = [" ".join(_read_text(text).split()) for text in texts if text is not None]
    return "\n".join(f"- {line}" for line in lines if line)


def _format_chart(root: Element) -> str:
    """The title of the chart, and a table with a row for each category and a column for each series."""
    chart = find_child(root, "chart")
    plot = None if chart is None else find_child(chart, "plotArea")
    series = (
        [] if plot is None else [part for kind in plot for part in kind if local_name(part) == "ser"][: COLUMNS - 1]
    )
    title = None if chart is None else find_child(chart, "title")
    heading = "" if title is None else " ".join(_read_text(title).split())
    categories = next((found for item in series if (found := _read_points(item, "cat", "xVal"))), {})
    values = [_read_points(item, "val", "yVal") for item in series]
    names = ["" if (name := find_child(item, "tx")) is None else _read_text(name) for item in series]
    places = sorted(set(categories).union(*values))[:POINTS]
    rows = [[categories.get(place, ""), *(column.get(place, "") for column in values)] for place in places]
    table = format_table([["", *names], *rows]) if series else ""
    return "\n\n".join(part for part in (heading, table) if part)


def _read_points(series: Element, *names: str) -> dict[int, str]:
    """The stored texts or numbers of the first of these parts of a series, by their index."""
    part = next((found for name in names if (found := find_child(series, name)) is not None), None)
    points = [] if part is None else [item for item in part.iter() if local_name(item) == "pt"][:POINTS]
    return {
        int(index): _read_text(point)
        for point in points
        if (index := get_attribute(point, "idx")).isdecimal() and len(index) < 7
    }


def _read_text(element: Element) -> str:
    return " ".join(item.text or "" for item in element.iter() if local_name(item) in {"t", "v"} and item.text)
