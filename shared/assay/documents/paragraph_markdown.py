"""The text of paragraphs of documents as markdown that reads back as that text, with emphasis and links.

The text has the marks of `office_emphasis` and `office_fields`. What else markdown would interpret is escaped.
"""

import re
from collections.abc import Callable, Sequence
from functools import partial
from itertools import groupby

from assay.documents.office_emphasis import (
    BOLD,
    BOTH,
    ITALIC,
    MARKUP,
    MARKUP_END,
    NO_MARKS,
    RUN,
    START,
    strip_emphasis,
)
from assay.documents.office_fields import CLOSE, MARKED, OPEN, UNPAIRED
from assay.documents.sign_escapes import escape_part, may_emphasise
from assay.html.reader.emphasis import EM, STRONG, Run, mark_emphasis, split_text
from assay.html.reader.markdown_escapes import SPECIAL, escape_heading_end, escape_joint, escape_unpaired_brackets
from assay.text.sanitize import sanitise

STYLES = {"": 0, BOLD: STRONG, ITALIC: EM, BOTH: STRONG | EM}
MARKED_MARKUP = re.compile(f"{MARKUP}([^{MARKUP}{MARKUP_END}]*){MARKUP_END}")
CONTROLS = re.compile("[\x01-\x08\x10\x11]+")
SUSPECT = re.compile("[\\\\`*_\\[\\]<&~\x00-\x08\n-\x1f\x7f\x85\u2028\u2029]")  # beside what is invisible only
FILLERS = "\u115f\u1160\u3164\uffa0"  # letters that are invisible
MARKUP_BYTES = b"\\`*_[]<&~\x7f" + bytes({*range(32)} - {*b"\t\n"})
NOTE_MARK = re.compile(r"\[(?=\^\d{1,4}\])")  # like those that readers write
INDENT = re.compile(r"(?<=\n\n)[^\S\n]+")  # of code, behind an empty line
BREAK = re.compile(r"(?<!\\)((?:\\\\)*)\\\n")  # a backslash of the text before the end of a line

type Escape = Callable[[str], str]
type Piece = tuple[int, str]  # styles and text


def format_paragraph(text: str) -> str:
    """Return the markdown of a marked text."""
    is_rare = not text.isascii() and text[0].isalpha() and text[0] not in FILLERS
    return text.rstrip() if is_rare and SUSPECT.search(text) is None else _format(text, is_plain=False)


def format_heading_text(text: str) -> str:
    """Return the markdown of a heading, which has one line and no emphasis."""
    return escape_heading_end(_format(" ".join(text.split()), is_plain=True))


def read_plain(text: str) -> str:
    """Return a marked text without its marks."""
    if CONTROLS.search(text) is None:
        return text
    return UNPAIRED.sub("", MARKED.sub(r"\1", text)).translate(NO_MARKS)


def _format(text: str, *, is_plain: bool) -> str:
    if _is_simple(text):
        return _strip_lines(text)
    if CONTROLS.search(text) is None:
        text = sanitise(text)
        if SPECIAL.search(text) is None:
            return _strip_lines(text)
        text = _strip_lines(text)
        escape = _choose_escape(text, is_plain=is_plain)
        return "\n".join([_escape_line(line, escape) for line in text.split("\n")])
    writer = _InlineWriter(_choose_escape(text, is_plain=is_plain), is_plain=is_plain)
    place = 0
    for found in MARKED.finditer(text) if OPEN in text else ():
        writer.add(text[place : found.start()])
        writer.add_link(found[1], found[2])
        place = found.end()
    writer.add(text[place:])
    text = writer.read()
    return BREAK.sub(r"\1\\\\\n", text) if "\\\n" in text else text


def _is_simple(text: str) -> bool:
    """Return quickly whether the text contains no mark, and nothing to remove or escape."""
    return text.isascii() and len(text.encode().translate(None, MARKUP_BYTES)) == len(text)


def _escape_line(line: str, escape: Escape) -> str:
    line = escape(line)
    return NOTE_MARK.sub(r"\\[", line) if "[^" in line else line


