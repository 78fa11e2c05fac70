"""Text of charts (DrawingML, ECMA-376 part 1 clause 21.2) and diagrams (SmartArt, clause 21.4) in Office files."""

from assay.documents.gfm_table import COLUMNS, format_table
from assay.documents.ooxml import Package, Relation, find_child
from assay.documents.paragraph_markdown import format_paragraph
from assay.documents.xlsx_formats import HIDDEN, HIDDEN_NUMBERS, PLAIN, NumberFormat, format_value, read_format
from assay.html.reader.markdown_escapes import escape_line_start
from assay.text.safe_xml import Element, get_attribute, local_name

GRAPHICS = {"chart", "relIds"}  # elements that reference a chart or a diagram
AXES = {"catAx", "valAx", "dateAx", "serAx"}
CACHES = {"numCache", "numLit", "strCache", "strLit", "multiLvlStrCache"}
POINTS = 1_000  # maximum number of points of a series, and of shapes of a diagram
MAX_LEVELS = 8  # of groups of categories
POINT_CHARS = 1_000  # of the name or value of a point; the names of groups are repeated


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
    lines = [format_paragraph(" ".join(_read_text(text).split())) for text in texts if text is not None]
    return "\n".join(f"- {escape_line_start(line)}" for line in lines if line)


def _format_chart(root: Element) -> str:
    """The titles of the chart and its axes, and a table with a row for each category and a column for each series."""
    chart = find_child(root, "chart")
    plot = None if chart is None else find_child(chart, "plotArea")
    series = (
        [] if plot is None else [part for kind in plot for part in kind if local_name(part) == "ser"][: COLUMNS - 1]
    )
    axes = [] if plot is None else [title for part in plot if local_name(part) in AXES and (title := _read_title(part))]
    dates = find_child(root, "date1904")
    is_1904 = dates is not None and get_attribute(dates, "val") not in ("0", "false")
    table = _format_series(series, is_1904=is_1904) if series else ""
    heading = "" if chart is None else _read_title(chart)
    names = format_paragraph(f"Axes: {'; '.join(axes)}") if axes else ""
    return "\n\n".join(part for part in (escape_line_start(format_paragraph(heading)), names, table) if part)


def _read_title(element: Element) -> str:
    """The title of a chart or an axis."""
    title = find_child(element, "title")
    return "" if title is None else " ".join(_read_text(title).split())


def _format_series(series: list[Element], *, is_1904: bool) -> str:
    """A table with a column of categories; with one for each series if their points are at different places."""
    names = ["" if (name := find_child(item, "tx")) is None else _read_text(name) for item in series]
    categories = [_read_points(item, "cat", "xVal", is_1904=is_1904) for item in series]
    values = [_read_points(item, "val", "yVal", is_1904=is_1904) for item in series]
    shared: dict[int, str] = {}
    for found in categories:
        shared = found | shared
    heads, columns = ["", *names], [shared, *values]
    if any(shared[place] != name for found in categories for place, name in found.items()):
        heads = [head for name in names for head in ("", name)]
        columns = [column for pair in zip(categories, values, strict=True) for column in pair]
    places = sorted(set().union(*columns))[:POINTS]
    rows = [heads, *([column.get(place, "") for column in columns] for place in places)]
    return format_table([[format_paragraph(cell) for cell in row] for row in rows])


def _read_points(series: Element, *names: str, is_1904: bool) -> dict[int, str]:
    """The stored texts or numbers of the first of these parts of a series, by their index."""
    part = next((found for name in names if (found := find_child(series, name)) is not None), None)
    caches = [] if part is None else [item for item in part.iter() if local_name(item) in CACHES]
    if not caches:
        return {}
    levels = [level for level in caches[0] if local_name(level) == "lvl"]
    if levels:
        return _join_levels([_read_cache(level, is_1904=is_1904) for level in levels])
    return _read_cache(caches[0], is_1904=is_1904)


def _read_cache(cache: Element, *, is_1904: bool) -> dict[int, str]:
    code = find_child(cache, "formatCode")
    shown_as = read_format(code.text or "") if code is not None else None
    points = [item for item in cache if local_name(item) == "pt"][:POINTS]
    return {
        int(index): _format_point(_read_text(point), shown_as, is_1904=is_1904)[:POINT_CHARS]
        for point in points
        if (index := get_attribute(point, "idx")).isdecimal() and len(index) < 7
    }


def _format_point(text: str, shown_as: NumberFormat | None, *, is_1904: bool) -> str:
    """The text of a point; a number is formatted as its sheet does, a text has no format."""
    if shown_as is None:
        return text
    try:
        is_hidden = shown_as.kind in (HIDDEN, HIDDEN_NUMBERS)
        return format_value(float(text), PLAIN if is_hidden else shown_as, is_1904=is_1904)
    except (ValueError, OverflowError):
        return text


def _join_levels(levels: list[dict[int, str]]) -> dict[int, str]:
    """The names of categories in groups, of which the first level is the innermost: "2024 May"."""
    joined: dict[int, str] = {}
    levels = levels[:MAX_LEVELS]
    outer = [""] * (len(levels) - 1)
    for place in sorted(set().union(*levels)):
        outer = [level.get(place, before) for level, before in zip(levels[1:], outer, strict=True)]
        joined[place] = " ".join(name for name in (*reversed(outer), levels[0].get(place, "")) if name)
    return joined


def _read_text(element: Element) -> str:
    return " ".join(item.text or "" for item in element.iter() if local_name(item) in {"t", "v"} and item.text)
