"""Office equations (OMML, ECMA-376 part 1 clause 22.1) as TeX: \\frac{a}{b}, x^{2}, \\sqrt{y}, \\sum_{i=1}^{n}."""

import re

from assay.documents.docx_formatting import PAPER, RunFormat, is_on, read_run_format
from assay.documents.ooxml import find_child
from assay.text.safe_xml import Element, get_attribute, local_name
from assay.text.tex_notation import ACCENTS, BRACES, FUNCTIONS, OPERATORS, escape_tex, group_tex, join_tex

BRACED = re.compile(r"\\(?:over|under)(?:brace|bracket)\{.*\}")
DEPTH = 60  # maximum nesting
PROPERTIES = {
    "rPr",
    "ctrlPr",
    "fPr",
    "sSupPr",
    "sSubPr",
    "sSubSupPr",
    "radPr",
    "naryPr",
    "dPr",
    "mPr",
    "funcPr",
    "accPr",
    "barPr",
    "limLowPr",
    "limUppPr",
    "groupChrPr",
    "eqArrPr",
    "sPrePr",
    "boxPr",
    "borderBoxPr",
    "phantPr",
}


def format_equation(equation: Element) -> str:
    """Format an `oMath` or `oMathPara` element as a TeX formula between dollar signs."""
    fence = "$$" if local_name(equation) == "oMathPara" else "$"
    tex = " ".join(format_tex(equation).split())
    return f"{fence}{tex}{fence}" if tex else ""


def format_tex(equation: Element, depth: int = 0) -> str:
    """Format an element of an equation as TeX."""
    if depth > DEPTH:
        return ""
    reader = READERS.get(local_name(equation))
    if reader:
        return reader(equation, depth + 1)
    if local_name(equation) == "t":
        return escape_tex(equation.text or "")
    return _join_parts(equation, depth)


def _join_parts(equation: Element, depth: int) -> str:
    return join_tex(format_tex(part, depth + 1) for part in equation if local_name(part) not in PROPERTIES)


def _format_part(equation: Element, name: str, depth: int) -> str:
    part = find_child(equation, name)
    return "" if part is None else format_tex(part, depth)


def _format_fraction(equation: Element, depth: int) -> str:
    return f"\\frac{{{_format_part(equation, 'num', depth)}}}{{{_format_part(equation, 'den', depth)}}}"


def _format_scripts(equation: Element, depth: int) -> str:
    return group_tex(_format_part(equation, "e", depth)) + _format_limits(equation, depth, ("sub", "sup"))


def _format_limits(equation: Element, depth: int, names: tuple[str, str]) -> str:
    text = ""
    for name, mark in zip(names, "_^", strict=True):
        script = _format_part(equation, name, depth)
        text += f"{mark}{{{script}}}" if script else ""
    return text


def _format_root(equation: Element, depth: int) -> str:
    degree = _format_part(equation, "deg", depth)
    return f"\\sqrt{f'[{degree}]' if degree else ''}{{{_format_part(equation, 'e', depth)}}}"


def _format_operator(equation: Element, depth: int) -> str:
    sign = find_child(equation, "naryPr", "chr")
    operator = "∫" if sign is None else get_attribute(sign, "val")
    limits = _format_limits(equation, depth, ("sub", "sup"))
    return join_tex([OPERATORS.get(operator, escape_tex(operator)), limits, _format_part(equation, "e", depth)])


def _format_lower_limit(equation: Element, depth: int) -> str:
    return f"{_format_base(equation, depth)}_{{{_format_part(equation, 'lim', depth)}}}"


def _format_upper_limit(equation: Element, depth: int) -> str:
    return f"{_format_base(equation, depth)}^{{{_format_part(equation, 'lim', depth)}}}"


def _format_base(equation: Element, depth: int) -> str:
    """The base of limits: "\\lim", "\\underbrace{x}" or a group."""
    base = _format_part(equation, "e", depth)
    if base in FUNCTIONS:
        return f"\\{base}"
    return base if BRACED.fullmatch(base) else group_tex(base)


