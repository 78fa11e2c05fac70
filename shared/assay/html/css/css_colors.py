"""CSS colour values as RGB triples, to detect text drawn in the colour of its background.
https://www.w3.org/TR/css-color-4/
"""

import re
from typing import Any

from tinycss2 import color4, color5

from assay.html.css.css_syntax import MAX_TOKENIZED, Tokens, strip_whitespace, tokenize
from assay.text.short_text_cache import cache_short

MAX_DIFFERENCE = 14  # difference per channel, of 255, below which colours look the same
MAX_TRANSPARENT_ALPHA = 0.06  # opacity up to which a colour counts as transparent
COLOUR_FUNCTIONS = frozenset(
    ("rgb", "rgba", "hsl", "hsla", "hwb", "lab", "lch", "oklab", "oklch", "color", "color-mix", "light-dark")
)
COLOUR_TOKENS = ("ident", "hash", "function")
MAX_ORIGINS = 4  # colours that are relative to each other
# The channels of a colour in the order in which a relative colour repeats them.
ORIGIN_CHANNELS = {"rgb": "rgb", "rgba": "rgb", "hsl": "hsl", "hsla": "hsl", "hwb": "hwb", "srgb": "rgb"} | {
    name: name.removeprefix("ok") for name in ("lab", "lch", "oklab", "oklch")
}
HEXADECIMAL = re.compile("#(?:[0-9a-f]{3}|[0-9a-f]{6})", re.IGNORECASE)
FUNCTION = re.compile(r"[a-z-]+\((?:[^()\\\"']++|\([^()\\\"']*+\))*+\)")  # a single one
# Linear sRGB from CIE XYZ (CSS Color Module Level 4, section 17).
FROM_XYZ = ((3.2409699, -1.5373832, -0.4986108), (-0.9692436, 1.8759675, 0.0415551), (0.0556301, -0.2039770, 1.0569715))
XYZ_SPACES = {"lab": "xyz-d50", "lch": "xyz-d50", "oklab": "xyz-d65", "oklch": "xyz-d65"}

type Colour = tuple[int, int, int]
WHITE: Colour = (255, 255, 255)
BLACK: Colour = (0, 0, 0)
INVISIBLE: Colour = (-1, -1, -1)
SYSTEM_COLOURS = {"canvas": WHITE, "canvastext": BLACK, "window": WHITE, "windowtext": BLACK}
SYSTEM_COLOURS |= {"field": WHITE, "fieldtext": BLACK}


def are_similar(one: Colour, other: Colour) -> bool:
    """Return whether two colours cannot be told apart on a screen."""
    return all(abs(a - b) <= MAX_DIFFERENCE for a, b in zip(one, other, strict=True))


@cache_short(2048)
def parse_colour(text: str) -> Colour | None:
    """Return the first colour in a value of `color` or `background`; INVISIBLE if transparent, None without one."""
    if HEXADECIMAL.fullmatch(text):
        digits = text[1:] if len(text) == 7 else "".join(2 * digit for digit in text[1:])
        return int(digits[:2], 16), int(digits[2:4], 16), int(digits[4:], 16)
    if FUNCTION.fullmatch(text) and text[:4] in ("var(", "url("):
        return None
    for token in tokenize(text[:MAX_TOKENIZED]):
        if token.type in COLOUR_TOKENS and (found := _parse_token(token)) is not None:
            return found
    return None


def _parse_token(token: Any, depth: int = 0) -> Colour | None:
    if token.type == "function":
        return _parse_function(token, depth) if token.lower_name in COLOUR_FUNCTIONS else None
    if token.type == "ident" and token.lower_value in SYSTEM_COLOURS:
        return SYSTEM_COLOURS[token.lower_value]
    return _parse_absolute(token)


def _parse_function(token: Any, depth: int) -> Colour | None:
    if token.lower_name == "color-mix":
        return _mix(token)
    arguments = strip_whitespace(token.arguments)
    if _is_transparent(arguments):
        return INVISIBLE
    if len(arguments) > 4 and getattr(arguments[0], "lower_value", "") == "from":
        origin = arguments[1]
        colour = _parse_token(origin, depth + 1) if depth < MAX_ORIGINS and origin.type in COLOUR_TOKENS else None
        return colour if colour in (None, INVISIBLE) else _parse_relative(token.lower_name, colour, arguments[2:])
    return _parse_absolute(token)


def _parse_absolute(token: Any) -> Colour | None:
    try:
        found = color5.parse_color(token)
        if found is None or isinstance(found, str) or found.space not in color4.COLOR_SPACES:
            return None
        return INVISIBLE if found.alpha <= MAX_TRANSPARENT_ALPHA else _to_rgb(found)
    except (ArithmeticError, AttributeError, IndexError, TypeError, ValueError):
        return None  # tinycss2 raises these for some invalid arguments


