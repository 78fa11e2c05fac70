"""TeX of formulas that KaTeX drew without their source, as its option `output: "html"` does.

Each part is a `span`, of which the classes say what it is. Parts above each other are a list from the lowest to the
highest, but for the rows of a column.
"""

from itertools import zip_longest

from assay.html.parser.html_element import HtmlElement
from assay.html.reader.formula_letters import read_letters
from assay.html.reader.math_formulas import with_number
from assay.html.reader.mathml_tex import MAX_ELEMENTS, MAX_NESTING, combine, write_token
from assay.text.tex_notation import join_tex
from assay.text.word_lists import parse_words

UNREAD = parse_words("strut pstrut mspace nulldelimiter vlist-s frac-line overline-line underline-line hide-tail fix")
ALPHABETS = {
    "mathbb": "double-struck", "mathcal": "script", "mathscr": "script", "mathfrak": "fraktur", "mathbf": "bold",
    "boldsymbol": "bold-italic",
}  # fmt: skip
TOKENS = {"mathnormal": "mi", "mop": "mi", "mathrm": "mi", "text": "mtext"}  # by the class; others are signs
COLUMNS = parse_words("col-align-l col-align-c col-align-r")
LIMIT = "sizing"  # of the smaller parts above and below an operator
STROKE = "\ue020"  # through the sign that follows
STRUCK = {"=": "≠", "∈": "∉", "∋": "∌", "≡": "≢", "∼": "≁", "≤": "≰", "≥": "≱", "<": "≮", ">": "≯", "⊂": "⊄"}
# The pieces of tall brackets.
BRACKETS = {"⎛": "(", "⎞": ")", "⎡": "[", "⎤": "]", "⎧": "\\{", "⎫": "\\}", "∣": "|", "∥": "‖"}


def read_katex(drawn: HtmlElement) -> str:
    """Return the TeX of the formula that an element shows; "" if it is no such drawing."""
    holder = next((element for element in drawn.iter("span") if "katex-html" in _names(element)), None)
    tex = KatexDrawing().write(holder) if holder is not None else ""
    for sign, struck in STRUCK.items():
        tex = tex.replace(STROKE + sign, struck)
    return tex.replace(STROKE, "\\not ")


