"""Characters of drawn formulas, and the alphabets that their code points or fonts show."""

import unicodedata

# By the first code point after a range of Mathematical Alphanumeric Symbols: the alphabet of the range.
ALPHABETS = (
    (0x1D434, "bold"), (0x1D468, ""), (0x1D49C, "bold-italic"), (0x1D504, "script"), (0x1D538, "fraktur"),
    (0x1D56C, "double-struck"), (0x1D5A0, "bold-fraktur"), (0x1D6A8, ""), (0x1D6E2, "bold"), (0x1D71C, ""),
    (0x1D7CE, "bold-italic"), (0x1D7D8, "bold"), (0x1D7E2, "double-struck"), (0x1D800, ""),
)  # fmt: skip
FIRST = 0x1D400
DOUBLE_STRUCK = frozenset("ℂℍℕℙℚℝℤ")
# Fonts of MathJax, by their names in classes and references.
FONTS = {"C": "script", "FR": "fraktur", "F": "fraktur", "B": "bold", "BI": "bold-italic", "DS": "double-struck"}


def read_letters(text: str, font: str = "") -> tuple[str, str]:
    """Return the text in plain letters, and the name of its alphabet; `font` is that of MathJax."""
    variant = FONTS.get(font, "")
    letters = []
    for letter in text:
        code = ord(letter)
        if letter in DOUBLE_STRUCK:
            variant = "double-struck"
        elif FIRST <= code < ALPHABETS[-1][0]:
            variant = variant or next(name for end, name in ALPHABETS if code < end)
        else:
            letters.append(letter)
            continue
        letters.append(unicodedata.normalize("NFKC", letter))
    return "".join(letters), variant
