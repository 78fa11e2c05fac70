"""Inline content of Word paragraphs (ECMA-376 part 1 clause 17.3): visible runs, links, symbols, note references."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from assay.documents.docx_styles import TINY, DocxStyles, is_on, read_int
from assay.documents.omml import format_linear
from assay.documents.ooxml import Relation, find_child, link_target
from assay.documents.safe_xml import Element, get_attribute, local_name

DEPTH = 120  # maximum nesting
LEFT_OUT = {"del", "moveFrom", "delText", "instrText", "Fallback", "rPr", "pPr", "rt", "fldChar", "sdtPr"}
LITERAL = {"tab": " ", "ptab": " ", "cr": "\n", "noBreakHyphen": "-", "softHyphen": ""}
WHITE = re.compile(r"(?:F[4-9A-F]){3}", re.IGNORECASE)  # includes near-white: at least F4 in each channel
COLOUR = re.compile(r"[0-9A-F]{6}", re.IGNORECASE)
PAPER = "FFFFFF"
NEAR = 11  # maximum difference per channel (0 to 255) of colours that readers cannot distinguish
HIGHLIGHTS = {
    "black": "000000", "blue": "0000FF", "cyan": "00FFFF", "green": "00FF00", "magenta": "FF00FF", "red": "FF0000",
    "yellow": "FFFF00", "white": "FFFFFF", "darkblue": "000080", "darkcyan": "008080", "darkgreen": "008000",
    "darkmagenta": "800080", "darkred": "800000", "darkyellow": "808000", "darkgray": "808080", "lightgray": "C0C0C0",
}  # fmt: skip
SYMBOLS = {  # characters of the Symbol and Wingdings fonts, by code point minus 0xF000
    0x2D: "−", 0x61: "α", 0x62: "β", 0x64: "δ", 0x65: "ε", 0x67: "γ", 0x6C: "λ", 0x6D: "μ", 0x70: "π", 0x71: "θ",
    0x73: "σ", 0x77: "ω", 0x44: "Δ", 0x53: "Σ", 0x57: "Ω", 0xA3: "≤", 0xB3: "≥", 0xB1: "±", 0xB4: "×", 0xB9: "≠",
    0xBB: "≈", 0xA5: "∞", 0xB7: "•", 0xAE: "→", 0xE0: "→", 0xDF: "←", 0xFC: "✓", 0xFB: "✗", 0xFE: "☑", 0xA8: "☐",
    0xD6: "√", 0xE5: "∑", 0xF2: "∫", 0xB6: "∂", 0xCE: "∈", 0xC8: "∪", 0xC7: "∩", 0xB0: "°",
}  # fmt: skip


@dataclass
class Notes:
    """Footnotes and endnotes in the order in which the text references them."""

    called: list[tuple[str, str]] = field(default_factory=list)
    _numbers: dict[tuple[str, str], int] = field(default_factory=dict)

    def mark(self, kind: str, note_id: str) -> str:
        number = self._numbers.setdefault((kind, note_id), len(self.called) + 1)
        if number > len(self.called):
            self.called.append((kind, note_id))
        return f"[^{number}]"


@dataclass
class Inline:
    """Converts runs to Markdown. `add_box` receives each text box, whose content follows its paragraph."""

    styles: DocxStyles
    relations: dict[str, Relation]
    notes: Notes
    add_box: Callable[[Element], None]
    hidden: int = 0

    def text(self, element: Element, depth: int = 0, *, ground: str = PAPER) -> str:
        """The visible text of a paragraph, hyperlink, insertion or other inline container."""
        if depth > DEPTH:
            return ""
        return "".join(self._one(part, depth + 1, ground) for part in element)

    def _one(self, part: Element, depth: int, ground: str) -> str:
        name = local_name(part)
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
        if first is not None and local_name(first) == "rPr" and len(first) and self._is_hidden(first, ground):
            self.hidden += 1
            return ""
        return self.text(run, depth, ground=ground)

    def _is_hidden(self, properties: Element, ground: str) -> bool:
        properties_by_name = {local_name(item): item for item in properties}
        vanish = properties_by_name.get("vanish")
        if vanish is not None and is_on(vanish):
            return True
        if "sz" in properties_by_name and read_int(properties_by_name["sz"], TINY) < TINY:
            return True
        color = get_attribute(properties_by_name["color"], "val") if "color" in properties_by_name else ""
        if is_similar_color(color, _own_ground(properties_by_name, ground)):
            return True
        return (
            vanish is None
            and "rStyle" in properties_by_name
            and self.styles.is_hidden(get_attribute(properties_by_name["rStyle"], "val"))
        )

    def _hyperlink(self, link: Element, depth: int, ground: str) -> str:
        text = self.text(link, depth, ground=ground)
        target = link_target(self.relations.get(get_attribute(link, "id")))
        return f"[{text}]({target})" if target and text.strip() else text

    def note(self, call: Element) -> str:
        return self.notes.mark(local_name(call).removesuffix("Reference"), get_attribute(call, "id"))

    def symbol(self, symbol: Element) -> str:
        try:
            code = int(get_attribute(symbol, "char"), 16)
        except ValueError:
            return ""
        if 0xF000 <= code <= 0xF0FF:
            return SYMBOLS.get(code - 0xF000, "•")
        return chr(code) if 0x20 <= code < 0xD800 else ""

    def line_end(self, line_end: Element) -> str:
        return "" if get_attribute(line_end, "type") in {"page", "column"} else "\n"

    def equation(self, equation: Element) -> str:
        return format_linear(equation).strip()

    def picture(self, drawing: Element) -> str:
        """The alternative text of a picture as Markdown; passes its text boxes to `add_box`."""
        description = ""
        for item in drawing.iter():
            name = local_name(item)
            if name == "txbxContent" and not _in_fallback(item, drawing):
                self.add_box(item)
            elif name == "docPr" and get_attribute(item, "hidden") not in {"1", "true"}:
                description = description or get_attribute(item, "descr")
            elif name == "shape":
                description = description or get_attribute(item, "alt")
        return f"![{' '.join(description.split())}]" if description.strip() else ""


def _in_fallback(item: Element, top: Element) -> bool:
    """Whether the text box is a compatibility copy (`mc:Fallback`) or nested in another text box."""
    while (item := item.getparent()) is not None and item is not top:
        if local_name(item) in {"Fallback", "txbxContent"}:
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


def _own_ground(properties_by_name: dict[str, Element], ground: str) -> str:
    """The background colour of a run: its highlight, its shading, or `ground`."""
    if "highlight" in properties_by_name:
        name = get_attribute(properties_by_name["highlight"], "val")
        return ground if name == "none" else HIGHLIGHTS.get(name.lower(), "")
    return _fill_color(properties_by_name["shd"], ground) if "shd" in properties_by_name else ground


def ground_of(properties: Element, ground: str) -> str:
    """The background colour of a paragraph or cell: its own shading, or `ground`; "" if unknown (a pattern fill)."""
    shade = None if properties is None else find_child(properties, "shd")
    return ground if shade is None else _fill_color(shade, ground)


def _fill_color(shade: Element, ground: str) -> str:
    fill, pattern = get_attribute(shade, "fill").upper(), get_attribute(shade, "val")
    if pattern == "solid":  # the pattern colour covers the fill colour
        fill = get_attribute(shade, "color").upper()
    elif pattern not in ("", "clear", "nil"):
        return ""
    return ground if fill in ("", "AUTO") else fill if COLOUR.fullmatch(fill) else ""


def is_similar_color(color: str, ground: str) -> bool:
    """Whether two colours (RRGGBB) are so close that text in one is invisible on the other."""
    if not COLOUR.fullmatch(color) or not COLOUR.fullmatch(ground):
        return False
    return all(abs(one - two) <= NEAR for one, two in zip(bytes.fromhex(color), bytes.fromhex(ground), strict=True))