def _format_accent(equation: Element, depth: int) -> str:
    sign = find_child(equation, "accPr", "chr")
    mark, base = "ˆ" if sign is None else get_attribute(sign, "val"), _format_part(equation, "e", depth)
    return f"\\{ACCENTS[mark]}{{{base}}}" if mark in ACCENTS else f"\\overset{{{escape_tex(mark)}}}{{{base}}}"


def _format_group(equation: Element, depth: int) -> str:
    """A base with a brace or an arrow over or under it."""
    sign, position = find_child(equation, "groupChrPr", "chr"), find_child(equation, "groupChrPr", "pos")
    mark, base = "⏟" if sign is None else get_attribute(sign, "val"), _format_part(equation, "e", depth)
    if mark in BRACES:
        return f"\\{BRACES[mark]}{{{base}}}"
    is_over = position is not None and get_attribute(position, "val") == "top"
    return f"\\{'over' if is_over else 'under'}set{{{escape_tex(mark)}}}{{{base}}}"


def _format_array(equation: Element, depth: int) -> str:
    """Equations one below the other, aligned at ampersands."""
    rows = (format_tex(part, depth).replace("\\&", "&") for part in equation if local_name(part) == "e")
    return f"\\begin{{aligned}}{' \\\\ '.join(rows)}\\end{{aligned}}"


def _format_prescripts(equation: Element, depth: int) -> str:
    return f"{{}}{_format_limits(equation, depth, ('sub', 'sup'))}{_format_part(equation, 'e', depth)}"


def _hide_phantom(equation: Element, depth: int) -> str:
    """The base of a phantom; "" if it only takes space."""
    shown = find_child(equation, "phantPr", "show")
    return "" if shown is not None and not is_on(shown) else _format_part(equation, "e", depth)


def _format_bar(equation: Element, depth: int) -> str:
    position = find_child(equation, "barPr", "pos")
    is_over = position is not None and get_attribute(position, "val") == "top"
    return f"\\{'over' if is_over else 'under'}line{{{_format_part(equation, 'e', depth)}}}"


def _format_delimiters(equation: Element, depth: int) -> str:
    marks = {}
    for name, default in (("begChr", "("), ("endChr", ")"), ("sepChr", "|")):
        mark = find_child(equation, "dPr", name)
        marks[name] = escape_tex(default if mark is None else get_attribute(mark, "val"))
    inner = marks["sepChr"].join(format_tex(part, depth) for part in equation if local_name(part) == "e")
    return f"{marks['begChr']}{inner}{marks['endChr']}"


def _format_matrix(equation: Element, depth: int) -> str:
    rows = (
        " & ".join(format_tex(cell, depth) for cell in row if local_name(cell) == "e")
        for row in equation
        if local_name(row) == "mr"
    )
    return f"\\begin{{matrix}}{' \\\\ '.join(rows)}\\end{{matrix}}"


def _format_function(equation: Element, depth: int) -> str:
    name = _format_part(equation, "fName", depth)
    return f"{f'\\{name}' if name in FUNCTIONS else name}{{{_format_part(equation, 'e', depth)}}}"


def _format_run(equation: Element, depth: int) -> str:
    """The text of a run, unless its Word properties hide it."""
    paper = RunFormat(background=PAPER)
    own = (read_run_format(part) for part in equation if local_name(part) == "rPr")
    return "" if any(paper.override(properties).is_hidden() for properties in own) else _join_parts(equation, depth)


READERS = {
    "r": _format_run,
    "f": _format_fraction,
    "sSup": _format_scripts,
    "sSub": _format_scripts,
    "sSubSup": _format_scripts,
    "rad": _format_root,
    "nary": _format_operator,
    "d": _format_delimiters,
    "m": _format_matrix,
    "func": _format_function,
    "limLow": _format_lower_limit,
    "limUpp": _format_upper_limit,
    "acc": _format_accent,
    "bar": _format_bar,
    "groupChr": _format_group,
    "eqArr": _format_array,
    "sPre": _format_prescripts,
    "phant": _hide_phantom,
}
