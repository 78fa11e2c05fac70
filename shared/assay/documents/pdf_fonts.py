"""Fonts of PDF text: whether a font is bold or italic, and whether its characters all have one width."""

import ctypes
import re
from functools import lru_cache
from typing import NamedTuple

from assay.documents.pdfium import pdfium

NAME_BYTES = 128
FIXED_PITCH, ITALIC_FLAG, FORCE_BOLD = 1, 1 << 6, 1 << 18  # flags of a font descriptor (ISO 32000-1, 9.8.2)
BOLD = re.compile(r"bold|black(?!letter)|heavy|(?<!aca)demi|-medi(?!um)|bx|\bcmb\d|tb$|\.b$", re.IGNORECASE)
ITALIC = re.compile(
    r"italic|oblique|slanted|ital$|(?<![a-z])(?:cm|ec|sf|lm)(?:ti|sl|bxti|bxsl)\d|[-.]i$|(?-i:It|IT)$", re.IGNORECASE
)
FIXED = re.compile(
    r"mono(?!type)|nimbusmon|couri|typewriter|consolas|menlo|monaco|(?<!bar)(?<!en)code(?!c|s)|fixed|terminal|inconsolata"
    r"|(?<![a-z])(?:cm|ec|sf|lm|ae|pc|v)?[a-z]{0,2}l?tt(?:\d|[bi]?$|-)",
    re.IGNORECASE,
)
MATH = re.compile(
    r"math|cambria ?math|symbol|stix|(?<![a-z])(?:cm|lm|eu|tx|px|zpl|rtx|mt)?(?:mi|sy|ex|mmi|msy|mex)b?\d*(?![a-z])"
    r"|(?<![a-z])ms[ab]m\d|rsfs|eufm",
    re.IGNORECASE,
)
GLYPHLESS = re.compile("glyphless", re.IGNORECASE)  # of recognised text, which is not drawn: it tells of no letters
LARGE = re.compile(r"(?<![a-z])(?:cm|tx|px|zpl)ex[ab]?\d*(?![a-z])", re.IGNORECASE)


class FontStyle(NamedTuple):
    """What the name and the flags of a font say of it; `is_named` is false if it has no name."""

    is_bold: bool
    is_italic: bool
    is_fixed: bool
    is_named: bool
    is_math: bool  # a font of formulas
    is_large: bool  # the font of large signs of formulas
    is_glyphless: bool  # a font that draws nothing


class FontReader:
    """Reads the fonts of characters of a text page."""

    def __init__(self, handle: int) -> None:
        self._handle = handle
        self._name = ctypes.create_string_buffer(NAME_BYTES)

    def read(self, character: int) -> FontStyle:
        return classify_font(*self._read(character))

    def read_name(self, character: int) -> str:
        """The name of the font of a character without the tag of a subset."""
        return _read_name(self._read(character)[0])

    def _read(self, character: int) -> tuple[bytes, int]:
        api = pdfium()
        size = api.Text_GetFontInfo(self._handle, character, ctypes.addressof(self._name), NAME_BYTES, api.four_ints[0])
        return self._name.value if 1 < size <= NAME_BYTES else b"", api.signed[0] if size else 0


def _read_name(name: bytes) -> str:
    text = name.decode("utf-8", "replace")
    return text.partition("+")[2] or text


@lru_cache(1000)
def classify_font(name: bytes, flags: int) -> FontStyle:
    """Judge a font by its name without the tag of a subset, and by its flags."""
    text = _read_name(name)
    is_glyphless = GLYPHLESS.search(text) is not None
    return FontStyle(
        bool(BOLD.search(text)) or (flags > 0 and flags & FORCE_BOLD > 0),
        bool(ITALIC.search(text)) or (flags > 0 and flags & ITALIC_FLAG > 0),
        not is_glyphless and (bool(FIXED.search(text)) or (flags > 0 and flags & FIXED_PITCH > 0)),
        bool(text),
        bool(MATH.search(text)),
        bool(LARGE.search(text)),
        is_glyphless,
    )
