"""Marks of bold, italic and raised text of documents, and of the markdown that a reader writes into text.

While a paragraph is read, these stand between control characters, which XML cannot contain. `paragraph_markdown` writes
markdown in their place.
"""

import re

from assay.html.reader.markdown_escapes import break_markup, escape_brackets, escape_markdown
from assay.text.superscripts import mark_superscript

START, BOLD, ITALIC, BOTH, END = "\x01", "\x02", "\x03", "\x04", "\x05"
RAISED, RAISED_END = "\x0e", "\x0f"  # around the marks of emphasis
MARKUP, MARKUP_END = "\x10", "\x11"  # around markdown, which is not escaped
LINK, TARGET, LINK_END = "\x06", "\x07", "\x08"  # around and between the text of a link and its address
EMPHASIS = dict.fromkeys(map(ord, (START, BOLD, ITALIC, BOTH, END, RAISED, RAISED_END)))
NOT_LINKS = EMPHASIS | dict.fromkeys(map(ord, (MARKUP, MARKUP_END)))
NO_MARKS = dict.fromkeys((*range(1, 9), *range(14, 18)))
RAISED_RUN = re.compile(rf"{RAISED}((?:{START}.|\s)*+)([^{RAISED}{RAISED_END}]*+){RAISED_END}")
LOOKBACK = 16  # characters before a raised run that are examined
RUN = re.compile(f"{START}([{BOLD}{ITALIC}{BOTH}])([^{START}{END}]*){END}")
REFERENCE = re.compile(
    rf"(?:\s*{MARKUP}[^{MARKUP}{MARKUP_END}]*{MARKUP_END})+\s*"
)  # such as the mark of a note, or a picture
WHOLE_BOLD = re.compile(r"\*\*(?!\*)([^*]+)\*\*(?!\*)")


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
    return text if text.isprintable() else text.translate(EMPHASIS)


def strip_foreign_marks(text: str) -> str:
    """Return the text of another file than XML without the control characters of all marks, which it could forge."""
    return text if text.isprintable() else text.translate(NO_MARKS)


def strip_marks(text: str) -> str:
    """Return the text without the control characters of emphasis and of markdown, with those of links."""
    return text.translate(NOT_LINKS)


def mark_markup(markdown: str) -> str:
    """Return markdown that a reader writes into text, such as the mark of a note, between control characters."""
    return f"{MARKUP}{markdown}{MARKUP_END}" if markdown else ""


def mark_formula(formula: str) -> str:
    """Return a formula between dollar signs as marked markdown."""
    return mark_markup(break_markup(formula))


def mark_picture(description: str) -> str:
    """Return the marked alternative text of a picture; "" without one."""
    words = " ".join(description.split())
    return mark_markup(f"![{escape_brackets(escape_markdown(words))}]") if words else ""


def mark_raised(text: str) -> str:
    """Return the text of a raised run, which may be emphasised, between control characters."""
    return text if not text or REFERENCE.fullmatch(text) else f"{RAISED}{text}{RAISED_END}"


def format_raised(text: str) -> str:
    """Return the text of a paragraph with a circumflex before the raised runs that need one: 10^6."""
    if RAISED not in text:
        return text
    return RAISED_RUN.sub(_format_raised_run, text.replace(f"{RAISED_END}{RAISED}", ""))


def _format_raised_run(found: re.Match[str]) -> str:
    before = _read_before(found.string, found.start())
    lead, text = found[1], found[2]
    opening, closing = mark_superscript(before, strip_emphasis(text))
    if not opening:
        return lead + text
    lead = "".join(lead.split())
    if found.string[found.start() - 1] == END:  # both may have one emphasis
        lead, opening = lead + opening, ""
    bare = text.rstrip()
    core = bare.removesuffix(END).rstrip()
    ending = END if bare.endswith(END) else ""
    return f"{opening}{lead}{core}{ending}{closing}{' ' if len(core) + len(ending) < len(text) else ''}"


def _read_before(text: str, end: int) -> str:
    """Return the characters before a raised run in or behind the text of a link, of which the address is none."""
    if text[end - 1 : end] == LINK_END:
        end = max(text.rfind(TARGET, 0, end), 0)
    before = text[max(0, end - LOOKBACK) : end].rpartition(LINK_END)[2]
    return before.rpartition(LINK)[2].translate(NO_MARKS)


def strip_bold(cell: str) -> str:
    """Return the text of a head cell without bold marks around all of it."""
    found = WHOLE_BOLD.fullmatch(cell.strip())
    return found[1] if found else cell
