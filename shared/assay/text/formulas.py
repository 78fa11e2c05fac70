"""Formulas on a page, by the source that it carries for them."""

from lxml.html import HtmlElement


def name_of_parent(element: HtmlElement) -> str:
    parent = element.getparent()
    return "" if parent is None else parent.get("class") or ""


def formula(element: HtmlElement) -> str:
    """The TeX of a formula, where the page carries it, else ""."""
    for annotation in element.iter("annotation"):
        if "tex" in (annotation.get("encoding") or "").lower() and annotation.text:
            return " ".join(annotation.text.split())
    for math in element.iter("math"):
        if alternative := math.get("alttext"):
            return " ".join(alternative.split())
    return ""
