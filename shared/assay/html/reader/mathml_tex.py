"""Presentation MathML (MathML Core) as TeX, for formulas whose page gives no TeX."""

import re
from collections.abc import Callable

from assay.html.parser.html_element import HtmlElement
from assay.text.tex_notation import ACCENTS, BRACES, FUNCTIONS, escape_tex, group_tex, join_tex

MAX_ELEMENTS = 2000  # elements per formula
MAX_NESTING = 60
HIDDEN = frozenset(("annotation", "annotation-xml", "mphantom"))
TOKENS = frozenset(("mi", "mn", "mo", "mtext", "ms"))
INVISIBLE = re.compile("[\u2061-\u2064\u200b\ufe0e]")
SPACES = re.compile(r"[ \t\r\n]+")  # not those that cannot break, which are seen at the ends of a text, too
NO_LINE = re.compile(r"\s*0(?:\.0*)?[a-z%]*\s*")  # the thickness of the line of a fraction that has none
OVER = ACCENTS | BRACES
ALPHABETS = {
    "double-struck": "mathbb", "script": "mathcal", "bold-script": "mathcal", "fraktur": "mathfrak",
    "bold-fraktur": "mathfrak", "bold": "mathbf", "bold-italic": "boldsymbol",
}  # fmt: skip
UNDER = BRACES | dict.fromkeys(("\\_", "―", "‾", "¯", "\u0332"), "underline")


class TexWriter:
    """Writes one formula. `is_visible` decides which elements a reader of the page sees."""

    def __init__(self, is_visible: Callable[[HtmlElement], bool]) -> None:
        self.is_visible = is_visible
        self.left = MAX_ELEMENTS

    def write(self, element: HtmlElement, nesting: int = 0) -> str:
        self.left -= 1
        tag = element.tag
        if self.left < 0 or nesting > MAX_NESTING or tag in HIDDEN or not self.is_visible(element):
            return ""
        if tag in TOKENS:
            return write_token(tag, element.text or "", element.get("mathvariant") or "")
        children = _select_child(element) if tag == "maction" else element
        parts = [self.write(child, nesting + 1) for child in children]
        return combine(tag, parts, has_line=not NO_LINE.fullmatch(element.get("linethickness") or ""))


def combine(tag: str, parts: list[str], *, has_line: bool = True) -> str:
    """Return the TeX of an element from that of its parts; `has_line` says a fraction has one."""
    if tag == "munder" and len(parts) == 2 and parts[1] in UNDER:
        return f"\\{UNDER[parts[1]]}{{{parts[0]}}}"
    if tag == "mfrac" and len(parts) == 2 and not has_line:
        return f"{{{parts[0]} \\atop {parts[1]}}}"
    if tag in SCRIPTED and len(parts) == SCRIPTED[tag].count("{}"):
        return SCRIPTED[tag].format(group_tex(parts[0]), *parts[1:])
    return GROUPS.get(tag, join_tex)(parts)


# Elements whose first child has scripts.
SCRIPTED = {
    "msub": "{}_{{{}}}",
    "msup": "{}^{{{}}}",
    "msubsup": "{}_{{{}}}^{{{}}}",
    "munder": "{}_{{{}}}",
    "munderover": "{}_{{{}}}^{{{}}}",
}


def _select_child(element: HtmlElement) -> list[HtmlElement]:
    """Return the child of a `maction` that is shown."""
    selection = (element.get("selection") or "1").strip()
    place = int(selection[:9]) if selection.isdecimal() else 1
    return [*element][place - 1 : place]


def write_token(tag: str, shown: str, variant: str = "") -> str:
    """Return the TeX of the text of a token, of which `variant` names the letters."""
    text = INVISIBLE.sub("", SPACES.sub(" ", shown).strip(" ")).replace("\xa0", " ")
    if tag in ("mtext", "ms"):
        return f"\\text{{{escape_tex(text)}}}" if text else ""
    if tag in ("mi", "mo") and text in FUNCTIONS:
        return f"\\{text}"
    alphabet = ALPHABETS.get(variant) if tag != "mo" and text else None
    if alphabet is not None:
        return f"\\{alphabet}{{{escape_tex(text)}}}"
    if tag == "mi" and len(text) > 1 and text.isalpha() and text.isascii():
        return f"\\mathrm{{{text}}}"
    return escape_tex(text)


def _write_fraction(parts: list[str]) -> str:
    return f"\\frac{{{parts[0]}}}{{{parts[1]}}}" if len(parts) == 2 else join_tex(parts)


def _write_root(parts: list[str]) -> str:
    return f"\\sqrt[{parts[1]}]{{{parts[0]}}}" if len(parts) == 2 else _write_square_root(parts)


def _write_square_root(parts: list[str]) -> str:
    return f"\\sqrt{{{join_tex(parts)}}}"


def _write_over(parts: list[str]) -> str:
    if len(parts) != 2:
        return join_tex(parts)
    base, over = parts
    return f"\\{OVER[over]}{{{base}}}" if over in OVER else f"{group_tex(base)}^{{{over}}}"


def _write_labelled_row(parts: list[str]) -> str:
    """Return a row whose first cell is the number of the equation, which stands at its end."""
    return " & ".join(parts[1:] + parts[:1])


def _write_table(parts: list[str]) -> str:
    return f"\\begin{{matrix}}{' \\\\ '.join(parts)}\\end{{matrix}}"


GROUPS: dict[str, Callable[[list[str]], str]] = {
    "mfrac": _write_fraction,
    "mroot": _write_root,
    "msqrt": _write_square_root,
    "mover": _write_over,
    "mtable": _write_table,
    "mtr": " & ".join,
    "mlabeledtr": _write_labelled_row,
}
