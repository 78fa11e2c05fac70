"""Media queries (Media Queries Level 4), evaluated for an assumed screen: 1280 × 800, a mouse, light colours."""

import re

from assay.text.short_text_cache import cache_short

FEATURE = re.compile(r"\(\s*([a-z-]+)\s*(?::\s*([^()]*?)\s*)?\)")
RANGE = re.compile(r"\(\s*(?:([\d.]+[a-z]*)\s*(<=?|>=?)\s*)?(width|height)\s*(?:(<=?|>=?|=)\s*([\d.]+[a-z]*)\s*)?\)")
LENGTH = re.compile(r"(\d{0,6}(?:\.\d{0,6})?)(px|em|rem|pt|cm|mm|in|)")
PIXELS = {"px": 1.0, "": 1.0, "em": 16.0, "rem": 16.0, "pt": 1.33, "cm": 37.8, "mm": 3.78, "in": 96.0}
SCREEN = {"width": 1280.0, "height": 800.0, "device-width": 1280.0, "device-height": 800.0}
FEATURE_VALUES = {
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
MAX_LENGTH = 500


def matches_screen(queries: str) -> bool:
    """Return whether a query of the list matches the assumed screen; unsupported queries do not match."""
    text = queries.strip().lower()
    return not text or (len(text) <= MAX_LENGTH and any(_query_matches(one.strip()) for one in text.split(",")))


@cache_short(512)
def _query_matches(query: str) -> bool:
    if query.startswith("not "):
        return _is_supported(query[4:]) and not _query_matches(query[4:].strip())
    if query.startswith("only "):
        query = query[5:].strip()
    return all(_condition_matches(part.strip()) for part in re.split(r"\sand\b", query))


def _is_supported(query: str) -> bool:
    return not re.search(r"\bor\b|\(\s*\(", query)


def _condition_matches(part: str) -> bool:
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
        else FEATURE_VALUES.get(name) == value
    )


def _compare_length(name: str, value: str) -> bool:
    required, actual = _pixels(value), SCREEN[name.removeprefix("min-").removeprefix("max-")]
    if required is None:
        return False
    if name.startswith("min-"):
        return actual >= required
    return actual <= required if name.startswith("max-") else actual == required


def _compare(bound: str | None, sign: str | None, actual: float) -> bool:
    """Evaluate `bound sign actual`."""
    if bound is None or sign is None:
        return True
    bound_pixels = _pixels(bound)
    if bound_pixels is None:
        return False
    return {
        "<": bound_pixels < actual,
        "<=": bound_pixels <= actual,
        ">": bound_pixels > actual,
        ">=": bound_pixels >= actual,
    }.get(sign, bound_pixels == actual)


def _mirror_sign(sign: str | None) -> str | None:
    return None if sign is None else sign.translate(str.maketrans("<>", "><"))


def _pixels(text: str) -> float | None:
    found = LENGTH.fullmatch(text.strip())
    return float(found[1]) * PIXELS[found[2]] if found and found[1].strip(".") else None
