"""Inline content of Word 97 paragraphs: visible runs, links, symbols, pictures, form fields and marks of notes."""

import re
from collections import deque
from dataclasses import dataclass, field

from assay.documents.docx_blocks import MONOSPACED
from assay.documents.docx_formatting import RunFormat
from assay.documents.little_endian import read_number
from assay.documents.office_drawings import DrawnShape
from assay.documents.office_emphasis import (
    format_raised,
    mark_markup,
    mark_picture,
    mark_raised,
    mark_run,
    strip_foreign_marks,
)
from assay.documents.office_fields import ComplexFields
from assay.documents.symbol_fonts import read_private, read_sign
from assay.documents.word97_file import Story, Word97File, Word97Part, read_places
from assay.documents.word97_forms import read_form_field
from assay.documents.word97_pieces import Word97Text
from assay.documents.word97_shapes import Word97Shapes, read_description
from assay.documents.word97_styles import Word97Run, Word97Styles
from assay.text.surrogates import replace_surrogates

SPECIAL = re.compile("[\x00-\x1f]")
PICTURE, NOTE, DRAWING = "\x01", "\x02", "\x08"
FIELD_CHARACTERS = {"\x13": "begin", "\x14": "separate", "\x15": "end"}
LITERAL = {"\t": " ", "\x0b": "\n", "\x0c": "\n", "\x0e": "\n", "\x1e": "-"}
FORM = re.compile(r"\s*FORM(?:CHECKBOX|DROPDOWN)\b", re.IGNORECASE)
RUNS = 2_000  # remembered combinations of formatting and properties


class Word97Notes:
    """Footnotes and endnotes in the order in which the text references them."""

    def __init__(self, file: Word97File) -> None:
        self.called: list[int] = []  # the characters that reference them
        self.texts = _place_notes(
            file, Word97Part.FOOTNOTE_MARKS, Word97Part.FOOTNOTE_TEXTS, Story.FOOTNOTES
        ) | _place_notes(file, Word97Part.ENDNOTE_MARKS, Word97Part.ENDNOTE_TEXTS, Story.ENDNOTES)
        self._numbers: dict[int, int] = {}

    def mark(self, place: int) -> str:
        """The mark of the note that the character at a place references; "" if it references none."""
        if place not in self.texts:
            return ""
        number = self._numbers.setdefault(place, len(self.called) + 1)
        if number > len(self.called):
            self.called.append(place)
        return mark_markup(f"[^{number}]")


def _place_notes(file: Word97File, marks: Word97Part, texts: Word97Part, story: Story) -> dict[int, tuple[int, int]]:
    """The places of the texts of notes by the characters that reference them."""
    places, _ = read_places(file.read_part(marks), 2)
    starts, _ = read_places(file.read_part(texts), 0)
    first, end = file.find_story(story)
    return {
        place: (first + starts[number], min(first + starts[number + 1], end))
        for number, place in enumerate(places[:-1])
        if number + 1 < len(starts)
    }


@dataclass
class OpenFields:
    """The fields that are open in a story, of which the codes are not shown."""

    marks: ComplexFields = field(default_factory=ComplexFields)
    in_code: list[bool] = field(default_factory=list)  # for each open field
    codes: int = 0  # how many of them are in their codes

    def read_character(self, kind: str) -> str:
        """Return the mark to write where a field begins, shows its result or ends."""
        if kind == "begin":
            self.in_code.append(True)
            self.codes += 1
        elif self.in_code and self.in_code[-1]:
            self.in_code[-1] = False
            self.codes -= 1
        if kind == "end" and self.in_code:
            self.in_code.pop()
        return self.marks.read_character(kind)


