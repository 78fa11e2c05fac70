"""Fills that the properties of drawings, pages, tables and paragraphs of OpenDocument texts declare."""

import re

from assay.documents.docx_formatting import PAPER, is_similar_color
from assay.documents.ooxml import find_child
from assay.documents.painted_areas import Fill
from assay.text.safe_xml import Element, get_attribute

MIN_OPACITY = 10  # percent of a fill that counts
PERCENT = re.compile(r"(\d{1,3})(?:\.\d{0,6})?%")


def read_declared_fill(declared: list[Element]) -> Fill | None:
    """The fill that properties declare, those of a style before those of its parents; None if they declare none."""
    for properties in declared:
        if fill := get_attribute(properties, "fill"):
            return _read_area_fill(fill, declared)
        picture = find_child(properties, "background-image")
        if picture is not None and (get_attribute(picture, "href") or len(picture)):
            return "paint"
        if background := get_attribute(properties, "background-color"):
            opacity = 100 - _read_percent(get_attribute(properties, "background-transparency"), 0)
            return "none" if background == "transparent" or opacity < MIN_OPACITY else _to_fill(background)
    return None


def _read_area_fill(fill: str, declared: list[Element]) -> Fill:
    def find(name: str) -> str:
        return next((value for properties in declared if (value := get_attribute(properties, name))), "")

    if fill == "none" or _read_percent(find("opacity"), 100) < MIN_OPACITY:
        return "none"
    return _to_fill(find("fill-color")) if fill == "solid" else "paint"


def _to_fill(color: str) -> Fill:
    return "paper" if is_similar_color(color.removeprefix("#"), PAPER) else "paint"


def _read_percent(text: str, default: int) -> int:
    found = PERCENT.fullmatch(text)
    return int(found[1]) if found else default
