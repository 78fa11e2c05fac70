"""Attributes of elements that set colours and sizes (HTML Standard, section 15.3; MathML Core, section 2.1.5)."""

import re

from assay.html.parser.html_element import HtmlElement
from assay.text.word_lists import parse_words

MATH_PROPERTIES = {"mathcolor": "color", "mathbackground": "background-color", "mathsize": "font-size"}
PRESENTATIONAL_ATTRIBUTES = frozenset(("bgcolor", "color", *MATH_PROPERTIES))
COLOURED_TAGS = parse_words("font body table tbody thead tr td th div p")
BARE_COLOUR = re.compile("[0-9a-f]{6}")


def has_colour(element: HtmlElement) -> bool:
    """Return whether an attribute sets a colour or a size."""
    attributes = element.attributes
    if element.tag in COLOURED_TAGS and (attributes.get("bgcolor") or attributes.get("color")):
        return True
    return not MATH_PROPERTIES.keys().isdisjoint(attributes)


def add_presentational_attributes(element: HtmlElement, values: dict[str, str]) -> dict[str, str]:
    """Return the values with the presentational colour attributes, which have lower precedence than any style."""
    if PRESENTATIONAL_ATTRIBUTES.isdisjoint(element.attributes):
        return values
    presentational: dict[str, str] = {}
    if (background := element.attributes.get("bgcolor")) and "background" not in values:
        presentational["background-color"] = _parse_legacy_colour(background)
    if element.tag == "font" and (foreground := element.get("color")):
        presentational["color"] = _parse_legacy_colour(foreground)
    for name, property_name in MATH_PROPERTIES.items():
        if name in element.attributes:
            presentational[property_name] = element.attributes[name].strip().lower()
    return presentational | values


def _parse_legacy_colour(text: str) -> str:
    """Return the value of a colour attribute as in CSS; its `#` may be missing (HTML Standard, section 2.3.5)."""
    text = text.strip().lower()
    return f"#{text}" if BARE_COLOUR.fullmatch(text) else text
