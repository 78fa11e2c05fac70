"""Inline content of Word paragraphs (ECMA-376 part 1 clause 17.3): visible runs, links, symbols, note references."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from assay.documents.document_comments import CommentedWords
from assay.documents.docx_formatting import INHERITED, RunFormat, is_on, read_int, to_run_format
from assay.documents.docx_styles import DocxStyles
from assay.documents.office_emphasis import (
    format_raised,
    mark_formula,
    mark_markup,
    mark_picture,
    mark_raised,
    mark_run,
)
from assay.documents.office_fields import (
    ComplexFields,
    find_link_target,
    is_field_mark,
    mark_link,
)
from assay.documents.office_graphics import GRAPHICS
from assay.documents.omml import format_equation
from assay.documents.ooxml import Relation, find_child, format_link_target
from assay.documents.symbol_fonts import read_private, read_sign
from assay.text.safe_xml import Element, get_attribute, local_name

DEPTH = 120  # maximum nesting
LEFT_OUT = {"del", "moveFrom", "delText", "Fallback", "rPr", "pPr", "rt", "sdtPr"}
BOXES = {"txbxContent", *GRAPHICS}
LITERAL = {"tab": " ", "ptab": " ", "cr": "\n", "noBreakHyphen": "-", "softHyphen": ""}
VML_HIDDEN = re.compile(r"(?:^|;)\s*(?:visibility\s*:\s*hidden|display\s*:\s*none)", re.IGNORECASE)


@dataclass
class Notes:
    """Footnotes and endnotes in the order in which the text references them."""

    called: list[tuple[str, str]] = field(default_factory=list)
    _numbers: dict[tuple[str, str], int] = field(default_factory=dict)

    def mark(self, kind: str, note_id: str) -> str:
        number = self._numbers.setdefault((kind, note_id), len(self.called) + 1)
        if number > len(self.called):
            self.called.append((kind, note_id))
        return mark_markup(f"[^{number}]")


@dataclass
class Inline:
    """Converts runs to marked text. `add_box` receives each text box and chart, whose content follows its paragraph."""

    styles: DocxStyles
    relations: dict[str, Relation]
    notes: Notes
    add_box: Callable[[Element], None]
    hidden: int = 0
    paragraph_format: RunFormat = INHERITED  # in which the emphasis of a run is no difference
    complex_fields: ComplexFields = field(default_factory=ComplexFields)
    commented: CommentedWords = field(default_factory=CommentedWords)

    def read_paragraph(self, paragraph: Element, depth: int, *, outer: RunFormat) -> str:
        """The visible text of a paragraph, with marks of its emphasis, links and what else is markdown."""
        self.paragraph_format = outer
        if self.commented.open:
            self.commented.add(" ")
        return format_raised(self.read_text(paragraph, depth, outer=outer))

    def read_text(self, element: Element, depth: int = 0, *, outer: RunFormat) -> str:
        """The visible text of a paragraph, hyperlink, insertion or other inline container with `outer` formatting."""
        if depth > DEPTH:
            return ""
        return "".join([self._read_part(part, depth + 1, outer) for part in element])

    def _read_part(self, part: Element, depth: int, outer: RunFormat) -> str:
        name = local_name(part)
        if name == "r":
            return self._read_run(part, depth, outer)
        if name == "t":
            return self._show(read_private(part.text or ""))
        if name == "hyperlink":
            return self._read_hyperlink(part, depth, outer)
        if name == "fldSimple":
            return self._read_simple_field(part, depth, outer)
        if name in LEFT_OUT or not name:
            return ""
        reader = READERS.get(name)
        if reader:
            return reader(self, part)
        return self._show(LITERAL[name]) if name in LITERAL else self.read_text(part, depth, outer=outer)

    def _show(self, text: str) -> str:
        """Return visible text, which comments may be about."""
        if self.commented.open:
            self.commented.add(text)
        return text

    def _read_run(self, run: Element, depth: int, outer: RunFormat) -> str:
        first = run[0] if len(run) else None
        if first is not None and local_name(first) == "rPr":
            properties = {local_name(item): item for item in first}
            if "rStyle" in properties:
                outer = outer.override(self.styles.combine(get_attribute(properties["rStyle"], "val")).run)
            outer = outer.override(to_run_format(properties))
        if outer.is_hidden():
            self.leave_out(run)
            return ""
        text = self.emphasise(self.read_text(run, depth, outer=outer), outer)
        return self.raise_text(text) if outer.is_raised and not self.paragraph_format.is_raised else text

    def emphasise(self, text: str, run: RunFormat) -> str:
        """Mark the text of a run that is bold or italic in a paragraph that is not."""
        if is_field_mark(text):
            return text
        base = self.paragraph_format
        return mark_run(
            text,
            is_bold=bool(run.is_bold) and not base.is_bold,
            is_italic=bool(run.is_italic) and not base.is_italic,
        )

    def raise_text(self, text: str) -> str:
        """Mark the text of a raised run."""
        return text if is_field_mark(text) else mark_raised(text)

    def leave_out(self, run: Element) -> None:  # noqa: ARG002  # what a reader of citations keeps
        """Count a hidden run."""
        self.hidden += 1

    def _read_hyperlink(self, link: Element, depth: int, outer: RunFormat) -> str:
        text = self.read_text(link, depth, outer=outer)
        target = format_link_target(self.relations.get(get_attribute(link, "id")), get_attribute(link, "anchor"))
        return mark_link(text.replace("\n", " "), target)

    def _read_simple_field(self, simple: Element, depth: int, outer: RunFormat) -> str:
        return mark_link(self.read_text(simple, depth, outer=outer), find_link_target(get_attribute(simple, "instr")))

    def read_field_code(self, code: Element) -> str:
        self.complex_fields.add_code(code.text or "")
        return ""

    def read_field_character(self, character: Element) -> str:
        mark = self.complex_fields.read_character(get_attribute(character, "fldCharType"))
        form = find_child(character, "ffData")
        return mark if form is None else mark + _format_form_field(form)

    def mark_note(self, call: Element) -> str:
        return self.notes.mark(local_name(call).removesuffix("Reference"), get_attribute(call, "id"))

    def read_symbol(self, symbol: Element) -> str:
        try:
            code = int(get_attribute(symbol, "char"), 16)
        except ValueError:
            return ""
        return read_sign(code, get_attribute(symbol, "font"))

    def begin_commented(self, start: Element) -> str:
        self.commented.begin(get_attribute(start, "id"))
        return ""

    def end_commented(self, end: Element) -> str:
        self.commented.end(get_attribute(end, "id"))
        return ""

    def call_comment(self, call: Element) -> str:
        self.commented.call(get_attribute(call, "id"))
        return ""

    def read_break(self, _: Element) -> str:
        self.commented.add(" ")
        return "\n"  # also a page break: a word may stand on each side of it

    def read_equation(self, equation: Element) -> str:
        return mark_formula(format_equation(equation))

    def read_picture(self, drawing: Element) -> str:
        """The text of an ornament (WordArt), or the marked alternative text of a picture.

        Passes text boxes and charts to `add_box`.
        """
        description, words = "", list[str]()
        for item in drawing.iter():
            name = local_name(item)
            if name in BOXES and not _is_skipped_box(item, drawing):
                self.add_box(item)
            elif name == "docPr" and not _is_skipped_box(item, drawing):
                if get_attribute(item, "hidden") in {"1", "true"}:
                    return ""
                description = description or get_attribute(item, "descr")
            elif name == "shape" and not _is_hidden_vml(item):
                description = description or get_attribute(item, "alt")
            elif name == "textpath" and not _is_skipped_box(item, drawing):
                words += get_attribute(item, "string").split()
        return " ".join(words) or mark_picture(description)


def _format_form_field(form: Element) -> str:
    """The state of a check box or the choice of a list, which a form field draws without text."""
    box, choices = find_child(form, "checkBox"), find_child(form, "ddList")
    if box is not None:
        state = next((part for name in ("checked", "default") if (part := find_child(box, name)) is not None), None)
        return "☒" if is_on(state) else "☐"
    if choices is None:
        return ""
    entries = [get_attribute(part, "val") for part in choices if local_name(part) == "listEntry"]
    place = next(
        (read_int(part) for name in ("result", "default") if (part := find_child(choices, name)) is not None), 0
    )
    return entries[place] if place < len(entries) else ""


def _is_skipped_box(item: Element, top: Element) -> bool:
    """Whether the text box is hidden, a compatibility copy (`mc:Fallback`) or nested in another text box."""
    while (item := item.getparent()) is not None and item is not top:
        if local_name(item) in {"Fallback", "txbxContent"} or _is_hidden_vml(item):
            return True
    return False


def _is_hidden_vml(shape: Element) -> bool:
    return VML_HIDDEN.search(shape.get("style") or "") is not None


READERS: dict[str, Callable[[Inline, Element], str]] = {
    "fldChar": Inline.read_field_character,
    "instrText": Inline.read_field_code,
    "footnoteReference": Inline.mark_note,
    "endnoteReference": Inline.mark_note,
    "commentRangeStart": Inline.begin_commented,
    "commentRangeEnd": Inline.end_commented,
    "commentReference": Inline.call_comment,
    "sym": Inline.read_symbol,
    "br": Inline.read_break,
    "oMath": Inline.read_equation,
    "oMathPara": Inline.read_equation,
    "drawing": Inline.read_picture,
    "pict": Inline.read_picture,
    "object": Inline.read_picture,
}
