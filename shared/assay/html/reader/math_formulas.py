"""TeX sources of formulas on a page, from MathML annotations."""

import re

from assay.html.parser.html_element import HtmlElement


def parent_classes(element: HtmlElement) -> str:
    """Return the class attribute of the parent element."""
    parent = element.getparent()
    return "" if parent is None else parent.get("class") or ""


WORDS_IN_TEX = re.compile(r"\\(?:text\w*|mathrm|mbox|operatorname\*?)\s*\{[^{}]*\}|\\[A-Za-z]+")
SENTENCE = re.compile(r"(?:\b[A-Za-z]{2,}[\s,.:;!?]+){4}[A-Za-z]{2,}")


def find_tex(element: HtmlElement) -> str:
    """Return the TeX of a formula if the page has it, else ""."""
    for annotation in element.iter("annotation"):
        if "tex" in (annotation.get("encoding") or "").lower() and annotation.text:
            return _clean_tex(annotation.text)
    for math in element.iter("math"):
        if alternative := math.get("alttext"):
            return _clean_tex(alternative)
    return ""


def _clean_tex(text: str) -> str:
    """Return the TeX on one line; "" for prose, because it is hidden text and not a formula."""
    return "" if SENTENCE.search(WORDS_IN_TEX.sub("", text)) else " ".join(text.split())
