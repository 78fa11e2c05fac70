"""Bitmap fonts of old LaTeX files (Type 3), which have no names and do not say what their codes stand for.

PDFium gives the codes as characters: those of TeX's text fonts have ligatures, accents and letters where others have
control characters. A font of text is told by its words, the encoding (OT1 or T1) by its ligatures.
"""

import re
from collections import Counter, defaultdict
from itertools import islice

from assay.documents.pdf_bullets import BULLET_SIGN
from assay.documents.pdf_text_page import TextPage

CONTROL = re.compile(r"[\x00\x01\x05-\x08\n-\x1f\x7f\x88]")
CONTROLS = re.compile(r"[\x00\x01\x05-\x08\x0b\x0c\x0e-\x1f\x7f\x88]|\r(?!\n)|(?<!\r)\n")
TRIED = 40  # of these, of which one is in a font without a name
OLD = dict(zip(range(0x0B, 0x10), ("ff", "fi", "fl", "ffi", "ffl"), strict=True))  # OT1
OLD |= dict(zip((0, 1, *range(4, 0x0B)), "ΓΔΞΠΣΥΦΨΩ", strict=True))
OLD |= dict(zip(range(0x10, 0x20), "ıȷ`´ˇ˘¯˚¸ßæœøÆŒØ", strict=True))
OLD |= {ord(one): two for one, two in zip("\"<>\\^_`'{|}~\x7f", "”¡¿“ˆ˙‘’–—˝˜¨", strict=True)}
NEW = dict(zip(range(0x1B, 0x20), ("ff", "fi", "fl", "ffi", "ffl"), strict=True))  # T1
NEW |= dict(zip(range(0x0D, 0x17), "‚‹›“”„«»–—", strict=True))
NEW |= dict(zip((*range(0x0D), 0x19, 0x1A), "`´ˆ˜¨˝˚ˇ˘¯˙¸˛ıȷ", strict=True))
NEW |= dict(zip(range(0x80, 0xA0), "ĂĄĆČĎĚĘĞĹĽŁŃŇŊŐŔŘŚŠŞŤŢŰŮŸŹŽŻĲİđ§", strict=True))
NEW |= dict(zip(range(0xA0, 0xC0), "ăąćčďěęğĺľłńňŋőŕřśšşťţűůÿźžżĳ¡¿£", strict=True))
NEW |= {0x17: "", 0x27: "’", 0x60: "‘", 0x7F: "-", 0xD7: "Œ", 0xDF: "SS", 0xF7: "œ", 0xFF: "ß"}
OLD_LIGATURES, NEW_LIGATURES = "\x0b\x0c\r\x0e\x0f", "\x1b\x1c\x1d\x1e\x1f"
WORD = 0.35  # minimum share of the letters of a font of text that follow another small letter
LETTERS = 0.3  # minimum share of letters of a font of text
FEW = 4  # characters of a font that says nothing of itself
SAME_WIDTH = 0.02  # maximum difference of the widths of the letters of a typewriter font, relative to the largest
MEASURED = 40  # letters
BULLET = re.compile(r"(?:(?<=\n)|\A)[\x0f\x88](?= )")  # of TeX's fonts of symbols


def read_bitmap_fonts(page: TextPage) -> None:
    """Put what the codes of fonts without names stand for into the text of a page."""
    if CONTROL.search(page.text.replace("\r\n", "")) is None:
        return
    controls = islice(CONTROLS.finditer(page.text), TRIED)
    if not any(not page.style(found.start()).is_named for found in controls):
        return
    fonts = _list_fonts(page)
    texts = [places for places in fonts.values() if _is_text(page, places)]
    signs = Counter(page.text[place] for places in texts for place in places)
    old, new = (sum(signs[sign] for sign in ligatures) for ligatures in (OLD_LIGATURES, NEW_LIGATURES))
    codes = OLD if old > new else NEW if new or any(sign >= "\x80" for sign in signs) else {}
    changes = {found.start(): BULLET_SIGN for found in BULLET.finditer(page.text)}
    for places in texts:
        changes |= {place: codes[ord(page.text[place])] for place in places if ord(page.text[place]) in codes}
    page.change(changes)


def _list_fonts(page: TextPage) -> dict[int, list[int]]:
    """The places of the characters of each font without a name; PDFium's line breaks are in no font."""
    fonts: dict[int, list[int]] = defaultdict(list)
    for place, letter in enumerate(page.text):
        first = place - (letter == "\n")
        if letter not in " \ufffe" and not (letter in "\r\n" and page.text[first : first + 2] == "\r\n"):
            fonts[page.font(place)].append(place)
    return {font: places for font, places in fonts.items() if not page.style(places[0]).is_named}


def _is_text(page: TextPage, places: list[int]) -> bool:
    """Whether a font has codes for characters, which are in words, and their widths differ."""
    letters = [place for place in places if page.text[place].isalpha() or page.text[place] in OLD_LIGATURES]
    held = set(letters)
    follow = sum(page.text[place].islower() and place - 1 in held for place in letters)
    if (
        len(places) < FEW
        or any(page.text[place] > "\xff" for place in places)
        or len(letters) < LETTERS * len(places)
        or follow < WORD * len(letters)
    ):
        return False
    boxes = [page.box(place) for place in letters[:MEASURED]]
    widths = [right - left for left, _, right, _ in boxes]
    return max(widths) - min(widths) > SAME_WIDTH * max(widths)
