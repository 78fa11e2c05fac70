"""OpenDocument texts (ODT): headings, paragraphs, lists, tables and notes in the order of the text."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field

from assay.documents.document import NAMES, Document, cut
from assay.documents.docx_inline import WHITE
from assay.documents.gfm_table import gfm
from assay.documents.ooxml import UNSAFE, child
from assay.documents.safe_xml import Element, attribute, local, root_of
from assay.documents.safe_xml import prepare as prepare  # noqa: PLC0414 - the jail asks each reader for it
from assay.documents.safe_zip import OfficeArchive
from assay.errors import InvalidInput, UpstreamFailed

DEPTH = 60
SKIPPED = frozenset((
    *("tracked-changes", "hidden-text", "hidden-paragraph", "annotation", "annotation-end", "ruby-text", "forms"),
    *("sequence-decls", "variable-decls", "user-field-decls", "bookmark-ref", "script", "event-listeners"),
))  # fmt: skip
REPEATS = 100  # columns that a cell may stand for
MANIFEST = "META-INF/manifest.xml"


def parse(body: bytes, kind: str) -> Document:
    """What a reader of the document sees; hidden and deleted text is left out."""
    archive = OfficeArchive(body, NAMES[kind])
    if b"encryption-data" in archive.read(MANIFEST):
        raise InvalidInput(f"The {NAMES[kind]} is encrypted: a password is needed to read it.")
    content = _root(archive, "content.xml", kind)
    if content is None:
        raise UpstreamFailed(f"The {NAMES[kind]} lacks its main part, content.xml.")
    styles = OpenDocumentStyles()
    for root in (_root(archive, "styles.xml", kind), content):
        styles.add(root)
    reader = OpenDocumentReader(styles)
    reader.fill(child(content, "body", "text"), 0, "")
    for number, note in enumerate(reader.notes, 1):  # notes of notes are added meanwhile
        reader.blocks.append(f"[^{number}]: {reader.join(note)}")
    markdown, was_cut = cut("\n\n".join(block for block in reader.blocks if block.strip()))
    told = _properties(_root(archive, "meta.xml", kind))
    notes = (f"{reader.hidden} hidden piece(s) of text were left out.",) if reader.hidden else ()
    return Document(
        kind, markdown, told.get("title", ""), told.get("initial-creator") or told.get("creator", ""),
        told.get("creation-date", "")[:19], truncated=was_cut, notes=notes,
    )  # fmt: skip


def _root(archive: OfficeArchive, name: str, kind: str) -> Element:
    part = archive.read(name)
    return root_of(part, f"{NAMES[kind]}'s {name}") if part.strip() else None


def _properties(root: Element) -> dict[str, str]:
    meta = None if root is None else child(root, "meta")
    return {} if meta is None else {local(item): " ".join((item.text or "").split()) for item in meta if local(item)}


@dataclass
class OpenDocumentStyles:
    """Which styles hide their text, and which lists are numbered."""

    hidden: set[str] = field(default_factory=set)
    parents: dict[str, str] = field(default_factory=dict)
    numbered: set[str] = field(default_factory=set)

    def add(self, root: Element) -> None:
        if root is None:
            return
        for style in root.iter("{*}style"):
            name = attribute(style, "name")
            self.parents[name] = attribute(style, "parent-style-name")
            if any(_hides(properties) for properties in style if local(properties) == "text-properties"):
                self.hidden.add(name)
        for style in root.iter("{*}list-style"):
            first = next(iter(style), None)
            if first is not None and local(first) == "list-level-style-number":
                self.numbered.add(attribute(style, "name"))

    def hides(self, name: str) -> bool:
        for _ in range(20):
            if name in self.hidden or not name:
                return bool(name)
            name = self.parents.get(name, "")
        return False


def _hides(properties: Element) -> bool:
    """Text that is not displayed, or is white on no ground of its own."""
    if attribute(properties, "display") == "none":
        return True
    ground = attribute(properties, "background-color")
    white = WHITE.fullmatch(attribute(properties, "color").removeprefix("#")) is not None
    return white and ground in ("", "transparent", "#ffffff")


class OpenDocumentReader:
    """Fills `blocks` with markdown; `notes` are the elements of the notes in the order in which they are called."""

    def __init__(self, styles: OpenDocumentStyles) -> None:
        self.blocks: list[str] = []
        self.notes: list[Element] = []
        self.hidden = 0
        self._styles = styles
        self._counts: dict[int, int] = defaultdict(int)

    def fill(self, element: Element, depth: int, marker: str) -> None:
        """The blocks in `element`; `marker` is what its first paragraph begins with, when it is an item of a list."""
        for part in element if element is not None and depth < DEPTH else ():
            name = local(part)
            if name in SKIPPED or not name:
                continue
            if name == "p":
                marker = self._paragraph(part, marker)
            elif name in READERS:
                READERS[name](self, part, depth, len(marker))
            elif attribute(part, "display") != "none":
                self.fill(part, depth + 1, marker)

    def _paragraph(self, paragraph: Element, marker: str) -> str:
        """What the next paragraph of the same item begins with."""
        text = self.inline(paragraph).strip()
        if not text or not marker:
            self.blocks.append(text)
            return marker
        self._item(marker + text.replace("\n", " "))
        return " " * len(marker)

    def add_heading(self, heading: Element, *_: int) -> None:
        level = attribute(heading, "outline-level")
        text = " ".join(self.inline(heading).split())
        if text:
            self.blocks.append("#" * min(6, max(1, int(level) if level.isdecimal() else 1)) + " " + text)

    def _item(self, line: str) -> None:
        """Items of a list stand together."""
        last = self.blocks[-1] if self.blocks else ""
        if last.rpartition("\n")[2].lstrip().startswith(("- ", *(f"{digit}" for digit in range(1, 10)))):
            self.blocks[-1] += "\n" + line
        else:
            self.blocks.append(line)

    def add_table(self, table: Element, depth: int, _: int) -> None:
        self.blocks.append(gfm(self._rows(table, depth)))

    def add_list(self, listing: Element, depth: int, indent: int) -> None:
        numbered = attribute(listing, "style-name") in self._styles.numbered
        for number, item in enumerate((part for part in listing if local(part) in ("list-item", "list-header")), 1):
            self.fill(item, depth + 1, " " * indent + (f"{number}. " if numbered else "- "))

    def _rows(self, table: Element, depth: int) -> list[list[str]]:
        rows = []
        for part in table if depth < DEPTH else ():
            name = local(part)
            if name == "table-row" and attribute(part, "visibility") not in ("collapse", "filter"):
                rows.append(self._cells(part, depth))
            elif name in ("table-header-rows", "table-rows", "table-row-group"):
                rows += self._rows(part, depth + 1)
        return rows

    def _cells(self, row: Element, depth: int) -> list[str]:
        cells: list[str] = []
        for cell in row:
            repeated = attribute(cell, "number-columns-repeated")
            times = min(int(repeated), REPEATS) if repeated.isdecimal() else 1
            if local(cell) == "table-cell":
                outer, self.blocks = self.blocks, []
                self.fill(cell, depth + 2, "")
                text, self.blocks = "\n".join(self.blocks), outer
                cells += [text] * times
            elif local(cell) == "covered-table-cell":
                cells += [""] * times
        return cells

    def join(self, element: Element) -> str:
        """The paragraphs of a note on one line."""
        outer, self.blocks = self.blocks, []
        self.fill(element, 1, "")
        text, self.blocks = " ".join(self.blocks), outer
        return " ".join(text.split())

    def inline(self, element: Element, depth: int = 0) -> str:
        """The text of a paragraph or a span."""
        if depth > DEPTH:
            return ""
        if self._styles.hides(attribute(element, "style-name")):
            self.hidden += 1
            return ""
        pieces = [element.text or ""]
        for part in element:
            pieces += [self._piece(part, depth), part.tail or ""]
        return "".join(pieces)

    def _piece(self, part: Element, depth: int) -> str:
        name = local(part)
        if name in SKIPPED or not name:
            self.hidden += name.startswith("hidden-")
            return ""
        if name == "s":
            count = attribute(part, "c")
            return " " * (min(int(count), 100) if count.isdecimal() else 1)
        if name in ("tab", "line-break"):
            return " " if name == "tab" else "\n"
        if name == "note":
            self.notes.append(child(part, "note-body"))
            return f"[^{len(self.notes)}]"
        text = self.inline(part, depth + 1)
        target = attribute(part, "href") if name == "a" else ""
        if target.startswith(("http://", "https://", "mailto:")) and text.strip():
            return f"[{text}]({UNSAFE.sub(lambda found: f'%{ord(found.group()) % 256:02X}', target)})"
        return text


READERS: dict[str, Callable[[OpenDocumentReader, Element, int, int], None]] = {
    "h": OpenDocumentReader.add_heading,
    "list": OpenDocumentReader.add_list,
    "table": OpenDocumentReader.add_table,
}
