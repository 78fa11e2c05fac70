"""Parser for OpenDocument texts (ODF 1.3, OASIS): headings, paragraphs, lists, tables and notes."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field

from assay.documents.document import NAMES, Document, truncate_text
from assay.documents.docx_formatting import PAPER, is_similar_color
from assay.documents.gfm_table import format_table
from assay.documents.ooxml import UNSAFE, find_child
from assay.documents.safe_zip import OfficeArchive
from assay.errors import InvalidInput, UpstreamFailed
from assay.text.safe_xml import Element, get_attribute, local_name, parse_xml
from assay.text.safe_xml import prepare as prepare  # noqa: PLC0414 - the sandbox worker calls it in each parser module

DEPTH = 60  # maximum nesting
SKIPPED = frozenset((
    *("tracked-changes", "hidden-text", "hidden-paragraph", "annotation", "annotation-end", "ruby-text", "forms"),
    *("sequence-decls", "variable-decls", "user-field-decls", "bookmark-ref", "script", "event-listeners"),
))  # fmt: skip
REPEATS = 100  # maximum of `number-columns-repeated`
MANIFEST = "META-INF/manifest.xml"


def parse(body: bytes, kind: str) -> Document:
    """Convert the document to Markdown, without hidden and deleted text.

    Raises InvalidInput for an encrypted file or a decompression bomb, UpstreamFailed for a damaged one.
    """
    archive = OfficeArchive(body, NAMES[kind])
    if b"encryption-data" in archive.read(MANIFEST):
        raise InvalidInput(f"The {NAMES[kind]} is encrypted: a password is needed to read it.")
    content = _parse_root(archive, "content.xml", kind)
    if content is None:
        raise UpstreamFailed(f"The {NAMES[kind]} lacks its main part, content.xml.")
    styles = OpenDocumentStyles()
    for root in (_parse_root(archive, "styles.xml", kind), content):
        styles.add(root)
    reader = OpenDocumentReader(styles)
    reader.fill(find_child(content, "body", "text"), 0, "")
    for number, note in enumerate(reader.notes, 1):  # the loop also covers notes referenced in notes
        reader.blocks.append(f"[^{number}]: {reader.join(note)}")
    markdown, was_cut = truncate_text("\n\n".join(block for block in reader.blocks if block.strip()))
    metadata = _read_properties(_parse_root(archive, "meta.xml", kind))
    notes = (f"{reader.hidden} hidden piece(s) of text were left out.",) if reader.hidden else ()
    return Document(
        kind, markdown, metadata.get("title", ""), metadata.get("initial-creator") or metadata.get("creator", ""),
        metadata.get("creation-date", "")[:19], truncated=was_cut, notes=notes,
    )  # fmt: skip


def _parse_root(archive: OfficeArchive, name: str, kind: str) -> Element:
    part = archive.read(name)
    return parse_xml(part, f"{NAMES[kind]}'s {name}") if part.strip() else None


def _read_properties(root: Element) -> dict[str, str]:
    meta = None if root is None else find_child(root, "meta")
    return (
        {}
        if meta is None
        else {local_name(item): " ".join((item.text or "").split()) for item in meta if local_name(item)}
    )


@dataclass
class OpenDocumentStyles:
    """The styles that hide their text, and the numbered list styles."""

    hidden: set[str] = field(default_factory=set)
    parents: dict[str, str] = field(default_factory=dict)
    numbered: set[str] = field(default_factory=set)

    def add(self, root: Element) -> None:
        """Collect the styles in `root`, which may be None."""
        if root is None:
            return
        for style in root.iter("{*}style"):
            name = get_attribute(style, "name")
            self.parents[name] = get_attribute(style, "parent-style-name")
            if any(_hides(properties) for properties in style if local_name(properties) == "text-properties"):
                self.hidden.add(name)
        for style in root.iter("{*}list-style"):
            first = next(iter(style), None)
            if first is not None and local_name(first) == "list-level-style-number":
                self.numbered.add(get_attribute(style, "name"))

    def hides(self, name: str) -> bool:
        """Whether the style or one of its parents hides its text."""
        for _ in range(20):
            if name in self.hidden or not name:
                return bool(name)
            name = self.parents.get(name, "")
        return False


def _hides(properties: Element) -> bool:
    """Whether the text is not displayed, or white without a background colour."""
    if get_attribute(properties, "display") == "none":
        return True
    ground = get_attribute(properties, "background-color")
    is_white = is_similar_color(get_attribute(properties, "color").removeprefix("#"), PAPER)
    return is_white and ground in ("", "transparent", "#ffffff")


class OpenDocumentReader:
    """Collects Markdown in `blocks`; `notes` are the note elements in order of reference."""

    def __init__(self, styles: OpenDocumentStyles) -> None:
        self.blocks: list[str] = []
        self.notes: list[Element] = []
        self.hidden = 0
        self._styles = styles
        self._counts: dict[int, int] = defaultdict(int)

    def fill(self, element: Element, depth: int, marker: str) -> None:
        """Add the blocks in `element`; `marker` is the list marker of its first paragraph, "" outside a list."""
        for part in element if element is not None and depth < DEPTH else ():
            name = local_name(part)
            if name in SKIPPED or not name:
                continue
            if name == "p":
                marker = self._paragraph(part, marker)
            elif name in READERS:
                READERS[name](self, part, depth, len(marker))
            elif get_attribute(part, "display") != "none":
                self.fill(part, depth + 1, marker)

    def _paragraph(self, paragraph: Element, marker: str) -> str:
        """Add a paragraph; return the marker or indentation for the next paragraph of the same item."""
        text = self.read_inline(paragraph).strip()
        if not text or not marker:
            self.blocks.append(text)
            return marker
        self._add_item(marker + text.replace("\n", " "))
        return " " * len(marker)

    def add_heading(self, heading: Element, *_: int) -> None:
        level = get_attribute(heading, "outline-level")
        text = " ".join(self.read_inline(heading).split())
        if text:
            self.blocks.append("#" * min(6, max(1, int(level) if level.isdecimal() else 1)) + " " + text)

    def _add_item(self, line: str) -> None:
        """Add a list item, in the same block as the item before it."""
        last = self.blocks[-1] if self.blocks else ""
        if last.rpartition("\n")[2].lstrip().startswith(("- ", *(f"{digit}" for digit in range(1, 10)))):
            self.blocks[-1] += "\n" + line
        else:
            self.blocks.append(line)

    def add_table(self, table: Element, depth: int, _: int) -> None:
        self.blocks.append(format_table(self._list_rows(table, depth)))

    def add_list(self, listing: Element, depth: int, indent: int) -> None:
        numbered = get_attribute(listing, "style-name") in self._styles.numbered
        for number, item in enumerate(
            (part for part in listing if local_name(part) in ("list-item", "list-header")), 1
        ):
            self.fill(item, depth + 1, " " * indent + (f"{number}. " if numbered else "- "))

    def _list_rows(self, table: Element, depth: int) -> list[list[str]]:
        rows = []
        for part in table if depth < DEPTH else ():
            name = local_name(part)
            if name == "table-row" and get_attribute(part, "visibility") not in ("collapse", "filter"):
                rows.append(self._read_cells(part, depth))
            elif name in ("table-header-rows", "table-rows", "table-row-group"):
                rows += self._list_rows(part, depth + 1)
        return rows

    def _read_cells(self, row: Element, depth: int) -> list[str]:
        cells: list[str] = []
        for cell in row:
            repeated = get_attribute(cell, "number-columns-repeated")
            times = min(int(repeated), REPEATS) if repeated.isdecimal() else 1
            if local_name(cell) == "table-cell":
                outer, self.blocks = self.blocks, []
                self.fill(cell, depth + 2, "")
                text, self.blocks = "\n".join(self.blocks), outer
                cells += [text] * times
            elif local_name(cell) == "covered-table-cell":
                cells += [""] * times
        return cells

    def join(self, element: Element) -> str:
        """Join the paragraphs of a note into one line."""
        outer, self.blocks = self.blocks, []
        self.fill(element, 1, "")
        text, self.blocks = " ".join(self.blocks), outer
        return " ".join(text.split())

    def read_inline(self, element: Element, depth: int = 0) -> str:
        """The visible text of a paragraph or span as inline Markdown."""
        if depth > DEPTH:
            return ""
        if self._styles.hides(get_attribute(element, "style-name")):
            self.hidden += 1
            return ""
        pieces = [element.text or ""]
        for part in element:
            pieces += [self._read_piece(part, depth), part.tail or ""]
        return "".join(pieces)

    def _read_piece(self, part: Element, depth: int) -> str:
        name = local_name(part)
        if name in SKIPPED or not name:
            self.hidden += name.startswith("hidden-")
            return ""
        if name == "s":
            count = get_attribute(part, "c")
            return " " * (min(int(count), 100) if count.isdecimal() else 1)
        if name in ("tab", "line-break"):
            return " " if name == "tab" else "\n"
        if name == "note":
            self.notes.append(find_child(part, "note-body"))
            return f"[^{len(self.notes)}]"
        text = self.read_inline(part, depth + 1)
        target = get_attribute(part, "href") if name == "a" else ""
        if target.startswith(("http://", "https://", "mailto:")) and text.strip():
            return f"[{text}]({UNSAFE.sub(lambda found: f'%{ord(found.group()) % 256:02X}', target)})"
        return text


READERS: dict[str, Callable[[OpenDocumentReader, Element, int, int], None]] = {
    "h": OpenDocumentReader.add_heading,
    "list": OpenDocumentReader.add_list,
    "table": OpenDocumentReader.add_table,
}
