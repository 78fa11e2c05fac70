"""Formulas of OpenDocument texts: objects in MathML (ODF 1.3 part 3, section 15), as TeX between dollar signs."""

import posixpath

from assay.documents.ooxml import find_child
from assay.documents.safe_zip import OfficeArchive
from assay.errors import UpstreamFailed
from assay.html.parser.html_element import HtmlElement
from assay.html.reader.mathml_tex import MAX_ELEMENTS, MAX_NESTING, TexWriter
from assay.text.safe_xml import Element, get_attribute, local_name, parse_xml

CONTENT = "content.xml"  # the main part of an object


class FormulaReader:
    """Reads the formulas of one document. `unread` counts those whose part is damaged."""

    def __init__(self, archive: OfficeArchive) -> None:
        self._archive = archive
        self.unread = 0

    def read(self, frame: Element) -> str:
        """Return the formula of a frame as TeX between dollar signs; "" for other frames."""
        holder = next((part for part in frame if local_name(part) == "object"), None)
        if holder is None:
            return ""
        root = find_child(holder, "math")
        if root is None:
            root = self._read_part(get_attribute(holder, "href"))
        if root is None or local_name(root) != "math":
            return ""
        tex = " ".join(TexWriter(lambda _: True).write(_convert_formula(root)).split())
        return f"${tex}$" if tex else ""

    def _read_part(self, address: str) -> Element:
        name = posixpath.normpath(posixpath.join(address, CONTENT))
        part = self._archive.read(name)
        if b"math" not in part[:4_000]:  # a chart, a table or a drawing
            return None
        try:
            return parse_xml(part, "formula")
        except UpstreamFailed:
            self.unread += 1
            return None


def _convert_formula(root: Element) -> HtmlElement:
    """Return a copy of the elements as far as the limits go."""
    copy = HtmlElement("math")
    pending = [(root, copy, 0)]
    left = MAX_ELEMENTS
    while pending:
        element, target, depth = pending.pop()
        target.text = element.text
        last: HtmlElement | None = None
        for child in element if depth < MAX_NESTING else ():
            left -= 1
            if left < 0:
                return copy
            last = HtmlElement(local_name(child), {}, target, last)
            pending.append((child, last, depth + 1))
    return copy
