"""TeX sources of formulas on a page: annotations, alternative texts, scripts and TeX between delimiters."""

import re
from collections.abc import Iterator

from assay.html.parser.html_element import HtmlElement

MAX_FORMULA = 2000  # characters of TeX between delimiters


def parent_classes(element: HtmlElement) -> str:
    """Return the class attribute of the parent element."""
    parent = element.getparent()
    return "" if parent is None else parent.get("class") or ""


WORDS_IN_TEX = re.compile(r"\\(?:text\w*|mathrm|mbox|operatorname\*?)\s*\{[^{}]*\}|\\[A-Za-z]+")
SENTENCE = re.compile(r"(?:\b[A-Za-z]{2,}[\s,.:;!?]+){4}[A-Za-z]{2,}")
LOOKS_LIKE_TEX = re.compile(r"\\[A-Za-z]+|[\^_]|^\s*\\?\w\s*$|=")
DELIMITED = re.compile(r"\s*(?:\\\((.+)\\\)|\\\[(.+)\\\]|\$\$(.+)\$\$|\$(.+)\$)\s*", re.DOTALL)
OPENING = re.compile(r"\\\(|\\\[|\$\$?")
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
    return ""


def find_image_tex(image: HtmlElement) -> str:
    """Return the TeX that the alternative text of a drawn formula is, else ""."""
    alternative = image.get("alt") or ""
    is_tex = len(alternative) <= MAX_FORMULA and LOOKS_LIKE_TEX.search(alternative) is not None
    return _clean_tex(alternative) if is_tex else ""


def split_delimited(element: HtmlElement) -> tuple[str, bool] | None:
    """Return the TeX between delimiters that is the whole text of an element, and whether it is displayed."""
    text = element.text or ""
    if element.first is not None or len(text) > MAX_FORMULA:
        return None
    found = DELIMITED.fullmatch(text)
    if found is None:
        return None
    tex = next(part for part in found.groups() if part)
    return " ".join(tex.split()), found.lastindex in (2, 3)


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
        end = -1 if sign in absent else text.find(CLOSING[sign], opening.end())
        if end < 0:
            absent.add(sign)
        tex = text[opening.end() : end] if end >= 0 else ""
        place = opening.end()
        if end >= 0 and _is_formula(sign, tex, text[end + 1 : end + 2]):
            if opening.start() > start:
                yield text[start : opening.start()], None
            yield tex.strip(), IS_DISPLAY[sign]
            start = place = end + len(sign)
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
