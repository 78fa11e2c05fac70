"""PowerPoint files: slides in the order they are shown, each with its title, text, tables, pictures and notes."""

import re
from itertools import islice

from assay.documents.document import PAGES, Document, cut
from assay.documents.gfm_table import COLUMNS, gfm
from assay.documents.omml import linear
from assay.documents.ooxml import Package, Relation, address, child
from assay.documents.safe_xml import Element, attribute, local
from assay.documents.safe_xml import prepare as prepare  # noqa: PLC0414 - the jail asks each reader for it

DEPTH = 60
TITLES = {"title", "ctrTitle"}
FURNITURE = {"dt", "ftr", "sldNum", "hdr", "sldImg"}
WHOLE = re.compile(r"-?\d{1,12}")
TINY = 200  # hundredths of a point
DIGITS = re.compile(r"\d{1,4}")


def parse(body: bytes, kind: str) -> Document:
    """Hidden slides are left out. `page_count` counts all slides. UpstreamFailed when the file is broken."""
    package = Package(body, kind)
    main = package.main("ppt/presentation.xml")
    slides, size = _slides(package, main), _size(package.root(main))
    parts, hidden = [], 0
    for place, name in enumerate(slides[:PAGES], 1):
        root = package.root(name)
        if root is None or attribute(root, "show") in {"0", "false"}:
            hidden += root is not None
        else:
            parts.append(_slide(package, name, root, place, size))
    markdown, was_cut = cut("\n\n".join(part for part in parts if part))
    told = package.properties()
    notes = (f"{hidden} hidden slide(s) were left out.",) if hidden else ()
    return Document(
        kind, markdown, told.get("title", ""), told.get("creator", ""), told.get("created", ""), len(slides),
        truncated=was_cut or len(slides) > PAGES, notes=notes,
    )  # fmt: skip


def _slides(package: Package, main: str) -> list[str]:
    """The names of the slides' parts, in the presentation's order."""
    relations = package.relations(main)
    order = child(package.root(main), "sldIdLst")
    found = (relations.get(_relation_id(item)) for item in (() if order is None else order))
    return [relation.target for relation in found if relation and not relation.outside]


def _size(root: Element) -> tuple[int, int]:
    """Of a slide, in the file's own units; zeros where it does not say."""
    told = None if root is None else child(root, "sldSz")
    return (0, 0) if told is None else (_whole(told, "cx"), _whole(told, "cy"))


def _whole(element: Element, name: str) -> int:
    text = attribute(element, name)
    return int(text) if WHOLE.fullmatch(text) else 0


def _is_off(shape: Element, size: tuple[int, int]) -> bool:
    """Whether it stands wholly beside the slide, where no audience sees it."""
    found = child(shape, "spPr", "xfrm")
    found = child(shape, "xfrm") if found is None else found
    place, extent = (None, None) if found is None else (child(found, "off"), child(found, "ext"))
    if place is None or extent is None or not all(size):
        return False
    start = _whole(place, "x"), _whole(place, "y")
    end = start[0] + _whole(extent, "cx"), start[1] + _whole(extent, "cy")
    left, top = _on_slide(shape, *start)
    right, bottom = _on_slide(shape, *end)
    return min(left, right) >= size[0] or min(top, bottom) >= size[1] or max(left, right) < 0 or max(top, bottom) < 0


def _on_slide(shape: Element, x: float, y: float) -> tuple[float, float]:
    """A place within the groups around a shape as a place on the slide."""
    for group in islice(shape.iterancestors(), DEPTH):
        frame = child(group, "grpSpPr", "xfrm") if local(group) == "grpSp" else None
        parts = [] if frame is None else [child(frame, name) for name in ("off", "ext", "chOff", "chExt")]
        if parts and all(part is not None for part in parts):
            off, extent, inner_off, inner_extent = parts
            wide, high = _whole(inner_extent, "cx"), _whole(inner_extent, "cy")
            x = _whole(off, "x") + (x - _whole(inner_off, "x")) * (_whole(extent, "cx") / wide if wide else 1)
            y = _whole(off, "y") + (y - _whole(inner_off, "y")) * (_whole(extent, "cy") / high if high else 1)
    return x, y


def _relation_id(item: Element) -> str:
    """`r:id`; the bare `id` is the slide's number."""
    return next((str(item.get(key)) for key in item.keys() if key.endswith("}id")), "")  # noqa: SIM118 - items() is quadratic


def _slide(package: Package, name: str, root: Element, place: int, size: tuple[int, int]) -> str:
    relations = package.relations(name)
    tree = child(root, "cSld", "spTree")
    title, blocks = "", []
    for shape in _shapes(tree, 0) if tree is not None else []:
        if _is_off(shape, size):
            continue
        kind = _placeholder(shape)
        text = _shape(shape, relations, plain=kind in TITLES)
        if kind in TITLES and not title:
            title = " ".join(text.split())
        elif kind not in FURNITURE and text.strip():
            blocks.append(text)
    spoken = _notes(package, relations)
    if not (title or blocks or spoken):
        return ""
    heading = f"## {title}" if title else f"## Slide {place}"
    return "\n\n".join([heading, *blocks, *([f"Notes: {spoken}"] if spoken else [])])


