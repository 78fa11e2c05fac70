"""The text inside a Word paragraph: what its reader sees, without what is hidden or deleted."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from assay.documents.docx_styles import TINY, DocxStyles, number, on
from assay.documents.omml import linear
from assay.documents.ooxml import Relation, address, child
from assay.documents.safe_xml import Element, attribute, local

DEPTH = 120
LEFT_OUT = {"del", "moveFrom", "delText", "instrText", "Fallback", "rPr", "pPr", "rt", "fldChar", "sdtPr"}
LITERAL = {"tab": " ", "ptab": " ", "cr": "\n", "noBreakHyphen": "-", "softHyphen": ""}
WHITE = re.compile(r"(?:F[4-9A-F]){3}", re.IGNORECASE)  # or so near to it that nobody can tell
COLOUR = re.compile(r"[0-9A-F]{6}", re.IGNORECASE)
PAPER = "FFFFFF"
NEAR = 11  # of 255 in each channel
HIGHLIGHTS = {
    "black": "000000", "blue": "0000FF", "cyan": "00FFFF", "green": "00FF00", "magenta": "FF00FF", "red": "FF0000",
    "yellow": "FFFF00", "white": "FFFFFF", "darkblue": "000080", "darkcyan": "008080", "darkgreen": "008000",
    "darkmagenta": "800080", "darkred": "800000", "darkyellow": "808000", "darkgray": "808080", "lightgray": "C0C0C0",
}  # fmt: skip
SYMBOLS = {  # of the Symbol and Wingdings fonts, by code point without F000
    0x2D: "−", 0x61: "α", 0x62: "β", 0x64: "δ", 0x65: "ε", 0x67: "γ", 0x6C: "λ", 0x6D: "μ", 0x70: "π", 0x71: "θ",
    0x73: "σ", 0x77: "ω", 0x44: "Δ", 0x53: "Σ", 0x57: "Ω", 0xA3: "≤", 0xB3: "≥", 0xB1: "±", 0xB4: "×", 0xB9: "≠",
    0xBB: "≈", 0xA5: "∞", 0xB7: "•", 0xAE: "→", 0xE0: "→", 0xDF: "←", 0xFC: "✓", 0xFB: "✗", 0xFE: "☑", 0xA8: "☐",
    0xD6: "√", 0xE5: "∑", 0xF2: "∫", 0xB6: "∂", 0xCE: "∈", 0xC8: "∪", 0xC7: "∩", 0xB0: "°",
}  # fmt: skip


@dataclass
class Notes:
    """Foot- and endnotes in the order in which the text calls them."""

    called: list[tuple[str, str]] = field(default_factory=list)
    _numbers: dict[tuple[str, str], int] = field(default_factory=dict)

    def mark(self, kind: str, note_id: str) -> str:
        number = self._numbers.setdefault((kind, note_id), len(self.called) + 1)
        if number > len(self.called):
            self.called.append((kind, note_id))
        return f"[^{number}]"


@dataclass
class Inline:
    """Reads runs. `boxes` collects the blocks of text boxes, which belong after their paragraph."""

    styles: DocxStyles
    relations: dict[str, Relation]
    notes: Notes
    boxed: Callable[[Element], None]
    hidden: int = 0

    def text(self, element: Element, depth: int = 0, *, ground: str = PAPER) -> str:
        """The text of a paragraph, hyperlink, insertion … and all in it."""
        if depth > DEPTH:
            return ""
        return "".join(self._one(part, depth + 1, ground) for part in element)

    def _one(self, part: Element, depth: int, ground: str) -> str:
        name = local(part)
        if name == "r":
            return self._run(part, depth, ground)
        if name == "t":
            return part.text or ""
        if name == "hyperlink":
            return self._hyperlink(part, depth, ground)
        if name in LEFT_OUT or not name:
            return ""
        reader = READERS.get(name)
        if reader:
            return reader(self, part)
        return LITERAL[name] if name in LITERAL else self.text(part, depth, ground=ground)

    def _run(self, run: Element, depth: int, ground: str) -> str:
        first = run[0] if len(run) else None
        if first is not None and local(first) == "rPr" and len(first) and self._is_hidden(first, ground):
            self.hidden += 1
            return ""
        return self.text(run, depth, ground=ground)

    def _is_hidden(self, properties: Element, ground: str) -> bool:
        told = {local(item): item for item in properties}
        vanish = told.get("vanish")
        if vanish is not None and on(vanish):
            return True
        if "sz" in told and number(told["sz"], TINY) < TINY:
            return True
        color = attribute(told["color"], "val") if "color" in told else ""
        if alike(color, _own_ground(told, ground)):
            return True
        return vanish is None and "rStyle" in told and self.styles.hidden(attribute(told["rStyle"], "val"))

    def _hyperlink(self, link: Element, depth: int, ground: str) -> str:
        text = self.text(link, depth, ground=ground)
        target = address(self.relations.get(attribute(link, "id")))
        return f"[{text}]({target})" if target and text.strip() else text

    def note(self, call: Element) -> str:
        return self.notes.mark(local(call).removesuffix("Reference"), attribute(call, "id"))

    def symbol(self, symbol: Element) -> str:
        try:
            code = int(attribute(symbol, "char"), 16)
        except ValueError:
            return ""
        if 0xF000 <= code <= 0xF0FF:
            return SYMBOLS.get(code - 0xF000, "•")
        return chr(code) if 0x20 <= code < 0xD800 else ""

    def line_end(self, line_end: Element) -> str:
        return "" if attribute(line_end, "type") in {"page", "column"} else "\n"

    def equation(self, equation: Element) -> str:
        return linear(equation).strip()

    def picture(self, drawing: Element) -> str:
        """A picture's description; its text boxes go to where blocks are kept."""
        words = ""
        for item in drawing.iter():
            name = local(item)
            if name == "txbxContent" and not _in_fallback(item, drawing):
                self.boxed(item)
            elif name == "docPr" and attribute(item, "hidden") not in {"1", "true"}:
                words = words or attribute(item, "descr")
            elif name == "shape":
                words = words or attribute(item, "alt")
        return f"![{' '.join(words.split())}]" if words.strip() else ""


