"""CSS colour values as RGB triples, to detect text drawn in the colour of its background.
https://www.w3.org/TR/css-color-4/
"""

import colorsys
import re

from assay.text.short_text_cache import cache_short

NAMED_COLOUR_CODES = (
    "white:ffffff black:000000 snow:fffafa ivory:fffff0 ghostwhite:f8f8ff whitesmoke:f5f5f5 floralwhite:fffaf0 "
    "azure:f0ffff mintcream:f5fffa aliceblue:f0f8ff honeydew:f0fff0 seashell:fff5ee lavender:e6e6fa linen:faf0e6 "
    "beige:f5f5dc gainsboro:dcdcdc lightgray:d3d3d3 lightgrey:d3d3d3 silver:c0c0c0 darkgray:a9a9a9 darkgrey:a9a9a9 "
    "gray:808080 grey:808080 dimgray:696969 red:ff0000 lime:00ff00 green:008000 blue:0000ff navy:000080 yellow:ffff00 "
    "orange:ffa500 purple:800080 maroon:800000 teal:008080 aqua:00ffff cyan:00ffff fuchsia:ff00ff magenta:ff00ff "
    "olive:808000 pink:ffc0cb brown:a52a2a gold:ffd700 indigo:4b0082 crimson:dc143c"
)
NAMED_COLOURS = {
    name: (int(code[:2], 16), int(code[2:4], 16), int(code[4:], 16))
    for name, code in (pair.split(":") for pair in NAMED_COLOUR_CODES.split(" "))
}
NUMBERS = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)%?")
HEX = re.compile(r"#[0-9a-f]{3,8}\b")
FUNCTION = re.compile(r"(?:rgb|hsl)a?\([^()]{0,80}\)")
TRANSPARENT_FUNCTION = re.compile(r"(?:hwb|lab|lch|oklab|oklch|color)\([^()/]{1,80}/\s*(?:0?\.?0+%?|[1-5]%)\s*\)")
WORD = re.compile(r"[a-z]{3,20}")
MAX_DIFFERENCE = 14  # difference per channel, of 255, below which colours look the same
MAX_TRANSPARENT_ALPHA = 0.06  # opacity up to which a colour counts as transparent

type Colour = tuple[int, int, int]
INVISIBLE: Colour = (-1, -1, -1)


def are_similar(one: Colour, other: Colour) -> bool:
    """Return whether two colours cannot be told apart on a screen."""
    return all(abs(a - b) <= MAX_DIFFERENCE for a, b in zip(one, other, strict=True))


@cache_short(2048)
def parse_colour(text: str) -> Colour | None:
    """Return the colour in a value of `color` or `background`; INVISIBLE if transparent, None if there is no known
    colour.
    """
    if found := FUNCTION.search(text):
        return _parse_function(found.group())
    if TRANSPARENT_FUNCTION.search(text):
        return INVISIBLE
    if found := HEX.search(text):
        return _parse_hex(found.group()[1:])
    for word in WORD.findall(text):
        if word == "transparent":
            return INVISIBLE
        if word in NAMED_COLOURS:
            return NAMED_COLOURS[word]
    return None


def _parse_hex(digits: str) -> Colour | None:
    if len(digits) in (3, 4):
        digits = "".join(digit * 2 for digit in digits)
    if len(digits) not in (6, 8):
        return None
    if len(digits) == 8 and int(digits[6:], 16) <= MAX_TRANSPARENT_ALPHA * 255:
        return INVISIBLE
    return int(digits[:2], 16), int(digits[2:4], 16), int(digits[4:6], 16)


def _parse_function(text: str) -> Colour | None:
    numbers = NUMBERS.findall(text)
    if len(numbers) < 3:
        return None
    if len(numbers) > 3 and _as_fraction(numbers[3], 1) <= MAX_TRANSPARENT_ALPHA:
        return INVISIBLE
    if text.startswith("rgb"):
        red, green, blue = (_as_fraction(number, 255) for number in numbers[:3])
    else:
        hue = float(numbers[0].rstrip("%")) / 360
        saturation, lightness = (float(number.rstrip("%")) / 100 for number in numbers[1:3])
        red, green, blue = colorsys.hls_to_rgb(hue % 1, min(max(lightness, 0), 1), min(max(saturation, 0), 1))
    return _byte(red), _byte(green), _byte(blue)


def _as_fraction(number: str, whole: int) -> float:
    return float(number[:-1]) / 100 if number.endswith("%") else float(number) / whole


def _byte(share: float) -> int:
    return round(min(max(share, 0), 1) * 255)
