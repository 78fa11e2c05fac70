"""Texts of Excel files: runs of rich text, and characters that are escaped."""

import re

from assay.documents.office_emphasis import format_raised, mark_raised, strip_emphasis
from assay.documents.ooxml import find_child
from assay.text.safe_xml import Element, get_attribute, local_name

ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
BREAKS = {0x09, 0x0A, 0x0D}


def read_rich_text(item: Element) -> str:
    """The text of a string with a circumflex before the raised runs that need one, without its phonetic guide."""
    pieces = []
    for part in item:
        if local_name(part) == "t":
            pieces.append(unescape(part.text or ""))
        elif local_name(part) == "r":
            words = find_child(part, "t")
            text = "" if words is None else unescape(words.text or "")
            position = find_child(part, "rPr", "vertAlign") if find_child(part, "rPr") is not None else None
            is_raised = position is not None and get_attribute(position, "val") == "superscript"
            pieces.append(mark_raised(text) if is_raised else text)
    return strip_emphasis(format_raised("".join(pieces))).strip()


def unescape(text: str) -> str:
    """The text with characters in place of escapes such as `_x000D_` (ECMA-376 part 1 clause 22.9.2.19)."""
    return ESCAPED.sub(_unescape_character, text) if "_x" in text else text


def _unescape_character(found: re.Match[str]) -> str:
    code = int(found[1], 16)
    if code in BREAKS:
        return "" if code == 0x0D else chr(code)  # a line feed follows
    return "" if code < 0x20 or 0xD800 <= code < 0xE000 else chr(code)