class KatexDrawing:
    """One formula."""

    def __init__(self) -> None:
        self.left = MAX_ELEMENTS
        # By the class of an element that has parts above each other.
        self.stacks = {
            "mtable": self._write_table,
            "mfrac": self._write_fraction,
            "sqrt": self._write_root,
            "accent": self._write_accent,
            "overline": self._write_line,
            "underline": self._write_line,
            "op-limits": self._write_limits,
            "munder": self._write_brace,
            "mover": self._write_brace,
            "vlist-t": self._write_stack,
        }

    def write(self, element: HtmlElement, nesting: int = 0) -> str:
        """Return the TeX of an element."""
        self.left -= 1
        names = _names(element)
        if self.left < 0 or nesting > MAX_NESTING or element.tag != "span" or not UNREAD.isdisjoint(names):
            return ""
        if "mult" in names:
            return _read_bracket(element)
        for name, write in self.stacks.items():
            if name in names:
                return write(element, nesting + 1)
        if element.first is None or "text" in names:
            return _write_token(element, names)
        return self._write_row(element, nesting + 1)

    def _write_all(self, elements: list[HtmlElement], nesting: int) -> list[str]:
        return [self.write(element, nesting) for element in elements]

    def _write_row(self, element: HtmlElement, nesting: int) -> str:
        """Return the parts in a row; scripts belong to the part before them, and a number to the whole formula."""
        parts: list[str] = [element.text or ""]
        number = ""
        for child in _list_shown(element):
            names = _names(child)
            if "msupsub" in names:
                scripts = self._write_all(_list_stack(child), nesting)
                is_lowered = any("vlist-t2" in _names(part) for part in child)
                kind = "msubsup" if len(scripts) == 2 else "msub" if is_lowered else "msup"
                parts.append(combine(kind, [parts.pop(), *scripts]))
            elif "tag" in names:
                number = "".join(child.itertext())
            else:
                parts.append(self.write(child, nesting))
        return with_number(join_tex(parts), number) if number else join_tex(parts)

    def _write_fraction(self, element: HtmlElement, nesting: int) -> str:
        stack = _list_stack(element)
        has_line = any("frac-line" in _names(part) for part in element.iter("span"))
        return combine("mfrac", self._write_all([*stack[-1:], *stack[:1]], nesting), has_line=has_line)

    def _write_root(self, element: HtmlElement, nesting: int) -> str:
        number = [part for part in element if "root" in _names(part)]
        content = [part for part in element if part not in number]
        parts = self._write_all([*content, *number], nesting)
        return combine("mroot" if number else "msqrt", parts)

    def _write_accent(self, element: HtmlElement, nesting: int) -> str:
        parts = self._write_all(_list_stack(element), nesting)
        if not parts[-1]:  # a picture, which is the arrow of a vector where it has an element of its own
            is_arrow = any("overlay" in _names(part) for part in element.iter("span"))
            return combine("mover", [parts[0], "⃗"]) if is_arrow else parts[0]
        return combine("mover", parts)

    def _write_line(self, element: HtmlElement, nesting: int) -> str:
        kind = "mover" if "overline" in _names(element) else "munder"
        return combine(kind, ["".join(self._write_all(_list_stack(element), nesting)), "‾"])

    def _write_limits(self, element: HtmlElement, nesting: int) -> str:
        """Return an operator, of which the base is the part that is not smaller."""
        stack = _list_stack(element)
        base = next((place for place, part in enumerate(stack) if not _is_limit(part)), 0)
        parts = self._write_all([*stack[base : base + 1], *stack[:base], *stack[base + 1 :]], nesting)
        kind = "munderover" if len(stack) > 2 else "munder" if base else "mover"
        return combine(kind, parts)

    def _write_brace(self, element: HtmlElement, nesting: int) -> str:
        """Return what is above or below a brace, or another text; the brace is a picture."""
        kind = "munder" if "munder" in _names(element) else "mover"
        parts = [tex for tex in self._write_all(_list_stack(element), nesting) if tex]
        if len(parts) == 1:
            return combine(kind, [*parts, "⏟" if kind == "munder" else "⏞"])
        return combine(kind, parts[::-1] if kind == "munder" else parts)

    def _write_table(self, element: HtmlElement, nesting: int) -> str:
        columns = [_list_stack(part) for part in element if not COLUMNS.isdisjoint(_names(part))]
        cells = [self._write_all(column, nesting) for column in columns]
        return combine("mtable", [combine("mtr", [*row]) for row in zip_longest(*cells, fillvalue="")])

    def _write_stack(self, element: HtmlElement, nesting: int) -> str:
        """Return parts above each other of which nothing is known, from the highest to the lowest."""
        return join_tex(self._write_all(_list_stack(element)[::-1], nesting))


def _names(element: HtmlElement) -> list[str]:
    return (element.get("class") or "").split()


def _list_shown(element: HtmlElement) -> list[HtmlElement]:
    return [child for child in element if child.tag == "span"]


def _list_stack(element: HtmlElement) -> list[HtmlElement]:
    """Return the parts above each other that an element has, from the lowest; the lines between them are left out."""
    holder = next((part for part in element.iter("span") if "vlist" in _names(part)), None)
    parts = [] if holder is None else _list_shown(holder)
    return [part for part in parts if not any("frac-line" in _names(inner) for inner in part)]


def _is_limit(part: HtmlElement) -> bool:
    return any(LIMIT in _names(inner) for inner in part)


def _read_bracket(element: HtmlElement) -> str:
    pieces = "".join(element.itertext())
    return next((bracket for piece, bracket in BRACKETS.items() if piece in pieces), "")


def _write_token(element: HtmlElement, names: list[str]) -> str:
    kind = next((TOKENS[name] for name in names if name in TOKENS), "mo")
    variant = next((ALPHABETS[name] for name in names if name in ALPHABETS), "")
    shown, alphabet = read_letters("".join(element.itertext()))
    return write_token("mi" if variant or alphabet else kind, shown, variant or alphabet)
