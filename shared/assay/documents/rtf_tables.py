"""The font and colour tables of an RTF file, and its code page: which characters bytes stand for, what is white."""

import codecs
from dataclasses import dataclass, field

from assay.documents.docx_blocks import MONOSPACED
from assay.documents.rtf_words import CHARSETS, CODE_PAGES, WHITE
from assay.documents.symbol_fonts import find_signs, read_private


@dataclass
class RtfTables:
    """The fonts by number with their codecs, the colours, and the codec of text in other fonts."""

    _page: str = "cp1252"
    _fonts: dict[int, str] = field(default_factory=dict)
    _names: dict[int, str] = field(default_factory=dict)
    _font: int = 0  # the one that is being defined
    _colours: list[list[int]] = field(default_factory=lambda: [[]])

    def choose_page(self, word: str, number: int | None) -> None:
        """Handle a control word that may choose the code page of the file."""
        if word in CODE_PAGES:
            self._page = CODE_PAGES[word]
        elif word == "ansicpg":
            self._page = _find_codec(f"cp{number}") or self._page

    def define(self, word: str, number: int) -> None:
        """Handle a control word in the font or colour table."""
        if word == "f":
            self._font = number
        elif word == "fcharset":
            self._fonts[self._font] = CHARSETS.get(number, "")
        elif word == "cpg":
            self._fonts[self._font] = _find_codec(f"cp{number}")
        elif word in ("red", "green", "blue"):
            self._colours[-1].append(number)

    def end_colours(self, count: int) -> None:
        """Begin the next colour, after so many have ended."""
        self._colours += [[] for _ in range(count)]

    def name_font(self, text: str) -> None:
        """Add a piece of the name of the font that is being defined."""
        name = self._names.get(self._font, "")
        if len(name) < 40:
            self._names[self._font] = name + text

    def decode(self, raw: bytes, font: int) -> str:
        """The characters of bytes in a font."""
        signs = find_signs(self._names.get(font, ""))
        if signs is not None:
            return "".join(signs.get(code, chr(code) if code < 0x20 else "•") for code in raw)
        return raw.decode(self._fonts.get(font) or self._page, "replace")

    def read_private(self, character: str, font: int) -> str:
        """A Unicode character in a font, as a sign if it stands for the code of one."""
        return read_private(character, self._names.get(font, ""))

    def is_monospaced(self, font: int) -> bool:
        return MONOSPACED.search(self._names.get(font, "")) is not None

    def is_white(self, number: int) -> bool:
        colour = self._colours[number] if 0 < number < len(self._colours) else []
        return len(colour) == 3 and min(colour) >= WHITE


def _find_codec(name: str) -> str:
    try:
        return codecs.lookup(name).name
    except (LookupError, OSError):  # in the sandbox, a codec that is not yet imported cannot be loaded
        return ""
