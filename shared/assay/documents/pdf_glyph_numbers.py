"""Letters of PDF fonts without a table of their characters, of which PDFium reports the numbers of their glyphs.

TrueType fonts mostly have the glyphs of ASCII in its order, from the space, number 3: "The end" is reported as "7KH"
and "HQG" with U+0003 between, and figures are other control characters. Fonts of Microsoft go on in the order of Mac OS
Roman; in others, further numbers tell of no letter.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import chain
from string import ascii_letters, digits

from assay.documents.pdf_text_page import TextPage

FIRST, LAST, TO_ASCII = 3, 97, 29  # numbers of the glyphs of ASCII, and the distance from them to its codes
ASCII = 127  # its last code
LAST_ROMAN, TO_ROMAN = 225, 30  # the same for Mac OS Roman
CONTROL = re.compile(r"[\x03-\x08\x0b\x0c\x0e-\x1f]")  # the numbers of spaces, figures and some signs
# Computed here, because the sandbox cannot load the modules of encodings.
NUMBERS = {letter: number for number, letter in enumerate(bytes(range(256)).decode("cp1252", "replace"))}
ROMAN = bytes(range(256)).decode("mac_roman")
IN_ROMAN_ORDER = ("Times", "Arial", "Courier", "Verdana", "Georgia", "Tahoma", "Trebuchet")
MIN_CONTROLS = 5  # of a page
MIN_SHARE = 0.9  # of the characters of a font that are in ASCII by their number
MIN_WORDS = 0.85  # of these that are letters, figures, spaces and usual marks then
MIN_LOWER = 0.6  # of those of a font without spaces and figures that are small letters
MIN_VOWELS = 0.28  # of the letters of a page then
WORDS = frozenset(ascii_letters + digits + " .,;:'-()")
UNKNOWN = "\ufffd"


def restore_glyph_numbers(page: TextPage) -> None:
    """Change the numbers of glyphs to the characters that they stand for."""
    if len(CONTROL.findall(page.text)) < MIN_CONTROLS:
        return
    places: defaultdict[int, list[int]] = defaultdict(list)  # by font
    for place, letter in enumerate(page.text):
        if letter not in " \r\n":  # which PDFium added
            places[page.font(place)].append(place)
    fonts = [found for found in places.values() if _are_numbers([page.text[place] for place in found])]
    others = [found for found in places.values() if all(NUMBERS.get(page.text[place], 0) > ASCII for place in found)]
    letters = [_find_character(page.text[place]) for found in fonts for place in found]
    letters = [letter for letter in letters if letter.isalpha()]
    if sum(letter in "aeiouAEIOU" for letter in letters) >= MIN_VOWELS * len(letters) > 0:
        found = chain(*fonts, *others)  # these have no letter of ASCII
        page.change({place: _find_character(page.text[place], page, place) for place in found})


def _are_numbers(letters: Sequence[str]) -> bool:
    """Whether a font's characters are the numbers of its glyphs."""
    text = "".join(letters)
    found = [chr(ord(letter) + TO_ASCII) for letter in text if FIRST <= ord(letter) <= LAST]
    is_lower = sum(map(str.islower, found)) >= MIN_LOWER * len(text)
    is_text = sum(map(WORDS.__contains__, found)) >= MIN_WORDS * len(found) > 0
    return len(found) >= MIN_SHARE * len(text) and is_text and (is_lower or CONTROL.search(text) is not None)


def _find_character(letter: str, page: TextPage | None = None, place: int = 0) -> str:
    """The character with a number; beyond ASCII, of a font on a page that has the order of Mac OS Roman."""
    number = NUMBERS.get(letter, 0)
    if FIRST <= number <= LAST:
        return chr(number + TO_ASCII)
    if page is None or not LAST < number <= LAST_ROMAN:
        return UNKNOWN
    return ROMAN[number + TO_ROMAN] if page.fonts.read_name(page.index(place)).startswith(IN_ROMAN_ORDER) else UNKNOWN