def _in_fallback(item: Element, top: Element) -> bool:
    """Whether it is the copy for old programs, or a box within a box, which its outer box brings along."""
    while (item := item.getparent()) is not None and item is not top:
        if local(item) in {"Fallback", "txbxContent"}:
            return True
    return False


READERS: dict[str, Callable[[Inline, Element], str]] = {
    "footnoteReference": Inline.note,
    "endnoteReference": Inline.note,
    "sym": Inline.symbol,
    "br": Inline.line_end,
    "oMath": Inline.equation,
    "oMathPara": Inline.equation,
    "drawing": Inline.picture,
    "pict": Inline.picture,
    "object": Inline.picture,
}


def _own_ground(told: dict[str, Element], ground: str) -> str:
    """The colour that a run with these properties stands on."""
    if "highlight" in told:
        name = attribute(told["highlight"], "val")
        return ground if name == "none" else HIGHLIGHTS.get(name.lower(), "")
    return _fill_color(told["shd"], ground) if "shd" in told else ground


def ground_of(properties: Element, ground: str) -> str:
    """The colour that a paragraph or a cell stands on: its own shading's, else `ground`; "" where nobody knows."""
    shade = None if properties is None else child(properties, "shd")
    return ground if shade is None else _fill_color(shade, ground)


def _fill_color(shade: Element, ground: str) -> str:
    fill, pattern = attribute(shade, "fill").upper(), attribute(shade, "val")
    if pattern == "solid":  # the pattern's own colour covers the ground
        fill = attribute(shade, "color").upper()
    elif pattern not in ("", "clear", "nil"):
        return ""
    return ground if fill in ("", "AUTO") else fill if COLOUR.fullmatch(fill) else ""


def alike(color: str, ground: str) -> bool:
    """Whether nobody can tell the colours apart, given as six hexadecimal digits."""
    if not COLOUR.fullmatch(color) or not COLOUR.fullmatch(ground):
        return False
    return all(abs(one - two) <= NEAR for one, two in zip(bytes.fromhex(color), bytes.fromhex(ground), strict=True))
