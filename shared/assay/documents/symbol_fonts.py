"""Characters of the Symbol and Wingdings fonts, whose codes stand for signs: "m" in Symbol is the micro of 5 μm."""

PRIVATE = 0xF000  # where Unicode text has the codes of such fonts
SYMBOL = (
    dict(enumerate(" !∀#∃%&∋()∗+,−./0123456789:;<=>?"
        "≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼", 0x20))
    | {0xA0: "€"}
    | dict(enumerate("ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪", 0xA1))
    | dict(enumerate("〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭", 0xF1))
)  # fmt: skip
WINGDINGS = {
    0x20: " ", 0xA0: " ",
    0x22: "✂", 0x28: "☎", 0x2A: "✉", 0x46: "☞", 0x4A: "☺", 0x4C: "☹", 0x6C: "●", 0x6E: "■", 0x6F: "□", 0x71: "❑",
    0x72: "❒", 0x75: "◆", 0x76: "❖", 0x9F: "•", 0xA7: "▪", 0xA8: "☐", 0xD8: "➢", 0xDF: "←", 0xE0: "→", 0xE1: "↑",
    0xE2: "↓", 0xE8: "➔", 0xF0: "⇨", 0xFB: "✗", 0xFC: "✓", 0xFD: "☒", 0xFE: "☑",
}  # fmt: skip
SIGNS_BY_FONT = {"symbol": SYMBOL, "symbolmt": SYMBOL, "wingdings": WINGDINGS, "wingdings-regular": WINGDINGS}
COMMON = SYMBOL | {code: WINGDINGS[code] for code in (0xA8, 0xDF, 0xE0, 0xFB, 0xFC, 0xFD, 0xFE)}  # of an unknown font


def find_signs(font: str) -> dict[int, str] | None:
    """The signs of a font by code; None if it is a font for letters."""
    return SIGNS_BY_FONT.get(font.strip(" ;").lower().replace(" ", ""))


def read_private(text: str, font: str = "") -> str:
    """The text with signs in place of private characters that stand for codes of such fonts."""
    if text.isascii():
        return text
    signs = find_signs(font) or COMMON
    return "".join(
        signs.get(ord(each) - PRIVATE, each) if PRIVATE + 0x20 <= ord(each) <= PRIVATE + 0xFF else each for each in text
    )


def read_sign(code: int, font: str) -> str:
    """The character with a code in a font, which may be one of signs; "" for none."""
    if PRIVATE <= code <= PRIVATE + 0xFF or (code <= 0xFF and find_signs(font)):
        return (find_signs(font) or COMMON).get(code % PRIVATE, "•")
    return chr(code) if 0x20 <= code < 0xD800 else ""
