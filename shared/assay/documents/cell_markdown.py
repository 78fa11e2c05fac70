"""The text of cells of sheets as markdown that reads back as that text, with links where programs marked them."""

from collections.abc import Callable
from functools import partial

from assay.documents.office_fields import CLOSE, MARKED, OPEN, UNPAIRED
from assay.documents.sign_escapes import escape_part, may_emphasise
from assay.html.reader.markdown_escapes import SPECIAL, escape_brackets, escape_heading_end
from assay.text.sanitize import sanitise

type Escape = Callable[[str], str]


def format_cell(text: str) -> str:
    """Return markdown for the text of a cell, in which control characters may mark a link."""
    if SPECIAL.search(text) is None and OPEN not in text and CLOSE not in text:
        return text
    words = MARKED.sub(r"\1", text)
    escape = partial(escape_part, has_stars=may_emphasise(words, "*"), has_low_lines=may_emphasise(words, "_"))
    return _format_lines("\n".join(text.splitlines()), escape)


def format_sheet_name(name: str) -> str:
    """Return markdown for a name in a heading."""
    return escape_heading_end(format_cell(" ".join(name.split())))


def _format_lines(text: str, escape: Escape) -> str:
    written: list[str] = []
    place = 0
    for found in MARKED.finditer(text):
        before, words = _escape_lines(text[place : found.start()], escape), _escape_lines(found[1], escape)
        place = found.end()
        if words.strip():
            before = f"{before[:-1]}\\!" if before.endswith("!") else before  # that of an image
            words = f"[{escape_brackets(words)}]({found[2]})"
        written += (before, words)
    return "".join((*written, _escape_lines(text[place:], escape, is_last=True)))


def _escape_lines(text: str, escape: Escape, *, is_last: bool = False) -> str:
    """Escape a part of a text, of which the last line goes on unless it is the last part."""
    *lines, last = UNPAIRED.sub("", text).split("\n")
    last = sanitise(last)
    return "\n".join((*(escape(sanitise(line).rstrip()) for line in lines), escape(last.rstrip() if is_last else last)))
