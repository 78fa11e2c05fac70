"""Attributes of elements that set colours (HTML Standard, section 15.3, presentational hints)."""

import re

from assay.html.parser.html_element import HtmlElement

BARE_COLOUR = re.compile("[0-9a-f]{6}")


def add_presentational_attributes(element: HtmlElement, values: dict[str, str]) -> dict[str, str]:
    """Return the values with the presentational colour attributes, which have lower precedence than any style."""
    presentational: dict[str, str] = {}
    if (background := element.attributes.get("bgcolor")) and "background" not in values:
        presentational["background-color"] = _parse_legacy_colour(background)
    if element.tag == "font" and (foreground := element.get("color")):
        presentational["color"] = _parse_legacy_colour(foreground)
    return presentational | values if presentational else values


def _parse_legacy_colour(text: str) -> str:
    """Return the value of a colour attribute as in CSS; its `#` may be missing (HTML Standard, section 2.3.5)."""
    text = text.strip().lower()
    return f"#{text}" if BARE_COLOUR.fullmatch(text) else text
