"""Headings of PDFs with Roman numerals: capitals no larger than the text (II. METHODS), and those below (A. Samples).

Journals of engineering and physics set them so. The numbers tell them, since they follow each other.
"""

import re
from collections.abc import Sequence

from assay.documents.pdf_paragraphs import PdfBlock, has_leaders
from assay.text.roman_numerals import format_roman

LINES, LETTERS = 2, 120  # maximum of a heading
MIN_SECTIONS = 3
ROMAN = re.compile(r"([IVXL]{1,7})\.\s+\S")
LETTER = re.compile(r"([A-Z])\.\s+[A-Z\d]")
WITHOUT_NUMBER = re.compile(r"ABSTRACT|ACKNOWLEDGE?MENTS?|APPENDI(?:X|CES)(?: [A-Z\d]{1,3})?|CONCLUSIONS?|REFERENCES")
LIST = "REFERENCES"
SENTENCE = (".", ",", ";", ":")  # ends of lines that are no headings


def find_roman_headings(blocks: Sequence[PdfBlock]) -> dict[int, int]:
    """The depth of each heading by the id of its paragraph: 1 for sections, 2 for what is below; empty if unsure."""
    depths: dict[int, int] = {}
    sections, letter, is_list = 0, 0, False  # behind the head of the list of references, letters begin names
    for block in blocks:
        text = _read_short_text(block)
        roman, lettered = ROMAN.match(text), LETTER.match(text)
        if text.isupper() and roman is not None and roman[1] == format_roman(sections + 1):
            sections, letter = sections + 1, 0
            depths[id(block)] = 1
        elif WITHOUT_NUMBER.fullmatch(text):
            is_list = is_list or text == LIST
            depths[id(block)] = 1
        elif sections and not is_list and lettered is not None and lettered[1] == chr(ord("A") + letter):
            letter += 1
            depths[id(block)] = 2
    return depths if sections >= MIN_SECTIONS else {}


def _read_short_text(block: PdfBlock) -> str:
    """The text of a paragraph that may be a heading, else nothing."""
    first = block.lines[0]
    is_other = block.is_code or first.cells or first.is_tilted or first.is_formula or has_leaders(block.lines[-1].text)
    if is_other or len(block.lines) > LINES or block.letters > LETTERS or block.lines[-1].text.endswith(SENTENCE):
        return ""
    return " ".join(line.text for line in block.lines)
