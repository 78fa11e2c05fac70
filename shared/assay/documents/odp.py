"""Parser for OpenDocument presentations (ODF 1.3 part 3, section 10): titles, text, tables, pictures and notes."""

import re
from collections.abc import Iterator

from assay.documents.document import PAGES, Document, truncate_text
from assay.documents.document_comments import Comment, format_comments
from assay.documents.ooxml import find_child
from assay.documents.opendocument import SHAPES, OpenDocumentReader
from assay.documents.opendocument_boxes import BoxGrounds, to_points
from assay.documents.opendocument_comments import read_author
from assay.documents.opendocument_formulas import FormulaReader
from assay.documents.opendocument_package import CONTENT, open_archive, parse_root, read_properties
from assay.documents.opendocument_styles import OpenDocumentStyles
from assay.documents.opendocument_tables import DEPTH
from assay.html.reader.markdown_escapes import unescape_markdown
from assay.text.safe_xml import Element, get_attribute, local_name
from assay.text.safe_xml import prepare as prepare  # noqa: PLC0414 - the sandbox worker calls it in each parser module

SKIPPED_CLASSES = frozenset(("header", "footer", "date-time", "page-number", "page", "handout"))
DRAWINGS = (SHAPES | {"frame"}) - {"g"}
UNSEEN = frozenset(("none", "printer"))
LENGTH = re.compile(r"(-?\d{1,6}(?:\.\d{0,6})?)(cm|mm|in|pt|pc|px)")

type Size = tuple[float, float]  # width and height in points


def parse(body: bytes, kind: str) -> Document:
    """Convert the visible slides to Markdown, in order; `page_count` includes hidden slides.

    Raises InvalidInput for an encrypted file or a decompression bomb, UpstreamFailed for a damaged one.
    """
    archive = open_archive(body, kind)
    parts = (parse_root(archive, "styles.xml", kind), parse_root(archive, CONTENT, kind))
    presentation = find_child(parts[1], "body", "presentation")
    slides = [] if presentation is None else [part for part in presentation if local_name(part) == "page"]
    reader = PresentationReader(FormulaReader(archive), parts)
    texts = [reader.read_slide(slide, place) for place, slide in enumerate(slides[:PAGES], 1)]
    markdown, was_cut = truncate_text("\n\n".join(text for text in texts if text))
    comments, are_cut = format_comments(reader.comments)
    metadata = read_properties(archive, kind)
    return Document(
        kind, markdown, metadata.get("title", ""), metadata.get("initial-creator") or metadata.get("creator", ""),
        metadata.get("creation-date", "")[:19], len(slides),
        truncated=was_cut or are_cut or len(slides) > PAGES, notes=reader.list_notes(), comments=comments,
    )  # fmt: skip


class PresentationReader:
    """Converts slides to Markdown, with the styles and masters in the parts of a file; parts may be None."""

    def __init__(self, formulas: FormulaReader, parts: tuple[Element, ...]) -> None:
        self._styles = OpenDocumentStyles()
        self._hidden_styles: set[str] = set()
        self._masters: dict[str, tuple[str, Size | None]] = {}  # the style and the size of the slides of each
        for part in parts:
            self._styles.add(part)
            if part is not None:
                self._add_masters(part)
        self._reader = OpenDocumentReader(self._styles, formulas, BoxGrounds(self._styles, parts))
        self._hidden = 0
        self.comments: list[Comment] = []

    def _add_masters(self, part: Element) -> None:
        for style in part.iter("{*}drawing-page-properties"):
            if get_attribute(style, "visibility") == "hidden":
                self._hidden_styles.add(get_attribute(style.getparent(), "name"))
        layouts = {get_attribute(layout, "name"): layout for layout in part.iter("{*}page-layout")}
        for master in part.iter("{*}master-page"):
            layout = layouts.get(get_attribute(master, "page-layout-name"))
            properties = None if layout is None else find_child(layout, "page-layout-properties")
            size = None if properties is None else _read_lengths(properties, "page-width", "page-height")
            self._masters[get_attribute(master, "name")] = get_attribute(master, "style-name"), size

    def list_notes(self) -> tuple[str, ...]:
        """What a reader of the text has to know about it."""
        slides = (f"{self._hidden} hidden slide(s) were left out.",) if self._hidden else ()
        return slides + self._reader.list_notes()

    def read_slide(self, slide: Element, place: int) -> str:
        """The markdown of a slide; "" if it is hidden or empty."""
        style = get_attribute(slide, "style-name")
        if not self._hidden_styles.isdisjoint(self._styles.list_chain(style)):
            self._hidden += 1
            return ""
        master, size = self._masters.get(get_attribute(slide, "master-page-name"), ("", None))
        title = ""
        drawings: list[Element] = []
        for drawing in _list_drawings(slide, 0):
            kind = get_attribute(drawing, "class")
            if kind in SKIPPED_CLASSES or _is_off_slide(drawing, size):
                continue
            if kind == "title" and not title:
                title = " ".join(self._reader.read_apart(drawing, 1).split())
            else:
                drawings.append(drawing)
        text = self._reader.read_drawings(drawings, is_filled=self._styles.is_filled(style, master, around=False))
        notes = self._read_notes(slide)
        for comment in slide.iterchildren("{*}annotation"):
            said = self._reader.read_apart(comment, 1)
            self.comments.append(Comment(said, read_author(comment), unescape_markdown(title), place))
        if not (title or text or notes):
            return ""
        parts = [f"## {title or f'Slide {place}'}", text, f"Notes: {notes}" if notes else ""]
        return "\n\n".join(part for part in parts if part)

    def _read_notes(self, slide: Element) -> str:
        """The text of the slide's speaker notes."""
        page = find_child(slide, "notes")
        frames = [] if page is None else [part for part in page if get_attribute(part, "class") == "notes"]
        texts = [self._reader.read_apart(frame, 1) for frame in frames]
        return "\n".join(text for text in texts if text.strip())


def _list_drawings(parent: Element, depth: int) -> Iterator[Element]:
    """The visible drawings of a slide, with those in groups and links."""
    for part in parent if depth < DEPTH else ():
        name = local_name(part)
        if get_attribute(part, "display") in UNSEEN:
            continue
        if name in ("g", "a"):
            yield from _list_drawings(part, depth + 1)
        elif name in DRAWINGS:
            yield part


def _is_off_slide(drawing: Element, size: Size | None) -> bool:
    """Whether a drawing is entirely outside the slide; one that is turned has no place of its own."""
    place, extent = _read_lengths(drawing, "x", "y"), _read_lengths(drawing, "width", "height")
    if size is None or place is None or extent is None:
        return False
    return any(start >= most or start + length < 0 for start, length, most in zip(place, extent, size, strict=True))


def _read_lengths(element: Element, *names: str) -> Size | None:
    """Two lengths in points; None if one is missing."""
    one, two = (to_points(LENGTH.fullmatch(get_attribute(element, name))) for name in names)
    return None if one is None or two is None else (one, two)
