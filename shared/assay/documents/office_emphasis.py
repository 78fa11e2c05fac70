"""Bold, italic and raised text of office files as markdown (CommonMark 6.2), where runs of the same kind form one mark.

While a paragraph is read, these runs stand between control characters, which XML cannot contain.
"""

import re
from itertools import groupby

from assay.text.superscripts import mark_superscript

START, BOLD, ITALIC, BOTH, END = "\x01", "\x02", "\x03", "\x04", "\x05"
MARKS = {BOLD: "**", ITALIC: "*", BOTH: "***"}
RAISED, RAISED_END = "\x0e", "\x0f"  # around the marks of emphasis
CONTROLS = dict.fromkeys(map(ord, (START, *MARKS, END, RAISED, RAISED_END)))
RAISED_RUN = re.compile(rf"{RAISED}((?:{START}.|\s)*+)([^{RAISED}{RAISED_END}]*+){RAISED_END}")
LOOKBACK = 16  # characters before a raised run that are examined
RUN = re.compile(f"{START}([{''.join(MARKS)}])([^{START}{END}]*){END}")
REFERENCE = re.compile(r"\s*(?:\[\^\d+\]|!\[.*\])\s*")  # a mark of a note, or a picture
WHOLE_BOLD = re.compile(r"\*\*(?!\*)([^*]+)\*\*(?!\*)")

type Piece = tuple[str, str]  # the character of its emphasis, or "", and its text


def mark_run(text: str, *, is_bold: bool, is_italic: bool, is_raised: bool = False) -> str:
    """Return the text of a run between control characters, if it is emphasised or raised."""
    if not text or REFERENCE.fullmatch(text):
        return text
    if is_bold or is_italic:
        kind = BOTH if is_bold and is_italic else BOLD if is_bold else ITALIC
        text = f"{START}{kind}{strip_emphasis(text)}{END}"
    return mark_raised(text) if is_raised else text


def strip_emphasis(text: str) -> str:
    """Return the text without the control characters of emphasis."""
    return text.translate(CONTROLS)


def mark_raised(text: str) -> str:
    """Return the text of a raised run, which may be emphasised, between control characters."""
    return text if not text or REFERENCE.fullmatch(text) else f"{RAISED}{text}{RAISED_END}"


def format_raised(text: str) -> str:
    """Return the text of a paragraph with a circumflex before the raised runs that need one: 10^6."""
    if RAISED not in text:
        return text
    return RAISED_RUN.sub(_format_raised_run, text.replace(f"{RAISED_END}{RAISED}", ""))


def _format_raised_run(found: re.Match[str]) -> str:
    before = strip_emphasis(found.string[max(0, found.start() - LOOKBACK) : found.start()])
    lead, text = found[1], found[2]
    opening, closing = mark_superscript(before, strip_emphasis(text))
    if not opening:
        return lead + text
    core = text.rstrip().removesuffix(END).rstrip() if closing else text
    return f"{''.join(lead.split())}{opening}{core}{closing}{text[len(core) :]}"


def strip_bold(cell: str) -> str:
    """Return the text of a head cell without bold marks around all of it."""
    found = WHOLE_BOLD.fullmatch(cell.strip())
    return found[1] if found else cell


def format_emphasis(text: str) -> str:
    """Return the text of a paragraph with marks in place of control characters."""
    if START not in text:
        return text
    pieces = [(kind, "".join(inner for _, inner in group)) for kind, group in groupby(_list_pieces(text), _get_kind)]
    written: list[str] = []
    for place, (kind, inner) in enumerate(pieces):
        before = written[-1][-1:] if written else ""
        after = pieces[place + 1][1][:1] if place + 1 < len(pieces) else ""
        written.append(_wrap_lines(inner, MARKS[kind], before, after) if kind else inner)
    return strip_emphasis("".join(written))


def _get_kind(piece: Piece) -> str:
    return piece[0]


def _list_pieces(text: str) -> list[Piece]:
    """Return the pieces in order; space between two of the same emphasis belongs to it."""
    split = RUN.split(text)  # plain text, then kind, emphasised text and plain text of each run
    pieces: list[Piece] = [("", split[0])]
    for place in range(1, len(split), 3):
        kind, inner, plain = split[place : place + 3]
        follows = split[place + 3] if place + 3 < len(split) else ""
        inner_kind = kind if inner.strip() else pieces[-1][0]
        pieces += [(inner_kind, inner), (kind if plain.isspace() and follows == kind else "", plain)]
    return [piece for piece in pieces if piece[1]]


def _wrap_lines(text: str, mark: str, before: str, after: str) -> str:
    lines = text.split("\n")
    last = len(lines) - 1
    return "\n".join(
        _wrap(line, mark, before if not place else "", after if place == last else "")
        for place, line in enumerate(lines)
    )


def _wrap(text: str, mark: str, before: str, after: str) -> str:
    """Return the text between marks; space, and signs at which a mark would not open or close, stand outside of it."""
    start, end = 0, len(text)
    while start < end and (
        text[start].isspace() or (_is_sign(text[start]) and _is_letter(text[start - 1 : start] or before))
    ):
        start += 1
    while end > start and (
        text[end - 1].isspace() or (_is_sign(text[end - 1]) and _is_letter(text[end : end + 1] or after))
    ):
        end -= 1
    core = text[start:end]
    if "*" in core or not any(map(str.isalnum, core)):
        return text
    return f"{text[:start]}{mark}{core}{mark}{text[end:]}"


def _is_sign(character: str) -> bool:
    return not character.isalnum()


def _is_letter(character: str) -> bool:
    return character.isalnum()
