"""Parser for PowerPoint files (PresentationML, ECMA-376 part 1 clause 19): titles, text, tables, pictures, notes."""

import re
from dataclasses import dataclass

from assay.documents.document import PAGES, Document, truncate_text
from assay.documents.gfm_table import COLUMNS, format_table
from assay.documents.office_graphics import format_graphic
from assay.documents.omml import format_linear
from assay.documents.ooxml import Package, Relation, find_child, link_target
from assay.documents.pptx_colors import SlideColors, Templates
from assay.documents.pptx_visibility import DEPTH, find_own_property, is_hidden_shape, is_off_slide, read_whole
from assay.documents.safe_xml import Element, get_attribute, local_name
from assay.documents.safe_xml import prepare as prepare  # noqa: PLC0414 - the sandbox worker calls it in each parser module

TITLES = {"title", "ctrTitle"}
SKIPPED_PLACEHOLDERS = {"dt", "ftr", "sldNum", "hdr", "sldImg"}
DIGITS = re.compile(r"\d{1,4}")


def parse(body: bytes, kind: str) -> Document:
    """Convert the visible slides to Markdown, in order; `page_count` includes hidden slides.

    Raises InvalidInput for an encrypted file or a decompression bomb, UpstreamFailed for a damaged one.
    """
    package = Package(body, kind)
    main = package.main("ppt/presentation.xml")
    slides, size = _slides(package, main), _size(package.root(main))
    templates = Templates(package)
    parts, hidden = [], 0
    for place, name in enumerate(slides[:PAGES], 1):
        root = package.root(name)
        if root is None or get_attribute(root, "show") in {"0", "false"}:
            hidden += root is not None
        else:
            reader = SlideReader(package, package.relations(name), SlideColors(templates, name, root))
            parts.append(reader.markdown(root, place, size))
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
    return (0, 0) if size is None else (read_whole(size, "cx"), read_whole(size, "cy"))


def _relation_id(item: Element) -> str:
    """The `r:id` attribute; `id` without a namespace is the slide's number."""
    return next((str(item.get(key)) for key in item.keys() if key.endswith("}id")), "")  # noqa: SIM118 - items() is quadratic


