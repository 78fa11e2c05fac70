"""Headings of PDFs that look like text, or differ from it by italics, and are told by their numbers.

Journals of engineering and physics number sections with Roman numerals, in capitals no larger than the text (II.
METHODS), and what is below them with letters (A. Samples). Others have bold sections, and italics below (2.1. Samples).
The numbers follow each other.
"""

import re
from collections.abc import Callable, Sequence

from assay.documents.pdf_paragraphs import PdfBlock, has_leaders
from assay.text.roman_numerals import format_roman

LINES, LETTERS = 2, 120  # maximum of a heading
MIN_SECTIONS = 3
ROMAN = re.compile(r"([IVXL]{1,7})\.\s+\S")
LETTER = re.compile(r"([A-Z])\.\s+[A-Z\d]")
DECIMAL = re.compile(r"(\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+(?=[^\W\d_])(?P<name>\S)")
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


def find_decimal_headings(blocks: Sequence[PdfBlock], is_heading: Callable[[PdfBlock], bool]) -> set[int]:
    """The ids of the paragraphs with the next number below a section, or below one of those, that are headings.

    `is_heading` tells the headings that are known without their number, which those of the sections are.
    """
    found: set[int] = set()
    last: list[int] = []  # the number of the last heading
    for block in blocks:
        number = DECIMAL.match(block.lines[0].text)
        if number is None:
            continue
        parts = [int(part) for part in number[1].split(".")]
        if is_heading(block):
            last = parts
        elif last and _is_next(last, parts) and not number["name"].islower() and _read_short_text(block):
            found.add(id(block))
            last = parts
    return found


def _is_next(last: Sequence[int], parts: Sequence[int]) -> bool:
    """Whether a number of several parts follows another one: 2.1 after 2, 2.2 after 2.1 or 2.1.3, but 3 does not."""
    depth = len(parts) - 1
    if depth == 0 or list(parts[:depth]) != list(last[:depth]):
        return False
    return parts[-1] == (last[depth] + 1 if len(last) > depth else 1)


def _read_short_text(block: PdfBlock) -> str:
    """The text of a paragraph that may be a heading, else nothing."""
    first = block.lines[0]
    is_other = block.is_code or first.cells or first.is_tilted or first.is_formula or has_leaders(block.lines[-1].text)
    if is_other or len(block.lines) > LINES or block.letters > LETTERS or block.lines[-1].text.endswith(SENTENCE):
        return ""
    return " ".join(line.text for line in block.lines)
