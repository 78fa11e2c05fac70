"""Media queries, asked of the screen a reader sits at: 1280 by 800, a mouse, light colours."""

import re

from assay.text.short_text_cache import cache_short

FEATURE = re.compile(r"\(\s*([a-z-]+)\s*(?::\s*([^()]*?)\s*)?\)")
RANGE = re.compile(r"\(\s*(?:([\d.]+[a-z]*)\s*(<=?|>=?)\s*)?(width|height)\s*(?:(<=?|>=?|=)\s*([\d.]+[a-z]*)\s*)?\)")
LENGTH = re.compile(r"(\d{0,6}(?:\.\d{0,6})?)(px|em|rem|pt|cm|mm|in|)")
PIXELS = {"px": 1.0, "": 1.0, "em": 16.0, "rem": 16.0, "pt": 1.33, "cm": 37.8, "mm": 3.78, "in": 96.0}
SCREEN = {"width": 1280.0, "height": 800.0, "device-width": 1280.0, "device-height": 800.0}
SAID = {
    "orientation": "landscape",
    "hover": "hover",
    "any-hover": "hover",
    "pointer": "fine",
    "any-pointer": "fine",
    "prefers-color-scheme": "light",
    "prefers-reduced-motion": "no-preference",
    "prefers-contrast": "no-preference",
    "scripting": "enabled",
    "display-mode": "browser",
    "forced-colors": "none",
    "update": "fast",
    "color-gamut": "srgb",
}
LONGEST = 500


def holds(queries: str) -> bool:
    """Whether one of a list of queries is true of that screen; what is not understood is not."""
    text = queries.strip().lower()
    return not text or (len(text) <= LONGEST and any(_holds(one.strip()) for one in text.split(",")))


@cache_short(512)
def _holds(query: str) -> bool:
    if query.startswith("not "):
        return _is_known(query[4:]) and not _holds(query[4:].strip())
    if query.startswith("only "):
        query = query[5:].strip()
    return all(_is_so(part.strip()) for part in re.split(r"\sand\b", query))


def _is_known(query: str) -> bool:
    return not re.search(r"\bor\b|\(\s*\(", query)


def _is_so(part: str) -> bool:
    if part in ("all", "screen"):
        return True
    if ranged := RANGE.fullmatch(part):
        low, first, name, second, high = ranged.groups()
        return _compare(low, first, SCREEN[name]) and _compare(high, _mirror_sign(second), SCREEN[name])
    found = FEATURE.fullmatch(part)
    if found is None:
        return False
    name, value = found.groups()
    if value is None:
        return name in SCREEN or name in ("color", "hover", "pointer", "any-hover", "any-pointer", "scripting")
    return (
        _compare_length(name, value)
        if name.removeprefix("min-").removeprefix("max-") in SCREEN
        else SAID.get(name) == value
    )


def _compare_length(name: str, value: str) -> bool:
    wanted, real = _pixels(value), SCREEN[name.removeprefix("min-").removeprefix("max-")]
    if wanted is None:
        return False
    if name.startswith("min-"):
        return real >= wanted
    return real <= wanted if name.startswith("max-") else real == wanted


def _compare(told: str | None, sign: str | None, real: float) -> bool:
    """`told sign real`."""
    if told is None or sign is None:
        return True
    wanted = _pixels(told)
    if wanted is None:
        return False
    return {"<": wanted < real, "<=": wanted <= real, ">": wanted > real, ">=": wanted >= real}.get(
        sign, wanted == real
    )


def _mirror_sign(sign: str | None) -> str | None:
    return None if sign is None else sign.translate(str.maketrans("<>", "><"))


def _pixels(text: str) -> float | None:
    found = LENGTH.fullmatch(text.strip())
    return float(found[1]) * PIXELS[found[2]] if found and found[1].strip(".") else None
