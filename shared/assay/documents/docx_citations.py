"""Reads a Word file as a manuscript: with the fields of reference managers, superscript numbers and hidden passages.

The Markdown of `docx` gets marks of private-use characters, which the text of a file cannot contain: around what a
citation field shows, with the number of the field, and around a list of references that a field generates.
"""

import base64
import binascii
import re
from dataclasses import asdict, dataclass, field
from typing import Any

from assay.documents.document import Document, truncate_text
from assay.documents.docx import DocxReader
from assay.documents.docx_formatting import RunFormat
from assay.documents.docx_inline import Inline
from assay.documents.endnote_fields import convert_endnote
from assay.documents.office_emphasis import mark_markup
from assay.documents.ooxml import Package, Relation, find_child
from assay.documents.pdf_parallel import Helper
from assay.text.safe_xml import Element, get_attribute, local_name
from assay.text.safe_xml import prepare as prepare  # noqa: PLC0414 - the sandbox worker calls it in each parser module

FIELD, SHOWN, END = "\ue000", "\ue001", "\ue002"  # FIELD number SHOWN text END
LIST, LIST_END = "\ue003", "\ue004"
PRIVATE = re.compile("[\ue000-\ue004]")
CITATION = re.compile(
    r"\s*(?:ADDIN\s+(?:ZOTERO_ITEM|CSL_CITATION|EN\.CITE(?!\.DATA)|Mendeley Citation)|CITATION\s)|<EndNote\b",
    re.IGNORECASE,
)
GENERATED = re.compile(
    r"\s*(?:ADDIN\s+(?:ZOTERO_BIBL|EN\.REFLIST|Mendeley Bibliography)|BIBLIOGRAPHY\b)", re.IGNORECASE
)
MENDELEY = "MENDELEY_CITATION_v3_"
RAISED = re.compile(r"\s*\d{1,4}(?:\s?[,–—-]\s?\d{1,4}){0,60}\s*|\s*[,–—-]\s*")
SIGNED = re.compile(r"[-−–+]\d{1,4}")
SOURCE_FIELDS = (
    "Tag", "SourceType", "Title", "Year", "JournalName", "BookTitle", "ConferenceName", "Volume", "Issue", "Pages",
    "Publisher", "City", "URL", "DOI", "StandardNumber", "InternetSiteTitle",
)  # fmt: skip
CODE_CHARS = 500_000  # of one field
CODES_CHARS = 20_000_000  # of all fields
HIDDEN_CHARS = 200_000
SOURCE_PARTS, SOURCES, PEOPLE = 20, 10_000, 500

type Answer = dict[str, Any]


def answer(body: bytes, how: str, deadline: float, helper: Helper | None) -> Answer:  # noqa: ARG001  # of all parsers
    """Return the document as a dictionary, with `fields` (codes by number), `sources` and `hidden` passages."""
    package = Package(body, "docx")
    main = package.main("word/document.xml")
    reader = CitationReader(package, main)
    text = reader.markdown(find_child(package.root(main), "body"))
    markdown, was_cut = truncate_text(text)
    metadata = package.properties()
    document = Document("docx", markdown, metadata.get("title", ""), metadata.get("creator", ""), truncated=was_cut)
    inline = reader.citations
    found = {"fields": inline.codes, "hidden": inline.list_hidden(), "sources": read_sources(package, main)}
    return asdict(document) | found


@dataclass
class OpenField:
    """A complex field (`w:fldChar`) of which the beginning was read."""

    code: list[str] = field(default_factory=list)
    ending: str = ""  # the mark to write at its end
    is_shown: bool = False  # its result is being read


class CitationReader(DocxReader):
    """Converts the main part to Markdown with marks."""

    def _build_inline(self, relations: dict[str, Relation]) -> Inline:
        self.citations = CitationInline(self.styles, relations, self.notes, self.boxes.append)
        return self.citations


