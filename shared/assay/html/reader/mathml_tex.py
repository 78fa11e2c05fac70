"""Presentation MathML (MathML Core) as TeX, for formulas whose page gives no TeX."""

import re
from collections.abc import Callable

from assay.html.parser.html_element import HtmlElement
from assay.text.tex_notation import ACCENTS, FUNCTIONS, escape_tex, group_tex, join_tex

MAX_ELEMENTS = 2000  # elements per formula
MAX_NESTING = 60
HIDDEN = frozenset(("annotation", "annotation-xml", "mphantom"))
TOKENS = frozenset(("mi", "mn", "mo", "mtext", "ms"))
INVISIBLE = re.compile("[\u2061-\u2064\u200b\ufe0e]")


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
            return _write_token(tag, element.text or "")
        children = _select_child(element) if tag == "maction" else element
        parts = [self.write(child, nesting + 1) for child in children]
        if tag in SCRIPTED and len(parts) == SCRIPTED[tag].count("{}"):
            return SCRIPTED[tag].format(group_tex(parts[0]), *parts[1:])
        if tag in GROUPS:
            return GROUPS[tag](parts)
        return join_tex(parts)


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


def _write_token(tag: str, text: str) -> str:
    text = INVISIBLE.sub("", " ".join(text.split()))
    if tag in ("mtext", "ms"):
        return f"\\text{{{escape_tex(text)}}}" if text else ""
    if tag == "mi" and len(text) > 1 and text.isalpha() and text.isascii():
        return f"\\{text}" if text in FUNCTIONS else f"\\mathrm{{{text}}}"
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
    return f"\\{ACCENTS[over]}{{{base}}}" if over in ACCENTS else f"{group_tex(base)}^{{{over}}}"


def _write_table(parts: list[str]) -> str:
    return f"\\begin{{matrix}}{' \\\\ '.join(parts)}\\end{{matrix}}"


GROUPS: dict[str, Callable[[list[str]], str]] = {
    "mfrac": _write_fraction,
    "mroot": _write_root,
    "msqrt": _write_square_root,
    "mover": _write_over,
    "mtable": _write_table,
    "mtr": " & ".join,
}