def _strip_lines(text: str) -> str:
    text = text.strip()
    return INDENT.sub("", "\n".join(map(str.rstrip, text.split("\n")))) if "\n" in text else text


def _choose_escape(text: str, *, is_plain: bool) -> Escape:
    """Return what escapes the parts of a marked text: stars if there are other markers, or if they could be some."""
    text = strip_emphasis(text) if is_plain else text
    shown = CONTROLS.sub("<", MARKED.sub(r"<\1<", text)) if CONTROLS.search(text) else text
    has_stars = "*" in text and (START in text or may_emphasise(shown, "*"))
    return partial(escape_part, has_stars=has_stars, has_low_lines=may_emphasise(shown, "_"))


class _InlineWriter:
    """Collects the runs of a paragraph."""

    def __init__(self, escape: Escape, *, is_plain: bool) -> None:
        self._escape = escape
        self._is_plain = is_plain
        self._runs: list[Run] = []

    def add(self, text: str) -> None:
        """Add marked text without links."""
        for styles, piece in _list_pieces(UNPAIRED.sub("", text) if OPEN in text or CLOSE in text else text):
            for place, part in enumerate(MARKED_MARKUP.split(piece)):
                shown = 0 if self._is_plain else styles
                if place % 2:
                    self._add_markup(part, shown)
                else:
                    self._add_text(sanitise(part), shown)

    def _add_text(self, text: str, styles: int) -> None:
        for place, line in enumerate(text.split("\n")):
            if place:
                self._runs.append(("\n", 0))
            if not line:
                continue
            written = _escape_line(line, self._escape)
            if self._runs:
                last, shown = self._runs[-1]
                last, written = escape_joint(last, written)
                self._runs[-1] = last, shown
            self._runs += split_text(written, styles) if styles else [(written, 0)]

    def _add_markup(self, markdown: str, styles: int) -> None:
        if not markdown:
            return
        if markdown[0] == "[":
            self._escape_exclamation()
        self._runs.append((markdown, styles))

    def _escape_exclamation(self) -> None:
        """Escape an exclamation mark that would make an image of what follows."""
        if self._runs and self._runs[-1][0].endswith("!"):
            last, styles = self._runs[-1]
            self._runs[-1] = f"{last[:-1]}\\!", styles

    def add_link(self, text: str, target: str) -> None:
        """Add a link; the text alone if there is none to link, or if it has several lines."""
        inner = _InlineWriter(self._escape, is_plain=self._is_plain)
        inner.add(text)
        words = inner.read()
        if not words or "\n" in words:
            self.add(text)
            return
        spaces = [run for run, _ in inner._runs]
        if spaces[0][0].isspace():
            self._runs.append((" ", 0))
        self._add_markup(f"[{escape_unpaired_brackets(words)}]({target})", 0)
        if spaces[-1][-1].isspace():
            self._runs.append((" ", 0))

    def read(self) -> str:
        """Return the markdown."""
        lines: list[list[Run]] = [[]]
        for run in self._runs:
            if run[0] == "\n":
                lines.append([])
            else:
                lines[-1].append(run)
        return _strip_lines("\n".join(map(mark_emphasis, lines)))


def _list_pieces(text: str) -> list[Piece]:
    """Return the text in pieces of the same styles; signs alone have none."""
    if START not in text:
        return [(0, text)]
    split = RUN.split(text)  # plain text, then kind, emphasised text and plain text of each run
    pieces: list[Piece] = [(0, split[0])]
    for kind, inner, plain in zip(split[1::3], split[2::3], split[3::3], strict=True):
        pieces += [(STYLES[kind], inner), (0, plain)]
    return _join_pieces([(styles if _has_words(piece) else 0, piece) for styles, piece in _join_pieces(pieces)])


def _join_pieces(pieces: Sequence[Piece]) -> list[Piece]:
    groups = groupby((piece for piece in pieces if piece[1]), key=_get_styles)
    return [(styles, "".join(text for _, text in group)) for styles, group in groups]


def _get_styles(piece: Piece) -> int:
    return piece[0]


def _has_words(text: str) -> bool:
    return any(map(str.isalnum, text))
