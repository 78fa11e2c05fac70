"""Parser for PowerPoint files (PresentationML, ECMA-376 part 1 clause 19): titles, text, tables, pictures, notes."""

import re
from itertools import islice

from assay.documents.document import PAGES, Document, truncate_text
from assay.documents.gfm_table import COLUMNS, format_table
from assay.documents.omml import format_linear
from assay.documents.ooxml import Package, Relation, find_child, link_target
from assay.documents.safe_xml import Element, get_attribute, local_name
from assay.documents.safe_xml import prepare as prepare  # noqa: PLC0414 - the sandbox worker calls it in each parser module

DEPTH = 60  # maximum nesting
TITLES = {"title", "ctrTitle"}
SKIPPED_PLACEHOLDERS = {"dt", "ftr", "sldNum", "hdr", "sldImg"}
WHOLE = re.compile(r"-?\d{1,12}")
TINY = 200  # hundredths of a point; smaller text counts as hidden
DIGITS = re.compile(r"\d{1,4}")


def parse(body: bytes, kind: str) -> Document:
    """Convert the visible slides to Markdown, in order; `page_count` includes hidden slides.

    Raises InvalidInput for an encrypted file or a decompression bomb, UpstreamFailed for a damaged one.
    """
    package = Package(body, kind)
    main = package.main("ppt/presentation.xml")
    slides, size = _slides(package, main), _size(package.root(main))
    parts, hidden = [], 0
    for place, name in enumerate(slides[:PAGES], 1):
        root = package.root(name)
        if root is None or get_attribute(root, "show") in {"0", "false"}:
            hidden += root is not None
        else:
            parts.append(_slide(package, name, root, place, size))
    markdown, was_cut = truncate_text("\n\n".join(part for part in parts if part))
    metadata = package.properties()
    notes = (f"{hidden} hidden slide(s) were left out.",) if hidden else ()
    return Document(
        kind, markdown, metadata.get("title", ""), metadata.get("creator", ""), metadata.get("created", ""),
        len(slides), truncated=was_cut or len(slides) > PAGES, notes=notes,
    )  # fmt: skip


def _slides(package: Package, main: str) -> list[str]:
    """The part names of the slides, in presentation order."""
    relations = package.relations(main)
    order = find_child(package.root(main), "sldIdLst")
    found = (relations.get(_relation_id(item)) for item in (() if order is None else order))
    return [relation.target for relation in found if relation and not relation.outside]


def _size(root: Element) -> tuple[int, int]:
    """The width and height of a slide in EMU; zeros if not declared."""
    size = None if root is None else find_child(root, "sldSz")
    return (0, 0) if size is None else (_whole(size, "cx"), _whole(size, "cy"))


def _whole(element: Element, name: str) -> int:
    text = get_attribute(element, name)
    return int(text) if WHOLE.fullmatch(text) else 0


def _is_off(shape: Element, size: tuple[int, int]) -> bool:
    """Whether the shape is entirely outside the slide."""
    found = find_child(shape, "spPr", "xfrm")
    found = find_child(shape, "xfrm") if found is None else found
    place, extent = (None, None) if found is None else (find_child(found, "off"), find_child(found, "ext"))
    if place is None or extent is None or not all(size):
        return False
    start = _whole(place, "x"), _whole(place, "y")
    end = start[0] + _whole(extent, "cx"), start[1] + _whole(extent, "cy")
    left, top = _slide_coordinates(shape, *start)
    right, bottom = _slide_coordinates(shape, *end)
    return min(left, right) >= size[0] or min(top, bottom) >= size[1] or max(left, right) < 0 or max(top, bottom) < 0


def _slide_coordinates(shape: Element, x: float, y: float) -> tuple[float, float]:
    """Convert coordinates within the shape's groups to coordinates on the slide."""
    for group in islice(shape.iterancestors(), DEPTH):
        frame = find_child(group, "grpSpPr", "xfrm") if local_name(group) == "grpSp" else None
        parts = [] if frame is None else [find_child(frame, name) for name in ("off", "ext", "chOff", "chExt")]
        if parts and all(part is not None for part in parts):
            off, extent, inner_off, inner_extent = parts
            wide, high = _whole(inner_extent, "cx"), _whole(inner_extent, "cy")
            x = _whole(off, "x") + (x - _whole(inner_off, "x")) * (_whole(extent, "cx") / wide if wide else 1)
            y = _whole(off, "y") + (y - _whole(inner_off, "y")) * (_whole(extent, "cy") / high if high else 1)
    return x, y


def _relation_id(item: Element) -> str:
    """The `r:id` attribute; `id` without a namespace is the slide's number."""
    return next((str(item.get(key)) for key in item.keys() if key.endswith("}id")), "")  # noqa: SIM118 - items() is quadratic


def _slide(package: Package, name: str, root: Element, place: int, size: tuple[int, int]) -> str:
    relations = package.relations(name)
    tree = find_child(root, "cSld", "spTree")
    title, blocks = "", []
    for shape in _shapes(tree, 0) if tree is not None else []:
        if _is_off(shape, size):
            continue
        kind = _placeholder(shape)
        text = _shape(shape, relations, plain=kind in TITLES)
        if kind in TITLES and not title:
            title = " ".join(text.split())
        elif kind not in SKIPPED_PLACEHOLDERS and text.strip():
            blocks.append(text)
    speaker_notes = _notes(package, relations)
    if not (title or blocks or speaker_notes):
        return ""
    heading = f"## {title}" if title else f"## Slide {place}"
    return "\n\n".join([heading, *blocks, *([f"Notes: {speaker_notes}"] if speaker_notes else [])])


