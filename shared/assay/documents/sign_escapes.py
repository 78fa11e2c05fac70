"""Markdown escapes for the text of cells and paragraphs of documents. It needs fewer than the text of web pages."""

import re

from assay.html.reader.markdown_escapes import MANY, escape_signs

STARS = re.compile(r"(\*+)")
EMPHASIS = {  # where it may begin and end, by its sign
    "*": (re.compile(r"\*(?![\s*]|\Z)"), re.compile(r"(?<![\s*])(?<!\A)\*")),
    "_": (re.compile(r"(?<!\w)_++(?!\s|\Z)"), re.compile(r"(?<![\s_])(?<!\A)_+(?![^\W_])")),
}


def may_emphasise(text: str, sign: str) -> bool:
    """Return whether signs in the text could begin and end emphasis, where lines end with a tag."""
    if sign not in text:
        return False
    opening, ending = EMPHASIS[sign]
    text = "<".join(map(str.strip, text.strip().splitlines()))
    first = opening.search(text)
    return first is not None and any(found.start() > first.end() for found in ending.finditer(text))


def escape_part(text: str, *, has_stars: bool, has_low_lines: bool) -> str:
    """Escape a part of a line, given which signs in its text could be emphasis."""
    lines = MANY if has_low_lines else 1  # a single one needs no escape
    if has_stars or "*" not in text:
        return escape_signs(text, MANY, lines)
    return "".join(part if part[:1] == "*" else escape_signs(part, 0, lines) for part in STARS.split(text))
