"""Paragraph styles of RTF files: what the names of built-in ones make of a paragraph."""

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from assay.documents.docx_blocks import CODE_STYLE, QUOTE_STYLE, find_style_depth

HEADING = re.compile(r"heading ([1-9])|title", re.IGNORECASE)
NAME = re.compile(r"\s*([^,;]{1,100}?)\s*[,;]")  # further names may follow it


class RtfStyle(NamedTuple):
    """What a style makes of its paragraphs; `depth` is the list level that its name stands for."""

    heading: int = 0
    depth: int = 0
    is_code: bool = False
    is_quote: bool = False


UNSTYLED = RtfStyle()


@dataclass
class RtfStyles:
    """The paragraph styles by number, of those that make something of their paragraphs."""

    _styles: dict[int, RtfStyle] = field(default_factory=dict)
    _number: int | None = 0  # of the style that is being defined; None for one of characters
    _level: int = 0

    def define(self, word: str, number: int) -> None:
        """Handle a control word in the definition of a style."""
        if word == "s":
            self._number = number
        elif word == "cs":
            self._number = None
        elif word == "outlinelevel" and 0 <= number < 9:
            self._level = number + 1

    def end_definition(self, text: str) -> None:
        """End the definition of a style, whose name is the beginning of the text."""
        found = NAME.match(text)
        name = found[1] if found else ""
        heading = HEADING.fullmatch(name)
        level = int(heading[1] or 1) if heading else self._level
        style = RtfStyle(
            level,
            find_style_depth(name),
            CODE_STYLE.fullmatch(name) is not None,
            QUOTE_STYLE.fullmatch(name) is not None,
        )
        if self._number is not None and style != UNSTYLED:
            self._styles[self._number] = style
        self._number, self._level = 0, 0

    def find(self, number: int) -> RtfStyle:
        return self._styles.get(number, UNSTYLED)
