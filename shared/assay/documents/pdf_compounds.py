"""Joins lines of PDFs that continue each other, with the words, terms and addresses that are divided between them."""

import re
from itertools import pairwise

from assay.documents.pdf_text_page import PdfLine
from assay.text.stopwords import CLAIM_WORDS

LONGEST_ADDRESS = 200
JOINED_END = re.compile(r"(?:[.)\]]-|(?<=[^\W_])/)\Z")  # W.-S., (100)-oriented, GaInP/GaAs
ADDRESS_BREAKS = tuple("/.-_=?&%#~:")
ADDRESS_END = re.compile(r"(?:https?:|www\.|doi:|\b10\.\d{4,9}/)[^\s<>\"“”]*\Z", re.IGNORECASE)
PATHS = frozenset(("about", "all", "how", "me", "more", "now", "what", "who"))  # common words that are also paths
COMMON_WORD = re.compile(rf"(?:{'|'.join(sorted(CLAIM_WORDS - PATHS))})[\s,;]", re.IGNORECASE)


class Compounds:
    """Hyphenated words of the document, to distinguish compounds (well-known) from hyphenation (inter-national)."""

    def __init__(self, pages: list[list[PdfLine]]) -> None:
        self._pages = pages
        self._known: set[tuple[str, str]] | None = None

    def _read(self) -> set[tuple[str, str]]:
        known = set()
        for page in self._pages:
            for line in page:
                if "-" in line.text:
                    known |= {
                        (_find_last_word(one), _find_first_word(two))
                        for one, two in pairwise(line.text.lower().split("-"))
                    }
        return known

    def join_lines(self, one: str, two: str, *, cut: bool) -> str:
        """Join two lines; a hyphen at the line break is removed unless the document writes the word with one."""
        if one.endswith(("-", "–")) and one[-2:-1].isdigit() and two[:1].isdigit():
            return one + two
        if one.endswith("/") and COMMON_WORD.match(two) and ADDRESS_END.search(one[-LONGEST_ADDRESS:]):
            return f"{one} {two}"
        whole = one.removesuffix("-") + "-" if cut else one  # PDFium takes off a hyphen at the end of a line
        if (JOINED_END.search(one[-3:]) and two[:1].isalnum()) or _goes_on_in_address(whole, two):
            return whole + two
        dashed = one.endswith("-") and one[-2:-1].isalpha()
        if not cut and not (dashed and two[:1].islower()):
            return f"{one} {two}"
        one = one.removesuffix("-")
        if not two[:1].islower():
            return f"{one}-{two}"
        if self._known is None:
            self._known = self._read()
        last, first = _find_last_word(one.lower()), _find_first_word(two.lower())
        mark = "-" if {(last, first), (last, first.removesuffix("s"))} & self._known else ""
        return one + mark + two


def _goes_on_in_address(one: str, two: str) -> bool:
    """Whether a line ends within an address or DOI, at a sign at which these are broken."""
    address = ADDRESS_END.search(one[-LONGEST_ADDRESS:]) if one.endswith(ADDRESS_BREAKS) else None
    if address is None:
        return False
    last, first = address[0][-1], two[:1]
    if last in ".?":  # which end sentences, too
        return first.islower()
    if last == ":":  # behind `https` or `doi`
        return first == "/" or first.isdigit()
    return not first.isspace()


def _find_last_word(text: str) -> str:
    match = re.search(r"[^\W_]+$", text[-40:])
    return match[0] if match else ""


def _find_first_word(text: str) -> str:
    match = re.match(r"[^\W_]+", text)
    return match[0] if match else ""