def _shapes(tree: Element, depth: int) -> list[Element]:
    """All shapes that are shown, groups opened."""
    found: list[Element] = []
    for part in tree if depth <= DEPTH else ():
        name = local(part)
        if name in {"grpSp", "AlternateContent", "Choice"}:
            found += _shapes(part, depth + 1)
        elif name in {"sp", "graphicFrame", "pic", "cxnSp"} and not _is_hidden(part):
            found.append(part)
    return found


def _own(shape: Element, name: str) -> Element:
    """`nvSpPr`, `nvPicPr` …: the shape's properties that are not looks; then a part of them."""
    properties = next((part for part in shape if local(part).startswith("nv")), None)
    return None if properties is None else child(properties, *name.split("/"))


def _is_hidden(shape: Element) -> bool:
    told = _own(shape, "cNvPr")
    return told is not None and attribute(told, "hidden") in {"1", "true"}


def _placeholder(shape: Element) -> str:
    found = _own(shape, "nvPr/ph")
    return "" if found is None else attribute(found, "type") or "body"


def _shape(shape: Element, relations: dict[str, Relation], *, plain: bool = False) -> str:
    name = local(shape)
    if name == "pic":
        return _description(shape)
    if name == "graphicFrame":
        table = next((part for part in shape.iter() if local(part) == "tbl"), None)
        return (
            _description(shape)
            if table is None
            else gfm([_cells(row, relations) for row in table if local(row) == "tr"])
        )
    body = child(shape, "txBody")
    if body is None:
        return ""
    bulleted = not plain and _placeholder(shape) in {"body", "obj"}
    return _text(body, relations, bulleted=bulleted)


def _description(shape: Element) -> str:
    told = _own(shape, "cNvPr")
    words = "" if told is None else " ".join(attribute(told, "descr").split())
    return f"![{words}]" if words else ""


def _cells(row: Element, relations: dict[str, Relation]) -> list[str]:
    """A row's cells; what a merge covers is empty."""
    cells = [cell for cell in row if local(cell) == "tc"][:COLUMNS]
    return [
        "" if {attribute(cell, "hMerge"), attribute(cell, "vMerge")} & {"1", "true"} else _cell(cell, relations)
        for cell in cells
    ]


def _cell(cell: Element, relations: dict[str, Relation]) -> str:
    body = child(cell, "txBody")
    return "" if body is None else _text(body, relations, bulleted=False)


def _text(body: Element, relations: dict[str, Relation], *, bulleted: bool) -> str:
    """Paragraphs a line each; bullets where the placeholder or the paragraph has them, by level."""
    lines, count = [], 0
    for paragraph in body:
        text = _paragraph(paragraph, relations).strip() if local(paragraph) == "p" else ""
        if not text:
            continue
        properties = child(paragraph, "pPr")
        level = 0 if properties is None else _level(attribute(properties, "lvl"))
        mark = _mark(properties, bulleted or level > 0)
        count = count + 1 if mark == "1." else 0
        lines.append(f"{'  ' * level if mark else ''}{f'{count}. ' if count else f'{mark} ' if mark else ''}{text}")
    return "\n".join(lines)


def _level(text: str) -> int:
    return min(int(text), 8) if DIGITS.fullmatch(text) else 0


def _mark(properties: Element, bulleted: bool) -> str:
    kinds = set() if properties is None else {local(item) for item in properties}
    if "buNone" in kinds:
        return ""
    if "buAutoNum" in kinds:
        return "1."
    return "-" if bulleted or "buChar" in kinds else ""


def _paragraph(paragraph: Element, relations: dict[str, Relation]) -> str:
    return "".join(_piece(piece, relations) for piece in paragraph)


def _piece(piece: Element, relations: dict[str, Relation]) -> str:
    name = local(piece)
    if name == "br":
        return " "
    if name in {"AlternateContent", "Choice", "m", "oMathPara", "oMath"}:
        return linear(piece) if name.startswith(("m", "oM")) else "".join(_piece(part, relations) for part in piece)
    if name not in {"r", "fld"}:
        return ""
    text = child(piece, "t")
    words = "" if text is None else (text.text or "")
    properties = child(piece, "rPr")
    if properties is not None and 0 < _whole(properties, "sz") < TINY:
        return ""
    link = None if properties is None else child(properties, "hlinkClick")
    target = "" if link is None else address(relations.get(_relation_id(link)))
    return f"[{words}]({target})" if target and words.strip() else words


def _notes(package: Package, relations: dict[str, Relation]) -> str:
    """What the speaker is to say."""
    name = next((relation.target for relation in relations.values() if relation.kind == "notesSlide"), "")
    root = package.root(name) if name else None
    tree = None if root is None else child(root, "cSld", "spTree")
    texts = [
        _text(body, {}, bulleted=False)
        for shape in ([] if tree is None else _shapes(tree, 0))
        if _placeholder(shape) == "body" and (body := child(shape, "txBody")) is not None
    ]
    return "\n".join(text for text in texts if text.strip())