@dataclass
class SlideReader:
    """Converts one slide, or its notes, to Markdown."""

    package: Package
    relations: dict[str, Relation]
    colors: SlideColors

    def markdown(self, root: Element, place: int, size: tuple[int, int]) -> str:
        tree = find_child(root, "cSld", "spTree")
        title, blocks = "", []
        for shape in _shapes(tree, 0) if tree is not None else []:
            if is_off_slide(shape, size):
                continue
            kind = _placeholder(shape)
            text = self._shape(shape, is_title=kind in TITLES)
            if kind in TITLES and not title:
                title = " ".join(text.split())
            elif kind not in SKIPPED_PLACEHOLDERS and text.strip():
                blocks.append(text)
        speaker_notes = self._notes()
        if not (title or blocks or speaker_notes):
            return ""
        heading = f"## {title}" if title else f"## Slide {place}"
        return "\n\n".join([heading, *blocks, *([f"Notes: {speaker_notes}"] if speaker_notes else [])])

    def _shape(self, shape: Element, *, is_title: bool = False) -> str:
        name = local_name(shape)
        if name == "pic":
            return _description(shape)
        if name == "graphicFrame":
            table = next((part for part in shape.iter() if local_name(part) == "tbl"), None)
            if table is not None:
                return format_table([self._cells(row, shape) for row in table if local_name(row) == "tr"])
            graphic = format_graphic(self.package, self.relations, shape)
            return "\n\n".join(part for part in (_description(shape), graphic) if part)
        body = find_child(shape, "txBody")
        if body is None:
            return ""
        return self._text(body, shape, bulleted=not is_title and _placeholder(shape) in {"body", "obj"})

    def _cells(self, row: Element, shape: Element) -> list[str]:
        """A row's cells; merged continuation cells are empty."""
        cells = [cell for cell in row if local_name(cell) == "tc"][:COLUMNS]
        return ["" if _is_merged(cell) else self._cell(cell, shape) for cell in cells]

    def _cell(self, cell: Element, shape: Element) -> str:
        body = find_child(cell, "txBody")
        ground = self.colors.read_cell_fill(cell)
        return "" if body is None else self._text(body, shape, ground, bulleted=False)

    def _text(self, body: Element, shape: Element, ground: str | None = None, *, bulleted: bool) -> str:
        """One line per paragraph, with list markers and indentation by level."""
        lines, count = [], 0
        for paragraph in body:
            if local_name(paragraph) != "p":
                continue
            properties = find_child(paragraph, "pPr")
            level = 0 if properties is None else _level(get_attribute(properties, "lvl"))
            default = find_child(body, "lstStyle", f"lvl{level + 1}pPr", "defRPr")
            text = "".join(self._piece(piece, default, shape, ground) for piece in paragraph).strip()
            if not text:
                continue
            mark = _mark(properties, bulleted or level > 0)
            count = count + 1 if mark == "1." else 0
            lines.append(f"{'  ' * level if mark else ''}{f'{count}. ' if count else f'{mark} ' if mark else ''}{text}")
        return "\n".join(lines)

    def _piece(self, piece: Element, default: Element, shape: Element, ground: str | None) -> str:
        name = local_name(piece)
        if name == "br":
            return " "
        if name in {"m", "oMathPara", "oMath"}:
            return format_linear(piece)
        if name in {"AlternateContent", "Choice"}:
            return "".join(self._piece(part, default, shape, ground) for part in piece)
        if name not in {"r", "fld"}:
            return ""
        text = find_child(piece, "t")
        words = "" if text is None else (text.text or "")
        properties = find_child(piece, "rPr")
        formats = [found for found in (properties, default) if found is not None]
        if self.colors.is_hidden(formats, shape, ground):
            return ""
        link = None if properties is None else find_child(properties, "hlinkClick")
        target = "" if link is None else link_target(self.relations.get(_relation_id(link)))
        return f"[{words}]({target})" if target and words.strip() else words

    def _notes(self) -> str:
        """The text of the slide's speaker notes."""
        name = next((relation.target for relation in self.relations.values() if relation.kind == "notesSlide"), "")
        root = self.package.root(name) if name else None
        tree = None if root is None else find_child(root, "cSld", "spTree")
        reader = SlideReader(self.package, {}, SlideColors(Templates(self.package), name, root))
        texts = [
            reader._text(body, shape, bulleted=False)
            for shape in ([] if tree is None else _shapes(tree, 0))
            if _placeholder(shape) == "body" and (body := find_child(shape, "txBody")) is not None
        ]
        return "\n".join(text for text in texts if text.strip())


def _shapes(tree: Element, depth: int) -> list[Element]:
    """All visible shapes, including those in groups."""
    found: list[Element] = []
    for part in tree if depth <= DEPTH else ():
        name = local_name(part)
        if name in {"grpSp", "AlternateContent", "Choice"} and not is_hidden_shape(part):
            found += _shapes(part, depth + 1)
        elif name in {"sp", "graphicFrame", "pic", "cxnSp"} and not is_hidden_shape(part):
            found.append(part)
    return found


def _placeholder(shape: Element) -> str:
    found = find_own_property(shape, "nvPr/ph")
    return "" if found is None else get_attribute(found, "type") or "body"


def _description(shape: Element) -> str:
    properties = find_own_property(shape, "cNvPr")
    words = "" if properties is None else " ".join(get_attribute(properties, "descr").split())
    return f"![{words}]" if words else ""


def _is_merged(cell: Element) -> bool:
    return bool({get_attribute(cell, "hMerge"), get_attribute(cell, "vMerge")} & {"1", "true"})


def _level(text: str) -> int:
    return min(int(text), 8) if DIGITS.fullmatch(text) else 0


def _mark(properties: Element, bulleted: bool) -> str:
    kinds = set() if properties is None else {local_name(item) for item in properties}
    if "buNone" in kinds:
        return ""
    if "buAutoNum" in kinds:
        return "1."
    return "-" if bulleted or "buChar" in kinds else ""