@dataclass
class CitationInline(Inline):
    """Inline content with marks of fields. `codes` are the instructions of the citation fields, by number."""

    codes: list[str] = field(default_factory=list)
    _fields: list[OpenField] = field(default_factory=list)
    _code_chars: int = 0
    _hidden: dict[Element, list[str]] = field(default_factory=dict)  # by paragraph
    _hidden_chars: int = 0

    def _read_part(self, part: Element, depth: int, outer: RunFormat) -> str:
        name = local_name(part)
        if name == "fldChar":
            return self._read_field_character(part)
        if name == "instrText" and self._fields:
            self._fields[-1].code.append(part.text or "")
            return ""
        if name == "t":
            return PRIVATE.sub("", part.text or "")
        if name == "fldSimple":
            opening, ending = self._mark(get_attribute(part, "instr"))
            return opening + self.read_text(part, depth, outer=outer) + ending
        if name == "sdt":
            opening, ending = self._mark(_read_mendeley(part))
            return opening + self.read_text(part, depth, outer=outer) + ending
        return super()._read_part(part, depth, outer)

    def _read_field_character(self, character: Element) -> str:
        kind = get_attribute(character, "fldCharType")
        if kind == "begin":
            self._fields.append(OpenField())
            self._fields[0].code.append(_read_field_data(find_child(character, "fldData")))
        elif kind == "separate" and self._fields and not self._fields[-1].is_shown:
            opening, self._fields[-1].ending = self._mark("".join(self._fields[-1].code))
            self._fields[-1].is_shown = True
            return opening
        elif kind == "end" and self._fields:
            return self._fields.pop().ending
        return ""

    def _mark(self, code: str) -> tuple[str, str]:
        """Return the marks before and behind what the field shows; "" for other fields."""
        if GENERATED.match(code):
            return mark_markup(LIST), mark_markup(LIST_END)
        if not CITATION.match(code) or len(code) > CODE_CHARS or self._code_chars + len(code) > CODES_CHARS:
            return "", ""
        if len(self._fields) > 1 and any(END in each.ending for each in self._fields[:-1]):
            return "", ""  # part of another citation
        self._code_chars += len(code)
        self.codes.append(convert_endnote(code))
        return mark_markup(f"{FIELD}{len(self.codes) - 1}{SHOWN}"), mark_markup(END)

    def _read_run(self, run: Element, depth: int, outer: RunFormat) -> str:
        text = super()._read_run(run, depth, outer)
        first = run[0] if len(run) and text else None
        raised = find_child(first, "vertAlign") if first is not None and local_name(first) == "rPr" else None
        if raised is not None and get_attribute(raised, "val") == "superscript" and RAISED.fullmatch(text):
            return f"^{text.strip()}^"
        return text

    def emphasise(self, text: str, run: RunFormat) -> str:  # noqa: ARG002 - claims and citations are read as text
        return text

    def raise_text(self, text: str) -> str:
        """Mark exponents with a sign alone: other raised numbers cite, and letters refer to affiliations."""
        return super().raise_text(text) if SIGNED.fullmatch(text) else text

    def leave_out(self, run: Element) -> None:
        """Keep the text of a hidden run, with that of the other hidden runs of its paragraph."""
        super().leave_out(run)
        paragraph = next(run.iterancestors("{*}p"), run)
        text = "".join(item.text or "" for item in run.iter("{*}t"))[: HIDDEN_CHARS - self._hidden_chars]
        self._hidden_chars += len(text)
        if text:
            self._hidden.setdefault(paragraph, []).append(text)

    def list_hidden(self) -> list[str]:
        return ["".join(texts) for texts in self._hidden.values()]


def _read_field_data(data: Element) -> str:
    """Return the records that EndNote stores beside the instructions of a field; "" for other data."""
    if data is None or len(data.text or "") > CODE_CHARS:
        return ""
    try:
        decoded = base64.b64decode(data.text or "")
    except binascii.Error:
        return ""
    text = decoded.decode("utf-16-le" if b"<\0" in decoded[:64] else "utf-8", "replace")
    return text if "<EndNote" in text[:200] else ""


def _read_mendeley(control: Element) -> str:
    """Return the citation that Mendeley Cite stores in the tag of a content control, as the code of a field."""
    tag = find_child(control, "sdtPr", "tag")
    value = "" if tag is None else get_attribute(tag, "val")
    if not value.startswith(MENDELEY) or len(value) > CODE_CHARS:
        return ""
    try:
        decoded = base64.b64decode(value.removeprefix(MENDELEY), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return ""
    return f"ADDIN CSL_CITATION {decoded}"


def read_sources(package: Package, main: str) -> list[dict[str, Any]]:
    """Return the sources that Word stores with the file (`b:Sources`): fields by name, and people as name pairs."""
    parts = [each.target for each in package.relations(main).values() if each.kind == "customXml" and not each.outside]
    sources: list[dict[str, Any]] = []
    for part in parts[:SOURCE_PARTS]:
        root = package.root(part)
        if root is None or local_name(root) != "Sources":
            continue
        items = list(root)[: SOURCES - len(sources)]
        sources += [_read_source(item) for item in items if local_name(item) == "Source"]
    return sources


def _read_source(item: Element) -> dict[str, Any]:
    values: dict[str, Any] = {
        name: " ".join((each.text or "").split())[:5_000]
        for each in item
        if (name := local_name(each)) in SOURCE_FIELDS
    }
    roles = find_child(item, "Author")
    authors = None if roles is None else find_child(roles, "Author")
    people = [] if authors is None else [each for each in authors.iter() if local_name(each) in ("Person", "Corporate")]
    values["people"] = [
        (each.text or "", "")
        if local_name(each) == "Corporate"
        else (_read_child(each, "Last"), _read_child(each, "First"))
        for each in people[:PEOPLE]
    ]
    return values


def _read_child(element: Element, name: str) -> str:
    child = find_child(element, name)
    return "" if child is None else (child.text or "")[:500]
