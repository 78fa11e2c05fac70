"""TeX of formulas that MathJax 3 or 4 drew, on a server or in the browser that saved the page, without their source.

Its HTML has an element for each element of MathML, and the code points of characters in class names. Its SVG names them
in `data-mml-node` and `data-c`.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator

from assay.html.parser.html_element import HtmlElement
from assay.html.reader.formula_letters import read_letters
from assay.html.reader.math_formulas import with_number
from assay.html.reader.mathml_tex import HIDDEN, MAX_ELEMENTS, MAX_NESTING, TOKENS, combine, write_token
from assay.text.tex_notation import join_tex

PREFIX = "mjx-"
NODE = "data-mml-node"
CODE_CLASS = re.compile(r"(?<!\S)mjx-c([0-9A-F]{1,6})(?!\S)")
FONT_CLASS = re.compile(r"(?<!\S)(?:TEX|NCM)-([A-Z]{1,2})(?!\S)")
FONT_REFERENCE = re.compile(r"-(?:TEX|NCM)-([A-Z]{1,2})-[0-9A-F]+\Z")
HEIGHT = re.compile(r"translate\([-\d.e]+,\s*(-?[\d.]+)")
PRIVATE = re.compile("[\ue000-\uf8ff]+")  # parts of which long braces are drawn
LONG_SIGNS = {"mover": {"–": "‾", "―": "‾", "−": "‾"}, "munder": {}}
BRACES = {"mover": "⏞", "munder": "⏟"}
SCRIPTS = frozenset(("msub", "msup", "msubsup", "munder", "mover", "munderover"))
WITH_TWO_SCRIPTS = frozenset(("msubsup", "munderover"))
ROOTS = frozenset(("msqrt", "mroot"))
ROWS = frozenset(("mtr", "mlabeledtr"))
# Elements of the HTML that only place what is in them, and those that name the parts of an element.
BOXES = frozenset(("row", "box", "frac", "dbox", "dtable", "sqrt", "table", "itable"))
PARTS = {
    "mfrac": ("num", "den"), "msqrt": ("box",), "mroot": ("box", "root"),
    "munder": ("base", "under"), "mover": ("base", "over"), "munderover": ("base", "under", "over"),
}  # fmt: skip


def read_mathjax(drawn: HtmlElement) -> str:
    """Return the TeX of the formula that an element shows; "" if it is no such drawing."""
    for element in drawn.iter():
        if element.tag == "mjx-math":
            return HtmlDrawing().write(element, "math")
        if element.get(NODE) == "math":
            return SvgDrawing().write(element, "math")
    return ""


class Drawing(ABC):
    """What the two kinds of drawing have in common; `write` returns the TeX of an element."""

    def __init__(self) -> None:
        self.left = MAX_ELEMENTS

    def write(self, element: HtmlElement, name: str, nesting: int = 0) -> str:
        self.left -= 1
        if self.left < 0 or nesting > MAX_NESTING or name in HIDDEN:
            return ""
        if name in TOKENS:
            return write_token(name, *self._read(element))
        parts = [self.write(part, part_name, nesting + 1) for part, part_name in self._list_parts(element, name)]
        if name in BRACES and len(parts) == 2:
            sign = PRIVATE.sub(BRACES[name], parts[1])
            parts[1] = LONG_SIGNS[name].get(sign, sign)
        if name != "mtable":
            return combine(name, parts, has_line=self._has_line(element))
        is_equation = len(parts) == 1 and "&" not in parts[0]  # which is a table because of its number
        return with_number(parts[0] if is_equation else combine(name, parts), self._find_number(element))

    @abstractmethod
    def _read(self, token: HtmlElement) -> tuple[str, str]:
        """Return the characters of a token, and the name of their alphabet."""

    @abstractmethod
    def _list_parts(self, element: HtmlElement, name: str) -> list[tuple[HtmlElement, str]]:
        """Return the parts of an element with their names in MathML."""

    @abstractmethod
    def _has_line(self, fraction: HtmlElement) -> bool:
        """Return whether a fraction has a line."""

    @abstractmethod
    def _find_number(self, table: HtmlElement) -> str:
        """Return the number of an equation, which is a table; "" without one."""


class SvgDrawing(Drawing):
    """A formula as SVG."""

    def _read(self, token: HtmlElement) -> tuple[str, str]:
        shown, font = [], ""
        for part in token.iter():
            code = part.get("data-c")
            if code and part.tag in ("path", "use"):
                shown.append(_decode(code))
                reference = FONT_REFERENCE.search(part.get("xlink:href") or part.get("href") or "")
                font = font or (reference[1] if reference else "")
            elif part.tag == "text":
                shown.append(part.text or "")
        return read_letters("".join(shown), font)

    def _list_parts(self, element: HtmlElement, name: str) -> list[tuple[HtmlElement, str]]:
        parts = [*_iter_nodes(element)]
        if name == "mtable":
            parts = [part for part in parts if _name(part) in ROWS]
        if name in ROOTS:
            del parts[-1:]  # the sign of the root
        if name in WITH_TWO_SCRIPTS and len(parts) == 3 and _measure_height(parts[1]) > _measure_height(parts[2]):
            parts[1:] = parts[:0:-1]
        found = [(part, _name(part)) for part in parts]
        if name == "mroot" and len(found) > 2:  # the number of the root follows what is below it
            holder = parts[0].parent
            found = [(holder, "mrow"), found[-1]] if holder is not None else found
        return found

    def _has_line(self, fraction: HtmlElement) -> bool:
        return any(part.tag == "rect" for part in fraction)

    def _find_number(self, table: HtmlElement) -> str:
        cells = [part for part in _iter_nodes(table) if _name(part) == "mtd"]
        return "".join(self._read(cells[0])[0]) if len(cells) == 1 else ""


def _name(node: HtmlElement) -> str:
    return (node.get(NODE) or "").lower()


def _iter_nodes(element: HtmlElement) -> Iterator[HtmlElement]:
    """Yield the parts of an element, which may be in groups."""
    for part in element:
        if part.get(NODE):
            yield part
        elif part.tag in ("g", "svg", "a"):
            yield from _iter_nodes(part)


def _measure_height(part: HtmlElement) -> float:
    found = HEIGHT.search(part.get("transform") or "")
    return float(found[1]) if found else 0.0


def _decode(code: str) -> str:
    try:
        return chr(int(code[:6], 16))
    except ValueError:
        return ""


class HtmlDrawing(Drawing):
    """A formula as HTML."""

    def _read(self, token: HtmlElement) -> tuple[str, str]:
        shown, font = [], ""
        for part in _iter_characters(token):
            names = part.get("class") or ""
            code = CODE_CLASS.search(names)
            shown.append(_decode(code[1]) if code else part.text or "")
            found = FONT_CLASS.search(names)
            font = font or (found[1] if found else "")
        return read_letters("".join(shown), font)

    def _list_parts(self, element: HtmlElement, name: str) -> list[tuple[HtmlElement, str]]:
        script = next((part for part in element if part.tag == "mjx-script"), None)
        if name in SCRIPTS and script is not None:
            scripts = [part for part in script if part.tag != "mjx-spacer"]
            base = next(part for part in element)
            return [(part, _short(part)) for part in (base, *reversed(scripts))]
        if name in PARTS:
            named = {_short(part): part for part in _iter_inside(element)}
            return [(named[part], "mrow") for part in PARTS[name] if part in named]
        parts = [*_iter_inside(element)] if name == "mtable" else [*element]
        wanted = ROWS if name == "mtable" else None
        return [(part, _short(part)) for part in parts if wanted is None or _short(part) in wanted]

    def _has_line(self, fraction: HtmlElement) -> bool:
        return not any(part.get("atop") == "true" for part in fraction)

    def _find_number(self, table: HtmlElement) -> str:
        labels = next((part for part in _iter_inside(table) if _short(part) == "labels"), None)
        cells = [] if labels is None else [*labels.iter("mjx-mtd")]
        return join_tex([self._read(cells[0])[0]]) if len(cells) == 1 else ""


def _short(element: HtmlElement) -> str:
    return element.tag.removeprefix(PREFIX)


def _iter_inside(element: HtmlElement) -> Iterator[HtmlElement]:
    """Yield the parts of an element, also those in boxes that place them, with the boxes of roots."""
    for part in element:
        short = _short(part)
        if short == "box" and element.tag == "mjx-sqrt":
            yield part
        elif short in BOXES or (short == "munder" and element.tag == "mjx-box"):
            yield from _iter_inside(part)
        else:
            yield part


def _iter_characters(element: HtmlElement) -> Iterator[HtmlElement]:
    """Yield the elements that show a character; a long sign is drawn of several, and has the class itself."""
    for part in element:
        if part.tag in ("mjx-c", "mjx-utext") or CODE_CLASS.search(part.get("class") or ""):
            yield part
        else:
            yield from _iter_characters(part)