class Word97Inline:
    """Converts characters to marked text. `boxes` are the text boxes of the paragraph, whose content follows it."""

    def __init__(self, file: Word97File, text: Word97Text, styles: Word97Styles, shapes: Word97Shapes) -> None:
        self.notes = Word97Notes(file)
        self.boxes: deque[DrawnShape] = deque()
        self.fields = OpenFields()
        self.hidden = 0
        self._data = file.data
        self._text = text
        self._styles = styles
        self._shapes = shapes
        self._runs: dict[tuple[RunFormat, bytes], Word97Run] = {}
        self._is_typed: list[bool] = []  # for each part of the paragraph

    def read_run(self, properties: bytes, base: RunFormat) -> Word97Run:
        """The properties of a run in a paragraph of this formatting."""
        key = base, properties
        if key not in self._runs:
            if len(self._runs) >= RUNS:
                self._runs.clear()
            self._runs[key] = self._styles.read_run(properties, base)
        return self._runs[key]

    def read_paragraph(self, start: int, end: int, base: RunFormat) -> str:
        """The visible text between two places, with marks of its emphasis, links and what else is markdown."""
        pieces, self._is_typed = [], []
        for first, stop, properties in self._text.iter_runs(start, end):
            run = self.read_run(properties, base)
            if run.is_deleted or run.format.is_hidden():
                self._leave_out(first, stop, is_hidden=not run.is_deleted)
            else:
                pieces += self._read_parts(first, stop, run, base)
        text = "".join(pieces)
        return format_raised(text if text.isascii() else str(replace_surrogates(text)))

    @property
    def is_monospaced(self) -> bool:
        """Whether all text of the paragraph is in a monospaced font by the formatting of its runs."""
        return bool(self._is_typed) and all(self._is_typed)

    def _leave_out(self, start: int, end: int, *, is_hidden: bool) -> None:
        """Follow the fields in text that is not shown, and count it if it is hidden."""
        text = self._text.text[start:end]
        for character in filter(FIELD_CHARACTERS.get, text):
            self.fields.read_character(FIELD_CHARACTERS[character])
        self.hidden += is_hidden and not self.fields.codes and not SPECIAL.sub("", text).isspace()

    def _read_parts(self, start: int, end: int, run: Word97Run, base: RunFormat) -> list[str]:
        """The marked text of a run, in parts between the characters that stand for something else."""
        place, text = start, self._text.text
        parts = [] if text[start] == NOTE else [self.notes.mark(start)]  # a note with a mark of its own
        for found in SPECIAL.finditer(text, start, end):
            parts += [self._mark(text[place : found.start()], run, base), self._read_special(found.start(), run)]
            place = found.end()
        return [*parts, self._mark(text[place:end], run, base)]

    def _mark(self, text: str, run: Word97Run, base: RunFormat) -> str:
        """The marked text of a run without special characters; "" for the code of a field."""
        if not text:
            return ""
        if self.fields.codes:
            self.fields.marks.add_code(strip_foreign_marks(text))
            return ""
        font = self._styles.find_font(run.font)
        if run.symbol:
            code, symbols = read_number(run.symbol, 2, 2), self._styles.find_font(read_number(run.symbol, 0, 2))
            text = text.replace("(", read_sign(code, symbols))
        self._is_typed.append(MONOSPACED.search(font) is not None)
        own = run.format
        marked = mark_run(
            read_private(strip_foreign_marks(text), font),
            is_bold=bool(own.is_bold) and not base.is_bold,
            is_italic=bool(own.is_italic) and not base.is_italic,
        )
        return mark_raised(marked) if own.is_raised and not base.is_raised else marked

    def _read_special(self, place: int, run: Word97Run) -> str:
        """What a character stands for that is no text."""
        character = self._text.text[place]
        if character in FIELD_CHARACTERS:
            return self.fields.read_character(FIELD_CHARACTERS[character])
        if self.fields.codes:
            is_form = character == PICTURE and run.location is not None and FORM.match(self.fields.marks.code)
            return read_form_field(self._data, run.location or 0) if is_form else ""
        if character == PICTURE and run.location is not None:
            return mark_picture(read_description(self._data, run.location))
        if character == DRAWING:
            return self._read_drawing(place)
        return self.notes.mark(place) if character == NOTE else LITERAL.get(character, "")

    def _read_drawing(self, place: int) -> str:
        """The words or the alternative text of the shapes that are anchored at a place. Those with text are boxes."""
        shapes = self._shapes.find_shapes(place)
        words = [word for shape in shapes for word in strip_foreign_marks(shape.words).split()]
        if words:
            return " ".join(words)
        self.boxes += [shape for shape in shapes if self._shapes.find_text(shape) != (0, 0)]
        return mark_picture(next((shape.description for shape in shapes if shape.description), ""))
