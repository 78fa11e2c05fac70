"""Values of cells that are no numbers or texts, such as pictures and companies ([MS-XLSX] sections 2.2.4 and 2.3.8).

A cell has the error #VALUE! in their place, for programs that do not know them, and a number that leads to the value.
"""

from dataclasses import dataclass
from functools import cached_property

from assay.documents.ooxml import Package, find_child
from assay.text.safe_xml import Element, get_attribute, local_name

PICTURES = frozenset(("_localImage", "_webimage"))  # kinds of values
NAME = "XLRICHVALUE"  # of what numbers of cells lead to
ALTERNATIVE_TEXT, DISPLAYED = "Text", "_DisplayString"  # keys


@dataclass
class RichValues:
    """The texts of the rich values of a workbook; `parts` are the names of its parts by kind."""

    package: Package
    parts: dict[str, str]

    def find(self, number: str) -> str | None:
        """The text of a value by the number that a cell has, which counts from 1; None if it is unknown."""
        place = int(number) - 1 if number.isdecimal() and len(number) < 9 else -1
        return self._texts.get(self._places.get(place, -1))

    def _list(self, kind: str) -> list[Element]:
        root = self.package.root(self.parts.get(kind, ""))
        return [] if root is None else [child for child in root if local_name(child)]

    @cached_property
    def _places(self) -> dict[int, int]:
        """The places of the values by the numbers that lead to them, which count from 0."""
        values, places = list[int](), list[int]()
        for part in self._list("sheetMetadata"):
            if local_name(part) == "futureMetadata" and get_attribute(part, "name") == NAME:
                values = [_read_int(each, "i") for each in part.iter("{*}rvb")]
            elif local_name(part) == "valueMetadata":
                places = [_read_int(each, "v") for each in part.iter("{*}rc")]
        return {number: values[place] for number, place in enumerate(places) if 0 <= place < len(values)}

    @cached_property
    def _texts(self) -> dict[int, str | None]:
        structures = self._list("rdRichValueStructure")
        texts: dict[int, str | None] = {}
        for place, value in enumerate(self._list("rdRichValue")):
            number = _read_int(value, "s")
            if 0 <= number < len(structures):
                texts[place] = _read_text(value, structures[number])
        return texts


def _read_text(value: Element, structure: Element) -> str | None:
    """The text that a value shows; the alternative text of a picture."""
    keys = [get_attribute(key, "n") for key in structure if local_name(key) == "k"]
    texts = [part.text or "" for part in value if local_name(part) == "v"]
    held = dict(zip(keys, texts, strict=False))
    if get_attribute(structure, "t") in PICTURES:
        return held.get(ALTERNATIVE_TEXT, "")
    fallback = find_child(value, "fb")
    return held.get(DISPLAYED) or (None if fallback is None else fallback.text)


def _read_int(element: Element, name: str) -> int:
    text = get_attribute(element, name)
    return int(text) if text.isdecimal() and len(text) < 9 else -1
