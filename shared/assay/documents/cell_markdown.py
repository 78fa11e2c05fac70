"""The text of cells of sheets as markdown that reads back as that text, with links where programs marked them."""

import re
from functools import partial

from assay.documents.office_fields import CLOSE, MARKED, OPEN, UNPAIRED
from assay.html.reader.markdown_escapes import MANY, SPECIAL, escape_brackets, escape_signs
from assay.text.sanitize import sanitise

STARS = re.compile(r"(\*+)")
OPENING, ENDING = re.compile(r"\*(?![\s*]|\Z)"), re.compile(r"(?<![\s*])(?<!\A)\*")  # where emphasis may begin and end
LOW_LINES = re.compile(r"(?<![^\W_])_+|_+(?![^\W_])")  # those that may begin or end emphasis
CLOSING = re.compile(r"(?<!\S)#+$")  # signs at the end of a heading that markdown would leave out


def format_cell(text: str) -> str:
    """Return markdown for the text of a cell, in which control characters may mark a link."""
    if SPECIAL.search(text) is None and OPEN not in text and CLOSE not in text:
        return text
    words = MARKED.sub(r"\1", text)
    stars, low_lines = MANY if _may_emphasise(words) else 0, len(LOW_LINES.findall(words))
    return _format_lines("\n".join(text.splitlines()), stars, low_lines)


def _may_emphasise(text: str) -> bool:
    """Return whether stars in the text could begin and end emphasis, where lines end with a tag."""
    text = "<".join(map(str.strip, text.strip().splitlines()))
    first = OPENING.search(text)
    return first is not None and any(found.start() > first.end() for found in ENDING.finditer(text))


def format_sheet_name(name: str) -> str:
    """Return markdown for a name in a heading."""
    return CLOSING.sub(lambda found: f"\\{found.group()}", format_cell(" ".join(name.split())))


def _format_lines(text: str, stars: int, low_lines: int) -> str:
    escape = partial(_escape_lines, stars=stars, low_lines=low_lines)
    written: list[str] = []
    place = 0
    for found in MARKED.finditer(text):
        before, words = escape(text[place : found.start()]), escape(found[1])
        place = found.end()
        if words.strip():
            before = f"{before[:-1]}\\!" if before.endswith("!") else before  # that of an image
            words = f"[{escape_brackets(words)}]({found[2]})"
        written += (before, words)
    return "".join((*written, escape(text[place:], is_last=True)))


def _escape_lines(text: str, *, stars: int, low_lines: int, is_last: bool = False) -> str:
    """Escape a part of a text, of which the last line goes on unless it is the last part."""
    *lines, last = UNPAIRED.sub("", text).split("\n")
    written = [_escape(line, stars=stars, low_lines=low_lines, is_last=True) for line in lines]
    return "\n".join((*written, _escape(last, stars=stars, low_lines=low_lines, is_last=is_last)))


def _escape(text: str, *, stars: int, low_lines: int, is_last: bool) -> str:
    """Escape a part of a line, without its stars if `stars` is 0."""
    text = sanitise(text)
    text = text.rstrip() if is_last else text
    if stars:
        return escape_signs(text, stars, low_lines)
    return "".join(part if part[:1] == "*" else escape_signs(part, 0, low_lines) for part in STARS.split(text))
