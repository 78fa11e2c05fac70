"""TeX sources of formulas on a page: annotations, alternative texts, scripts and TeX between delimiters."""

import re
from collections.abc import Iterator
from itertools import islice

from assay.html.parser.html_element import HtmlElement

MAX_FORMULA = 2000  # characters of TeX between delimiters
TEX_ATTRIBUTES = ("data-latex", "data-tex")  # of MathJax 4, and of sites that draw formulas on their server
MAX_OUTER_ELEMENTS = 200  # elements of a drawn formula that are looked at for its TeX; glyphs may be defined before it


def parent_classes(element: HtmlElement) -> str:
    """Return the class attribute of the parent element."""
    parent = element.getparent()
    return "" if parent is None else parent.get("class") or ""


WORDS_IN_TEX = re.compile(r"\\(?:text\w*|mathrm|mbox|operatorname\*?)\s*\{[^{}]*\}|\\[A-Za-z]+")
SENTENCE = re.compile(r"(?:\b[A-Za-z]{2,}[\s,.:;!?]+){4}[A-Za-z]{2,}")
LOOKS_LIKE_TEX = re.compile(r"\\[A-Za-z]+|[\^_]|^\s*\\?\w\s*$|=")
# Environments that are formulas on lines of their own, without delimiters around them.
BEGIN = r"\\begin\{(?:(?:x?x?align|flalign|alignat|equation|eqnarray|gather|multline)\*?|displaymath)\}"
DELIMITED = re.compile(
    rf"\s*(?:\\\((.+)\\\)|\\\[(.+)\\\]|\$\$(.+)\$\$|\$(.+)\$|({BEGIN}.+\\end\{{[a-z]+\*?\}}))\s*", re.DOTALL
)
OPENING = re.compile(rf"\\\(|\\\[|\$\$?|{BEGIN}")
HOLDER_TAGS = frozenset(("div", "span", "p"))
NUMBER_CLASS = re.compile(r"(?:^|\s)eqno(?:\s|$)")
NUMBER = re.compile(r"\s*\(([\w.-]{1,10})\)\s*[¶#\uf0c1]?\s*")  # of an equation, with its permalink
CLOSING = {"\\(": "\\)", "\\[": "\\]", "$$": "$$", "$": "$"}
IS_DISPLAY = {"\\(": False, "\\[": True, "$$": True, "$": False}
TYPESETTER = re.compile(r"mathjax|katex", re.IGNORECASE)
TYPESETTER_NAMES = ("MathJax", "renderMathInElement")
CALLS_TYPESETTER = re.compile(rf"\b(?:{'|'.join(TYPESETTER_NAMES)})\b")


def find_tex(element: HtmlElement) -> str:
    """Return the TeX of a formula if the page has it, else ""."""
    for annotation in element.iter("annotation"):
        if "tex" in (annotation.get("encoding") or "").lower() and annotation.text:
            return _clean_tex(annotation.text)
    for math in element.iter("math"):
        if alternative := math.get("alttext"):
            return _clean_tex(alternative)
    return _find_attribute(element)


def _find_attribute(element: HtmlElement) -> str:
    """Return the TeX that an attribute of the formula's outermost part has, else ""."""
    for part in islice(element.iter(), MAX_OUTER_ELEMENTS):
        for name in TEX_ATTRIBUTES:
            if tex := part.get(name):
                return _clean_tex(tex) if len(tex) <= MAX_FORMULA else ""
    return ""


def has_script(drawn: HtmlElement) -> bool:
    """Return whether the script with the TeX of a drawn formula follows (MathJax 2), so that the drawing repeats it."""
    script = drawn.next
    return script is not None and script.tag == "script" and (script.get("type") or "").startswith("math/tex")


def is_displayed(element: HtmlElement, names: str) -> bool:
    """Return whether a formula stands on a line of its own; `names` are its classes."""
    if "display" in names.lower() or "katex-display" in parent_classes(element):
        return True
    math = element if element.tag == "math" else next(element.iter("math"), element)
    return any(each.get("display") in ("block", "true") for each in (element, math))


