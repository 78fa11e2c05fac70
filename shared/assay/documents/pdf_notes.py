"""Footnotes of PDFs: small raised numbers or signs in the text, and the block at the foot of the page that begins with
the same.

Raised numbers and signs stand between control characters in the text of a line until they are paired.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from assay.documents.office_emphasis import MARKUP_END, mark_markup
from assay.documents.pdf_lines import LOOKBACK, SMALLER
from assay.documents.pdf_lines import RAISED as MARK
from assay.documents.pdf_lines import RAISED_END as MARK_END
from assay.documents.pdf_text_page import PdfLine, TextPage
from assay.text.superscripts import mark_superscript

SIGN = r"[*∗†‡§¶]{1,3}"
LABEL = rf"(?:\d{{1,3}}|{SIGN})"
BEFORE = r"(?<=[^\W\d_]|[.,;:!?)\]”\"’'])\s?"
RAISED = re.compile(rf"{BEFORE}\d{{1,3}}(?:\s?[,–—-]\s?\d{{1,3}}){{0,20}}(?![\w%])")
LABELS = rf"{LABEL}(?:\s?[,–—-]\s?{LABEL}){{0,20}}"
RAISED_OR_SIGN = re.compile(rf"{BEFORE}{LABELS}(?![\w%*∗†‡§¶])")
NOTED, NUMBERS = re.compile(rf"{BEFORE}\Z"), re.compile(LABELS)
RAISED_FIRST = re.compile(r"\d{1,3}(?=\s?[^\W\d_]|\s[“\"(])")
RAISED_OR_SIGN_FIRST = re.compile(rf"{LABEL}(?=\s?[^\W\d_]|\s[“\"(])")
DIGITS = re.compile(r"\d{2,}")  # of which the last may be raised: another number without a circumflex
SIGNED = re.compile(r"[-−–+](?:(?<=[\w)\]}].)|(?<=[\w)\]}]\s.))\d{1,3}(?!\w)")
SIGNED_NUMBER = re.compile(r"[-−–+]\d{1,3}")
UNIT = re.compile(r"(?<!\w)(?:[kcdmnµμ]?m|ft|s)\Z")  # of which a raised 2 or 3 is a power
SIMILAR = 0.95  # height of a character that cannot be raised relative to the one beside it
RISE = 0.1  # minimum height of a raised number above the baseline, relative to the size of the text
LEVEL, DRAWN_RISE = 0.02, 0.2  # difference of baselines, and minimum height above, of a font's raised digit
MARKED = re.compile(f"{MARK}({LABEL}){MARK_END}")
MARKED_RUN = re.compile(f"{MARK}{LABEL}{MARK_END}(?:\\s?[,–-]\\s?{MARK}{LABEL}{MARK_END})*")
MARK_FIRST = re.compile(f"\\s*{MARK}({LABEL}){MARK_END}\\s*")
PLAIN_FIRST = re.compile(rf"(\d{{1,3}}(?=[.)]?\s)|{SIGN})[.)]?\s*(?=\S)")
ALONE = re.compile(LABEL)
CONTROLS = dict.fromkeys(map(ord, (MARK, MARK_END)))
NOTE_SIZE = 0.96  # maximum size of a note relative to the text
LINE_STEP = 1.9  # maximum distance of the lines of a note, in font sizes
MAX_NOTES = 200  # of a page

type Edit = tuple[int, int, str]  # what replaces the text from a place to before another


class NotedTextPage(TextPage):
    """The text of a page with raised numbers between control characters."""

    raised, raised_first = RAISED, RAISED_FIRST

    def read(self, start: int, end: int) -> str:
        text = self.text[start:end].translate(CONTROLS) if MARK in self.text else self.text[start:end]
        if len(text) != end - start:
            return text  # of a page that contains the control characters, whose positions would be wrong
        edits = self.list_edits(text, start) + [(place, place, " ") for place in self.list_missing_spaces(start, end)]
        return _apply_edits(text, edits) if edits else text

    def list_edits(self, text: str, start: int) -> list[Edit]:
        """The changes to the text of a line that begins at `start`."""
        first = self.raised_first.match(text)
        is_note = first is not None and self._is_raised(start, start + first.end() + text[first.end()].isspace())
        edits = [(0, first.end(), f"{MARK}{first[0]}{MARK_END}")] if first is not None and is_note else []
        marked = [(found, self._mark(found, start)) for found in self.raised.finditer(text)]
        return edits + [(*found.span(), new) for found, new in marked if new != found[0]]

    def _is_raised(self, place: int, beside: int) -> bool:
        """Whether a character is smaller and higher than another one, or a raised digit that some fonts have."""
        _, _, bottom, size = self.span(place, place + 1)
        _, _, base, usual = self.span(beside, beside + 1)
        if size < SMALLER * usual:
            return bottom > base + RISE * usual
        if abs(bottom - base) > LEVEL * usual or not self.text[place].isdigit() or self.is_tilted(place):
            return False
        return self.drawn_bottom(place) > base + DRAWN_RISE * usual

    def _mark(self, found: re.Match[str], start: int) -> str:
        number = found[0].lstrip()
        place = start + found.end() - len(number)
        if not self._is_raised(place, start + found.start() - 1):
            return found[0]
        if number in ("2", "3") and UNIT.search(found.string[max(0, found.start() - 4) : found.start()]):
            return self._format_power(found[0])
        return self._format_raised(number)

    def _format_power(self, number: str) -> str:
        return number

    def _format_raised(self, number: str) -> str:
        return ALONE.sub(lambda label: f"{MARK}{label[0]}{MARK_END}", number)


class PowersTextPage(NotedTextPage):
    """The text of a page with raised numbers and signs between control characters, and exponents with a circumflex.

    Exponents are raised digits behind digits, those of units, and numbers with a sign.
    """

    raised, raised_first = RAISED_OR_SIGN, RAISED_OR_SIGN_FIRST

    def list_edits(self, text: str, start: int) -> list[Edit]:
        edits = super().list_edits(text, start)
        for found in DIGITS.finditer(text):
            exponent = self._find_exponent(start + found.start(), start + found.end()) - start
            if exponent < found.end():
                edits.append((exponent, exponent, "^"))
        for found in SIGNED.finditer(text):
            sign = found.start()
            base = sign - 1 - text[sign - 1].isspace()
            if self._is_raised(start + sign, start + base):
                edits.append((base + 1, sign, "^"))
        places = self.raised_texts
        for first, last in places[bisect_left(places, (start, 0)) : bisect_left(places, (start + len(text), 0))]:
            before, raised = text[max(0, first - start - LOOKBACK) : first - start], text[first - start : last - start]
            if not NUMBERS.fullmatch(raised) and not SIGNED_NUMBER.fullmatch(raised):
                edits.append((first - start, last - start, _mark_raised(before, raised)))
        return edits

    def _find_exponent(self, start: int, end: int) -> int:
        """The place of the raised digits at the end of a number; `end` if there are none."""
        first, last = self.box(start), self.box(end - 1)
        place = end
        if last[1] - last[3] < SIMILAR * (first[1] - first[3]):
            while place - 1 > start and self._is_raised(place - 1, start):
                place -= 1
        return place

    def _format_power(self, number: str) -> str:
        return f"^{number.lstrip()}"

    def mark_raised(self, before: str, raised: str) -> str:
        if NUMBERS.fullmatch(raised) and NOTED.search(before[-2:]):
            return self._format_raised(raised)
        return raised if MARK in raised else _mark_raised(before, raised)

    def join_raised(self, lines: list[PdfLine]) -> list[PdfLine]:
        """Return the lines with raised numbers that stand alone joined to the line beside them."""
        return _join_numbers(lines) if any(ALONE.fullmatch(line.text) for line in lines) else lines


@dataclass
class PdfNote:
    """A footnote: its number or sign as printed, and its lines."""

    number: str
    lines: list[PdfLine]
    label: str = ""
    page: int = 0  # its place


def _apply_edits(text: str, edits: list[Edit]) -> str:
    pieces, done = [], 0
    for first, end, new in sorted(edits):
        if first >= done:
            pieces += [text[done:first], new]
            done = end
    return "".join([*pieces, text[done:]])


def strip_marks(text: str) -> str:
    return text.translate(CONTROLS)


def take_notes(pages: list[list[PdfLine]], body: float) -> tuple[list[list[PdfLine]], list[PdfNote]]:
    """Return the pages with marks of notes (`[^1]`) and without the notes, and the notes, for a text of size `body`.

    A number that is used again on a later page has the number of the page in its label.
    """
    found: list[list[PdfLine]] = []
    notes: list[PdfNote] = []
    labels: set[str] = set()
    for place, lines in enumerate(pages):
        paired = _pair_notes(lines, body) if any(MARK in line.text for line in lines) else []
        for note in paired:
            name = note.number.replace("*", "∗")  # the other one would be emphasis in Markdown
            note.label, note.page = name if name not in labels else f"{name}-{place + 1}", place
            labels.add(note.label)
        inside = {id(line) for note in paired for line in note.lines}
        by_number = {note.number: note.label for note in paired}
        found.append([_replace_marks(line, by_number) for line in lines if id(line) not in inside])
        notes += paired
    return found, notes


def _replace_marks(line: PdfLine, labels: dict[str, str]) -> PdfLine:
    if MARK not in line.text:
        return line
    text = MARKED_RUN.sub(lambda run: _replace_run(run, labels), line.text)
    cells = tuple(_replace_marks(cell, labels) for cell in line.cells)
    return line._replace(text=strip_marks(text), cells=cells)


def _replace_run(run: re.Match[str], labels: dict[str, str]) -> str:
    """Return the marks of notes for raised numbers, if one has a note, or else the numbers as a superscript."""
    before = run.string[max(0, run.start() - 3) : run.start()]
    if not any(number in labels for number in MARKED.findall(run[0])):
        return _mark_raised(before, strip_marks(run[0]))
    pieces: list[str] = []
    for piece in MARKED.split(run[0]):
        last = "".join(pieces[-3:]).rstrip(MARKUP_END)[-3:] or before
        pieces.append(mark_markup(f"[^{labels[piece]}]") if piece in labels else _mark_raised(last, piece))
    return "".join(pieces)


def _mark_raised(before: str, raised: str) -> str:
    opening, closing = mark_superscript(before, raised)
    return f"{opening}{raised.strip()}{closing}" if opening else raised


def _join_numbers(lines: list[PdfLine]) -> list[PdfLine]:
    found: list[PdfLine] = []
    for line in lines:
        before = found[-1] if found else None
        if before is not None and ALONE.fullmatch(before.text) and _stands_raised(before, line):
            text = f"{MARK}{before.text}{MARK_END}{line.text}"
            found[-1] = line._replace(text=text, left=before.left)
        elif before is not None and ALONE.fullmatch(line.text) and _ends_raised(before, line):
            found[-1] = before._replace(text=f"{before.text}{MARK}{line.text}{MARK_END}", right=line.right)
        else:
            found.append(line)
    return found


def _stands_raised(number: PdfLine, line: PdfLine) -> bool:
    return (
        number.size < SMALLER * line.size
        and -1 <= line.left - number.right < 2 * line.size
        and abs(number.bottom - line.bottom) < line.size
        and not line.cells
    )


def _ends_raised(line: PdfLine, number: PdfLine) -> bool:
    return (
        number.size < SMALLER * line.size
        and -1 <= number.left - line.right < line.size
        and RISE * line.size < number.bottom - line.bottom < line.size
        and not line.cells
        and not ALONE.fullmatch(line.text)
    )


def _pair_notes(lines: list[PdfLine], body: float) -> list[PdfNote]:
    """Return the notes at the foot of the page, or of its columns, whose number is raised in the text above."""
    notes = list(_find_notes(lines, body))
    inside = {id(line) for note in notes for line in note.lines}
    text = [line for line in lines if id(line) not in inside]
    numbers = {number for line in text for number in MARKED.findall(line.text)}
    paired: dict[str, PdfNote] = {}
    for note in notes:
        if note.number in numbers and note.number not in paired and _is_at_foot(note, text, body):
            paired[note.number] = note
    return list(paired.values())


def _find_notes(lines: list[PdfLine], body: float) -> Iterator[PdfNote]:
    """Yield what may be a note: small lines of which the first begins with a number."""
    note: PdfNote | None = None
    count = 0
    for line in lines:
        is_small = line.size <= NOTE_SIZE * body and (not line.cells or _has_number_apart(line))
        first = (MARK_FIRST.match(line.text) or PLAIN_FIRST.match(line.text)) if is_small else None
        if first is not None and count < MAX_NOTES:
            if note is not None:
                yield note
            count += 1
            note = PdfNote(first[1], [line])
        elif note is not None and is_small and _follows(note.lines[-1], line):
            note.lines.append(line)
        elif note is not None:
            yield note
            note = None
    if note is not None:
        yield note


def _has_number_apart(line: PdfLine) -> bool:
    """Whether the first of two cells is the number of a note, with a tab behind it."""
    return len(line.cells) == 2 and not line.table and ALONE.fullmatch(strip_marks(line.cells[0].text)) is not None


def _follows(before: PdfLine, line: PdfLine) -> bool:
    down = before.bottom - line.bottom
    return abs(before.size - line.size) <= 0.12 * before.size and 0 < down < LINE_STEP * before.size


def _is_at_foot(note: PdfNote, text: list[PdfLine], body: float) -> bool:
    """Whether no text of the usual size stands below the note, and a text of it above."""
    left, right = min(line.left for line in note.lines), max(line.right for line in note.lines)
    foot = note.lines[-1].bottom
    beside = [line for line in text if line.left < right and line.right > left and line.size > NOTE_SIZE * body]
    return bool(beside) and all(line.bottom > foot for line in beside)


def read_note_lines(note: PdfNote) -> list[str]:
    """Return the lines of a note without its number."""
    first, *rest = [line.text for line in note.lines]
    found = MARK_FIRST.match(first) or PLAIN_FIRST.match(first)
    return [strip_marks(text) for text in (first[found.end() :] if found else first, *rest)]
