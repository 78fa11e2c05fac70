"""Parses colours in CSS notation: normal form, brightness, and colour codes in a line of text."""

import re

from assay.brand.brand_models import Swatch
from assay.html.css.css_colors import INVISIBLE, parse_colour

CODE = re.compile(
    r"(?<![\w&/#-])#(?P<hash>[0-9a-fA-F]{6}|(?=[0-9a-fA-F]?[0-9]?[a-fA-F])[0-9a-fA-F]{3})(?![\w-])"
    r"|\bhex(?:\s*code)?\s*[:=]?\s*(?P<bare>[0-9a-fA-F]{6})\b"
    r"|\b(?P<function>rgba?\(\s*\d{1,3}%?[\s,]+\d{1,3}%?[\s,]+\d{1,3}%?[^()]{0,20}\))",
    re.IGNORECASE,
)


def parse_swatch(text: str, name: str | None = None, role: str | None = None) -> Swatch | None:
    """Parse the colour in a CSS value; None if there is none or it is transparent."""
    found = parse_colour(text.strip().lower())
    if found is None or found == INVISIBLE:
        return None
    red, green, blue = found
    brightness = round(0.2126 * red + 0.7152 * green + 0.0722 * blue)
    return Swatch(hex=f"#{red:02x}{green:02x}{blue:02x}", name=name, role=role, brightness=brightness)


def is_grey(code: str) -> bool:
    """Return whether `#rrggbb` is black, white or grey: usually a page background, not a brand colour."""
    channels = [int(code[at : at + 2], 16) for at in (1, 3, 5)]
    return max(channels) - min(channels) <= 16


def find_color_codes(line: str) -> list[tuple[int, int, str]]:
    """Find colour codes in a line; return (start, end, CSS value) of each."""
    found = []
    for match in CODE.finditer(line):
        code = match["hash"] or match["bare"]
        found.append((match.start(), match.end(), f"#{code}" if code else match["function"]))
    return found