def _mix(token: Any) -> Colour | None:
    """Return the colour of `color-mix()`, mixed in sRGB whatever the space; its opacity is exact.

    https://www.w3.org/TR/css-color-5/#color-mix
    """
    parts = [part for each in _split_at_commas(token.arguments)[1:] if (part := _parse_part(each)) is not None]
    if len(parts) != 2:
        return None
    (one, alpha, share), (other, other_alpha, other_share) = parts
    if share is None:
        share = 50.0 if other_share is None else 100.0 - other_share
    other_share = 100.0 - share if other_share is None else other_share
    total = share + other_share
    if total <= 0:
        return None
    weight, other_weight = share / total * alpha, other_share / total * other_alpha
    if (weight + other_weight) * min(total / 100, 1.0) <= MAX_TRANSPARENT_ALPHA:
        return INVISIBLE
    mixed = [(weight * a + other_weight * b) / (weight + other_weight) for a, b in zip(one, other, strict=True)]
    return round(mixed[0]), round(mixed[1]), round(mixed[2])


def _parse_relative(function: str, origin: Colour, parts: list[Any]) -> Colour | None:
    """Return a colour relative to `origin`, without calculations; its opacity is not looked at.

    https://www.w3.org/TR/css-color-5/#relative-colors
    """
    if function == "color":
        function, *parts = getattr(parts[0], "lower_value", ""), *parts[1:]
    channels = parts[:3]
    if _repeat_channels(function, channels):
        return origin
    if function not in ("rgb", "rgba") or len(channels) < 3:
        return None
    red, green, blue = (_read_channel(part, origin) for part in channels)
    return None if red is None or green is None or blue is None else (red, green, blue)


def _repeat_channels(function: str, channels: list[Any]) -> bool:
    """Return whether the channels are those of the other colour, in their order."""
    return "".join(getattr(part, "lower_value", "?") for part in channels) == ORIGIN_CHANNELS.get(function)


def _read_channel(part: Any, origin: Colour) -> int | None:
    """Return a channel of a colour relative to `origin`, of 255; None for one that has to be calculated."""
    if part.type == "ident":
        return {"none": 0, "r": origin[0], "g": origin[1], "b": origin[2]}.get(str(part.lower_value))
    if part.type not in ("number", "percentage"):
        return None
    return round(min(max(float(part.value) * (2.55 if part.type == "percentage" else 1), 0), 255))


def _split_at_commas(tokens: Tokens) -> list[list[Any]]:
    parts: list[list[Any]] = [[]]
    for node in tokens:
        if node == ",":
            parts.append([])
        else:
            parts[-1].append(node)
    return parts


def _parse_part(tokens: list[Any]) -> tuple[Colour, float, float | None] | None:
    """Return the colour of a part of a mix, its opacity and its percentage; a mix within a mix is not evaluated."""
    share: float | None = None
    found: tuple[Colour, float] | None = None
    for token in strip_whitespace(tokens):
        if token.type == "percentage":
            share = min(max(float(token.value), 0.0), 100.0)
        elif token.type in COLOUR_TOKENS and getattr(token, "lower_name", "") != "color-mix":
            colour = _parse_token(token)
            found = None if colour is None else (BLACK, 0.0) if colour == INVISIBLE else (colour, _read_alpha(token))
    return None if found is None else (*found, share)


def _read_alpha(token: Any) -> float:
    try:
        found = color5.parse_color(token)
    except (ArithmeticError, AttributeError, IndexError, TypeError, ValueError):
        return 1.0
    return 1.0 if found is None or isinstance(found, str) else float(found.alpha)


def _is_transparent(arguments: Tokens) -> bool:
    """Return whether the opacity after a slash is 0; the rest may be beyond tinycss2, as in a relative colour."""
    if len(arguments) < 2 or arguments[-2] != "/":
        return False
    alpha = arguments[-1]
    if alpha.type == "function" and alpha.lower_name == "calc":
        numbers = strip_whitespace(alpha.arguments)
        alpha = numbers[0] if len(numbers) == 1 else alpha
    if alpha.type == "ident":
        return bool(alpha.lower_value == "none")
    if alpha.type not in ("number", "percentage"):
        return False
    return bool(alpha.value <= MAX_TRANSPARENT_ALPHA * (100 if alpha.type == "percentage" else 1))


def _to_rgb(colour: color5.Color) -> Colour:
    """Return a colour in sRGB. The primaries of the other RGB spaces count as those of sRGB."""
    if colour.space in ("hsl", "hwb"):
        colour = colour.to("srgb")
    channels = [channel or 0.0 for channel in colour.coordinates]
    if colour.space in XYZ_SPACES or colour.space.startswith("xyz"):
        space = XYZ_SPACES.get(colour.space, colour.space)
        white = color5.D50 if space == "xyz-d50" else color5.D65
        relative = [
            value * d65 / own for value, own, d65 in zip(colour.to(space).coordinates, white, color5.D65, strict=True)
        ]
        channels = [_encode_gamma(sum(a * b for a, b in zip(row, relative, strict=True))) for row in FROM_XYZ]
    elif colour.space == "srgb-linear":
        channels = [_encode_gamma(channel) for channel in channels]
    red, green, blue = (round(min(max(channel, 0.0), 1.0) * 255) for channel in channels[:3])
    return red, green, blue


def _encode_gamma(linear: float) -> float:
    linear = min(max(linear, 0.0), 1.0)
    return 12.92 * linear if linear <= 0.0031308 else float(1.055 * linear ** (1 / 2.4) - 0.055)