def find_image_tex(image: HtmlElement) -> str:
    """Return the TeX that the alternative text of a drawn formula is, else ""."""
    alternative = image.get("alt") or ""
    is_tex = len(alternative) <= MAX_FORMULA and LOOKS_LIKE_TEX.search(alternative) is not None
    return _clean_tex(alternative) if is_tex else ""


def split_delimited(element: HtmlElement) -> tuple[str, bool] | None:
    """Return the TeX that is the whole text of an element, and whether it is displayed.

    It may be in an element of its own, or follow the number of the equation, which becomes a part of it.
    """
    inner = element.first
    if inner is None:
        text = element.text or ""
        is_named = 0 < len(text) <= MAX_FORMULA and text == element.get("data-tex")
        return (" ".join(text.split()), False) if is_named else _split_text(text)
    if inner.next is not None or inner.tag not in HOLDER_TAGS or (element.text or "").strip():
        return None
    if NUMBER_CLASS.search(inner.get("class") or ""):
        found = _split_text(inner.tail)
        return (with_number(found[0], "".join(inner.itertext())), True) if found and found[1] else None
    return _split_text(inner.text) if inner.first is None and not (inner.tail or "").strip() else None


def _split_text(text: str | None) -> tuple[str, bool] | None:
    found = DELIMITED.fullmatch(text) if text and len(text) <= MAX_FORMULA else None
    if found is None:
        return None
    tex = next(part for part in found.groups() if part)
    return " ".join(tex.split()), found.lastindex in (2, 3, 5)


def with_number(tex: str, label: str) -> str:
    """Return the TeX of a formula with the number that stands beside it."""
    number = NUMBER.fullmatch(label)
    return f"{tex} \\tag{{{number[1]}}}" if number and "\\tag" not in tex else tex


def is_typeset(root: HtmlElement) -> bool:
    """Return whether the page loads a script that draws the formulas in its text."""
    for script in root.iter("script"):
        if TYPESETTER.search(script.get("src") or "") or _calls_typesetter(script.text or ""):
            return True
    return False


def _calls_typesetter(text: str) -> bool:
    """Return whether a script calls a typesetter; scripts are long, and most do not even have the names."""
    return any(name in text for name in TYPESETTER_NAMES) and CALLS_TYPESETTER.search(text) is not None


def iter_formulas(text: str) -> Iterator[tuple[str, bool | None]]:
    """Yield the parts of running text: text with None, TeX between delimiters with whether it is displayed."""
    start = place = 0
    absent: set[str] = set()  # delimiters that are not closed in the rest of the text
    while opening := OPENING.search(text, place):
        sign = opening.group()
        closing = CLOSING.get(sign) or sign.replace("begin", "end")
        end = -1 if sign in absent else text.find(closing, opening.end())
        if end < 0:
            absent.add(sign)
        tex = text[opening.end() : end] if end >= 0 else ""
        place = opening.end()
        if end >= 0 and _is_formula(sign, tex, text[end + 1 : end + 2]):
            if opening.start() > start:
                yield text[start : opening.start()], None
            is_environment = sign not in CLOSING
            yield f"{sign}{tex}{closing}" if is_environment else tex.strip(), is_environment or IS_DISPLAY[sign]
            start = place = end + len(closing)
    if start < len(text):
        yield text[start:], None


def _is_formula(sign: str, tex: str, following: str) -> bool:
    """Return whether the text between two delimiters is a formula. One dollar sign is also a currency."""
    if not tex.strip() or len(tex) > MAX_FORMULA:
        return False
    return sign != "$" or not (tex[0].isspace() or tex[-1].isspace() or tex[-1] == "\\" or following.isdigit())


def _clean_tex(text: str) -> str:
    """Return the TeX on one line; "" for prose, because it is hidden text and not a formula."""
    return "" if SENTENCE.search(WORDS_IN_TEX.sub("", text)) else " ".join(text.split())