def _shapes(tree: Element, depth: int) -> list[Element]:
    """All visible shapes, including those in groups."""
    found: list[Element] = []
    for part in tree if depth <= DEPTH else ():
        name = local_name(part)
        if name in {"grpSp", "AlternateContent", "Choice"}:
            found += _shapes(part, depth + 1)
        elif name in {"sp", "graphicFrame", "pic", "cxnSp"} and not _is_hidden(part):
            found.append(part)
    return found


def _own(shape: Element, name: str) -> Element:
    """A descendant, by path, of the shape's non-visual properties (`nvSpPr`, `nvPicPr` …); None if missing."""
    properties = next((part for part in shape if local_name(part).startswith("nv")), None)
    return None if properties is None else find_child(properties, *name.split("/"))


def _is_hidden(shape: Element) -> bool:
    properties = _own(shape, "cNvPr")
    return properties is not None and get_attribute(properties, "hidden") in {"1", "true"}


def _placeholder(shape: Element) -> str:
    found = _own(shape, "nvPr/ph")
    return "" if found is None else get_attribute(found, "type") or "body"


def _shape(shape: Element, relations: dict[str, Relation], *, plain: bool = False) -> str:
    name = local_name(shape)
    if name == "pic":
        return _description(shape)
    if name == "graphicFrame":
        table = next((part for part in shape.iter() if local_name(part) == "tbl"), None)
        return (
            _description(shape)
            if table is None
            else format_table([_cells(row, relations) for row in table if local_name(row) == "tr"])
        )
    body = find_child(shape, "txBody")
    if body is None:
        return ""
    bulleted = not plain and _placeholder(shape) in {"body", "obj"}
    return _text(body, relations, bulleted=bulleted)


def _description(shape: Element) -> str:
    properties = _own(shape, "cNvPr")
    words = "" if properties is None else " ".join(get_attribute(properties, "descr").split())
    return f"![{words}]" if words else ""


def _cells(row: Element, relations: dict[str, Relation]) -> list[str]:
    """A row's cells; merged continuation cells are empty."""
    cells = [cell for cell in row if local_name(cell) == "tc"][:COLUMNS]
    return [
        "" if {get_attribute(cell, "hMerge"), get_attribute(cell, "vMerge")} & {"1", "true"} else _cell(cell, relations)
        for cell in cells
    ]


def _cell(cell: Element, relations: dict[str, Relation]) -> str:
    body = find_child(cell, "txBody")
    return "" if body is None else _text(body, relations, bulleted=False)


def _text(body: Element, relations: dict[str, Relation], *, bulleted: bool) -> str:
    """One line per paragraph, with list markers and indentation by level."""
    lines, count = [], 0
    for paragraph in body:
        text = _paragraph(paragraph, relations).strip() if local_name(paragraph) == "p" else ""
        if not text:
            continue
        properties = find_child(paragraph, "pPr")
        level = 0 if properties is None else _level(get_attribute(properties, "lvl"))
        mark = _mark(properties, bulleted or level > 0)
        count = count + 1 if mark == "1." else 0
        lines.append(f"{'  ' * level if mark else ''}{f'{count}. ' if count else f'{mark} ' if mark else ''}{text}")
    return "\n".join(lines)


def _level(text: str) -> int:
    return min(int(text), 8) if DIGITS.fullmatch(text) else 0


def _mark(properties: Element, bulleted: bool) -> str:
    kinds = set() if properties is None else {local_name(item) for item in properties}
    if "buNone" in kinds:
        return ""
    if "buAutoNum" in kinds:
        return "1."
    return "-" if bulleted or "buChar" in kinds else ""


def _paragraph(paragraph: Element, relations: dict[str, Relation]) -> str:
    return "".join(_piece(piece, relations) for piece in paragraph)


def _piece(piece: Element, relations: dict[str, Relation]) -> str:
    name = local_name(piece)
    if name == "br":
        return " "
    if name in {"AlternateContent", "Choice", "m", "oMathPara", "oMath"}:
        return (
            format_linear(piece) if name.startswith(("m", "oM")) else "".join(_piece(part, relations) for part in piece)
        )
    if name not in {"r", "fld"}:
        return ""
    text = find_child(piece, "t")
    words = "" if text is None else (text.text or "")
    properties = find_child(piece, "rPr")
    if properties is not None and 0 < _whole(properties, "sz") < TINY:
        return ""
    link = None if properties is None else find_child(properties, "hlinkClick")
    target = "" if link is None else link_target(relations.get(_relation_id(link)))
    return f"[{words}]({target})" if target and words.strip() else words


def _notes(package: Package, relations: dict[str, Relation]) -> str:
    """The text of the slide's speaker notes."""
    name = next((relation.target for relation in relations.values() if relation.kind == "notesSlide"), "")
    root = package.root(name) if name else None
    tree = None if root is None else find_child(root, "cSld", "spTree")
    texts = [
        _text(body, {}, bulleted=False)
        for shape in ([] if tree is None else _shapes(tree, 0))
        if _placeholder(shape) == "body" and (body := find_child(shape, "txBody")) is not None
    ]
    return "\n".join(text for text in texts if text.strip())
