"""Formulas on a page, by the source that it carries for them."""

import re

from lxml.html import HtmlElement


def name_of_parent(element: HtmlElement) -> str:
    parent = element.getparent()
    return "" if parent is None else parent.get("class") or ""


WORDS_IN_TEX = re.compile(r"\\(?:text\w*|mathrm|mbox|operatorname\*?)\s*\{[^{}]*\}|\\[A-Za-z]+")
SENTENCE = re.compile(r"(?:\b[A-Za-z]{2,}[\s,.:;!?]+){4}[A-Za-z]{2,}")


def formula(element: HtmlElement) -> str:
    """The TeX of a formula, where the page carries it, else ""."""
    for annotation in element.iter("annotation"):
        if "tex" in (annotation.get("encoding") or "").lower() and annotation.text:
            return _tex(annotation.text)
    for math in element.iter("math"):
        if alternative := math.get("alttext"):
            return _tex(alternative)
    return ""


def _tex(text: str) -> str:
    """The text on one line; "" for a sentence, which is no formula and which nobody who looks at the page reads."""
    return "" if SENTENCE.search(WORDS_IN_TEX.sub("", text)) else " ".join(text.split())
