"""Finds numeric citation markers in text: `[3, 5–7]`, `[3][4]`, `^3^`, `³`, and `(3)` where a list is numbered."""

import re
from collections.abc import Iterable, Iterator

from assay.manuscripts.manuscript_draft import Label, Marker

NUMBER = r"[1-9]\d{0,3}"
DASH = r"\s?[-–—‐‑−]\s?"
ITEM = rf"{NUMBER}(?:{DASH}{NUMBER})?"
PLACES = (
    r"(?:pp?|sect?(?:ion)?|ch(?:ap(?:ter)?)?|figs?|th(?:eore)?m|table|app|s|vol|art|n[or]?|kap|abb|tab|bd|p[áa]gs?|cap|"
    r"стор|стр|сс?|гл|рис|табл|ст|т|кн|ч|п)(?![^\W\d_])|[§№第]"
)
ONE_LOCATOR = rf"\s?[,:，：]\s?(?:{PLACES})\.?\s?[\w.–-]{{1,12}}"
LOCATOR = rf"(?:{ONE_LOCATOR}){{0,3}}"
LIST = rf"{ITEM}{LOCATOR}(?:\s?[,;，、；]\s?{ITEM}{LOCATOR}){{0,60}}"
LEAD = r"(?:(?:see|cf\.|e\.g\.,?|see also|siehe|vgl\.)\s)?"
BRACKETED = re.compile(rf"[\[［【]{LEAD}({LIST})[\]］】]", re.IGNORECASE)
RAISED = re.compile(rf"\^\[?({LIST})\]?\^|\^\{{({LIST})\}}")
RAISED_DIGITS = re.compile("[¹²³⁰⁴-⁹]+(?:[⁻˒⸴,–-][¹²³⁰⁴-⁹]+)*")
IN_PARENTHESES = re.compile(rf"\(({LIST})\)")
DIGITS = str.maketrans("¹²³⁰⁴⁵⁶⁷⁸⁹⁻˒⸴", "1230456789-,,")
BETWEEN_BRACKETS = re.compile(DASH)
SPAN = re.compile(rf"({NUMBER})(?:{DASH}({NUMBER}))?")
LOCATORS = re.compile(ONE_LOCATOR, re.IGNORECASE)
PAIR = re.compile(rf"{NUMBER}\s?[,;–-]\s?{NUMBER}")  # what an interval looks like
INTERVAL = re.compile(  # before one; "as in [2, 3]" is none
    r"(?:∈|=|\b(?:intervals?|ranges?|domain|scale)(?: of| from)?"
    r"|\b(?:[a-z]|values?|numbers?|integers?|scores?|weights?|uniform(?:ly)?|variables?) (?:in|over|from|between))"
    r"\s*\$?$",
    re.IGNORECASE,
)
INDEXED = re.compile(r"(?:(?<![^\W\d_])[^\W\d_]|[\w)\]]*[_)\]0-9])$")  # a[1], x_i[2], f(x)[3]
FORMULA = re.compile(r"\s*[=+*/^<>]|[A-Za-z_]")  # behind a bracket
UNIT = re.compile(r"(?:\d|\b(?:[kcmµn]?m|[kcmd]?g|km|cm|mm|s|Hz|Pa|L|l|R|χ|x|y|n|r|p|CO|H|10))$")  # m², R², 10³
EQUATION = re.compile(
    r"\b(?:eqs?|equations?|formulas?|formulae|expressions?|steps?|cases?|conditions?|constraints?|hypothes[ie]s|"
    r"Gleichung|Gl|ecuación|équation)\.?\s*$",
    re.IGNORECASE,
)
YEAR = re.compile(r"(?:1[5-9]|20)\d\d")  # which cites only where the list is as long
WIDEST = 60  # works that one range may cite
LOOKBACK = 24  # characters before a marker that tell false ones


def find_bracketed(text: str) -> Iterator[Marker]:
    """Yield markers in square brackets, except intervals and indices. `[1]–[3]` is one marker."""
    before: Marker | None = None
    for found in BRACKETED.finditer(text):
        left = text[max(0, found.start() - LOOKBACK) : found.start()]
        is_interval = PAIR.fullmatch(found[1]) and INTERVAL.search(left)
        if is_interval or _is_index(text, left, found.end()):
            continue
        labels: tuple[Label, ...] = expand_numbers(found[1])
        if before and labels and BETWEEN_BRACKETS.fullmatch(text[before.end : found.start()]):
            labels = before.labels[:-1] + expand_numbers(f"{before.labels[-1]}-{labels[0]}") + labels[1:]
            before = Marker(before.start, found.end(), "numeric", labels)
        elif labels:
            if before:
                yield before
            before = Marker(found.start(), found.end(), "numeric", labels, not YEAR.fullmatch(str(labels[0])))
    if before:
        yield before


def find_raised(text: str) -> Iterator[Marker]:
    """Yield superscript markers, except exponents of units."""
    for found in RAISED.finditer(text):
        if not UNIT.search(text[max(0, found.start() - LOOKBACK) : found.start()]):
            yield Marker(found.start(), found.end(), "numeric", expand_numbers(found[1] or found[2]))
    for found in RAISED_DIGITS.finditer(text):
        if not UNIT.search(text[max(0, found.start() - LOOKBACK) : found.start()]) and (
            labels := expand_numbers(found[0].translate(DIGITS))
        ):
            yield Marker(found.start(), found.end(), "numeric", labels)


def find_in_parentheses(text: str) -> Iterator[Marker]:
    """Yield numbers in parentheses, except those of equations and of the items of a list in the text."""
    for found in IN_PARENTHESES.finditer(text):
        before = text[max(0, found.start() - LOOKBACK) : found.start()]
        is_item = not before.strip() or before.rstrip().endswith((":", ";"))
        is_numbered = EQUATION.search(before) or not text[found.end() :].strip(" \n")
        if before[-1:].isspace() and not is_item and not is_numbered and (labels := expand_numbers(found[1])):
            yield Marker(found.start(), found.end(), "numeric", labels)


def _is_index(text: str, before: str, end: int) -> bool:
    """Whether a bracket is directly behind a variable, or before the rest of an expression."""
    return bool(INDEXED.search(before) or FORMULA.match(text, end, end + 8)) and not before.endswith(("]", "］"))


def expand_numbers(text: str) -> tuple[str, ...]:
    """Expand `3, 5–7` to the labels 3, 5, 6, 7; () for a range that descends or is too wide."""
    numbers: dict[str, None] = {}
    for found in SPAN.finditer(LOCATORS.sub("", text)):
        first, last = int(found[1]), int(found[2] or found[1])
        if first > last or last - first > WIDEST:
            return ()
        numbers |= dict.fromkeys(map(str, range(first, last + 1)))
    return tuple(numbers)


def count_numbers(markers: Iterable[Marker]) -> int:
    """Return how many different numbers the markers cite."""
    return len({label for marker in markers if marker.is_certain for label in marker.labels})
