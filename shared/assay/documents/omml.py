"""Office equations (OMML, ECMA-376 part 1 clause 22.1) as linear text: (a)/(b), x^(2), √(y), ∑_(i=1)^(n)."""

from assay.documents.docx_formatting import PAPER, RunFormat, read_run_format
from assay.documents.ooxml import find_child
from assay.text.safe_xml import Element, get_attribute, local_name

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
}


def format_linear(equation: Element, depth: int = 0) -> str:
    """Format an `oMath` element, or a part of one, as linear text."""
    if depth > DEPTH:
        return ""
    reader = READERS.get(local_name(equation))
    if reader:
        return reader(equation, depth + 1)
    if local_name(equation) == "t":
        return equation.text or ""
    return "".join(format_linear(part, depth + 1) for part in equation if local_name(part) not in PROPERTIES)


def _format_part(equation: Element, name: str, depth: int) -> str:
    part = find_child(equation, name)
    return "" if part is None else format_linear(part, depth)


def _parenthesize(text: str) -> str:
    return text if len(text) == 1 else f"({text})"


def _format_fraction(equation: Element, depth: int) -> str:
    return (
        f"{_parenthesize(_format_part(equation, 'num', depth))}/{_parenthesize(_format_part(equation, 'den', depth))}"
    )


def _format_scripts(equation: Element, depth: int) -> str:
    text = _format_part(equation, "e", depth)
    for name, mark in (("sub", "_"), ("sup", "^")):
        script = _format_part(equation, name, depth)
        text += mark + _parenthesize(script) if script else ""
    return text


def _format_root(equation: Element, depth: int) -> str:
    degree = _format_part(equation, "deg", depth)
    return f"{'√' if not degree else degree + '√'}{_parenthesize(_format_part(equation, 'e', depth))}"


def _format_operator(equation: Element, depth: int) -> str:
    sign = find_child(equation, "naryPr", "chr")
    text = "∫" if sign is None else get_attribute(sign, "val")
    for name, mark in (("sub", "_"), ("sup", "^")):
        limit = _format_part(equation, name, depth)
        text += mark + _parenthesize(limit) if limit else ""
    return f"{text} {_format_part(equation, 'e', depth)}"


def _format_delimiters(equation: Element, depth: int) -> str:
    marks = {}
    for name, default in (("begChr", "("), ("endChr", ")"), ("sepChr", "|")):
        mark = find_child(equation, "dPr", name)
        marks[name] = default if mark is None else get_attribute(mark, "val")
    inner = marks["sepChr"].join(format_linear(part, depth) for part in equation if local_name(part) == "e")
    return f"{marks['begChr']}{inner}{marks['endChr']}"


def _format_matrix(equation: Element, depth: int) -> str:
    rows = (row for row in equation if local_name(row) == "mr")
    return (
        "["
        + "; ".join(", ".join(format_linear(cell, depth) for cell in row if local_name(cell) == "e") for row in rows)
        + "]"
    )


def _format_function(equation: Element, depth: int) -> str:
    return f"{_format_part(equation, 'fName', depth)}({_format_part(equation, 'e', depth)})"


def _format_run(equation: Element, depth: int) -> str:
    """The text of a run, unless its Word properties hide it."""
    paper = RunFormat(background=PAPER)
    own = (read_run_format(part) for part in equation if local_name(part) == "rPr")
    if any(paper.override(properties).is_hidden() for properties in own):
        return ""
    return "".join(format_linear(part, depth) for part in equation if local_name(part) not in PROPERTIES)


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
}
