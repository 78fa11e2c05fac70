"""Conversion between the readers' trees, which are not modified, and lxml's, which augmentation modifies."""

import re

from lxml import etree
from lxml import html as lxml_html

from assay.html.parser.html_element import HtmlElement, HtmlRoot

INVALID_IN_NAME = re.compile(r"""[&<>/"'\s{}]""")  # lxml refuses these


def to_lxml(root: HtmlElement) -> lxml_html.HtmlElement:
    """Return a copy for lxml."""
    copy = lxml_html.Element(root.tag, _valid_attributes(root))
    copies = {root: copy}
    for element in root.iter():
        if element.parent is not None and element is not root:
            tag = INVALID_IN_NAME.sub("_", element.tag)
            copies[element] = etree.SubElement(copies[element.parent], tag, _valid_attributes(element))
            copies[element].tail = element.tail
        copies[element].text = element.text
    return copy


def _valid_attributes(element: HtmlElement) -> dict[str, str]:
    return {name: value for name, value in element.attributes.items() if "{" not in name}


def from_lxml(root: lxml_html.HtmlElement) -> HtmlRoot:
    """Return a copy for the readers."""
    copy = HtmlRoot(root.tag, dict(root.attrib))
    copies = {root: copy}
    last: dict[HtmlElement, HtmlElement] = {}
    for element in root.iter():
        parent = copies.get(element.getparent())
        if parent is not None:
            copies[element] = HtmlElement(element.tag, dict(element.attrib), parent, last.get(parent))
            last[parent] = copies[element]
            copies[element].tail = element.tail
            copy.elements.append(copies[element])
        copies[element].text = element.text
    return copy
