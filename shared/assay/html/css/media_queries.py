"""Media queries (Media Queries Level 4), evaluated for an assumed screen: 1280 × 800, a mouse, light colours."""

import re

from assay.html.css.conditions import evaluate_condition, is_word
from assay.html.css.css_syntax import Tokens, split_list, strip_whitespace, tokenize
from assay.text.lengths import to_pixels
from assay.text.short_text_cache import cache_short

FEATURE = re.compile(r"\(\s*([a-z-]+)\s*(?::\s*(.*?)\s*)?\)")
# Queries that most are: evaluated without tokens.
PLAIN_FEATURE = r"\([a-z-]+ ?: ?[a-z0-9.-]+\)"
SIMPLE_QUERY = re.compile(rf"(?:(?:only )?(?:all|screen) and )?{PLAIN_FEATURE}(?: and {PLAIN_FEATURE})*+")
FEATURE_TEXT = re.compile(PLAIN_FEATURE)
SIGN = r"\s*(<=?|>=?|=)\s*"
RANGE = re.compile(rf"\(\s*(?:([^<>=:]+?){SIGN})?([a-z-]*[a-z])(?:{SIGN}([^<>=:]+?))?\s*\)")
RATIO = re.compile(r"([\d.]+)\s*(?:/\s*([\d.]+))?")
RESOLUTION = re.compile(r"([\d.]+)(dpi|dpcm|dppx|x|)")
PER_RESOLUTION_UNIT = {"dpi": 1 / 96, "dpcm": 2.54 / 96, "dppx": 1.0, "x": 1.0, "": 1.0}
LENGTHS = {"width": 1280.0, "height": 800.0, "device-width": 1280.0, "device-height": 800.0}
RATIOS = {"aspect-ratio": 1.6, "device-aspect-ratio": 1.6, "color": 8.0, "color-index": 0.0, "monochrome": 0.0}
RATIOS |= {"grid": 0.0, "horizontal-viewport-segments": 1.0, "vertical-viewport-segments": 1.0}
RESOLUTIONS = {"resolution": 1.0, "-webkit-device-pixel-ratio": 1.0, "device-pixel-ratio": 1.0}
NUMBERS = LENGTHS | RATIOS | RESOLUTIONS
FEATURE_VALUES = {
    "orientation": "landscape",
    "hover": "hover",
    "any-hover": "hover",
    "pointer": "fine",
    "any-pointer": "fine",
    "prefers-color-scheme": "light",
    "prefers-reduced-motion": "no-preference",
    "prefers-reduced-transparency": "no-preference",
    "prefers-reduced-data": "no-preference",
    "prefers-contrast": "no-preference",
    "inverted-colors": "none",
    "scripting": "enabled",
    "display-mode": "browser",
    "forced-colors": "none",
    "update": "fast",
    "overflow-block": "scroll",
    "overflow-inline": "scroll",
    "color-gamut": "srgb",
    "dynamic-range": "standard",
    "video-dynamic-range": "standard",
}
NEGATIVE_VALUES = ("none", "no-preference")  # false without a value, as in `(prefers-reduced-motion)`
MAX_LENGTH = 500


@cache_short(512)
def matches_screen(queries: str) -> bool:
    """Return whether a query of the list matches the assumed screen; unsupported queries do not match."""
    text = " ".join(queries.split()).lower()
    return not text or (len(text) <= MAX_LENGTH and any(_query_matches(one) for one in split_list(text)))


@cache_short(512)
def _query_matches(query: str) -> bool:
    query = query.strip()
    if SIMPLE_QUERY.fullmatch(query):
        return all(_evaluate_feature(feature) for feature in FEATURE_TEXT.findall(query))
    tokens = strip_whitespace(tokenize(query))
    is_negated = len(tokens) > 1 and is_word(tokens[0], "not") and tokens[1].type == "ident"
    if is_negated or (tokens and is_word(tokens[0], "only")):
        tokens = tokens[1:]
    value = _evaluate_query(tokens)
    return value is not None and value != is_negated


def _evaluate_query(tokens: Tokens) -> bool | None:
    if not tokens or tokens[0].type != "ident" or is_word(tokens[0], "not"):
        return evaluate_condition(tokens, _evaluate_feature)
    is_screen = tokens[0].lower_value in ("all", "screen")
    if len(tokens) == 1:
        return is_screen
    value = evaluate_condition(tokens[2:], _evaluate_feature) if is_word(tokens[1], "and") else None
    return value if is_screen else False


def _evaluate_feature(text: str) -> bool | None:
    found = FEATURE.fullmatch(text)
    if found is None:
        return _evaluate_range(text)
    name, value = found.groups()
    if value is None:
        if name in NUMBERS:
            return NUMBERS[name] > 0
        return FEATURE_VALUES[name] not in NEGATIVE_VALUES if name in FEATURE_VALUES else None
    sign = ">=" if "min-" in name else "<=" if "max-" in name else "="
    plain_name = name.replace("min-", "").replace("max-", "")
    if plain_name in NUMBERS:
        return _compare(plain_name, sign, value)
    return FEATURE_VALUES[name] == value if name in FEATURE_VALUES else None


def _evaluate_range(text: str) -> bool | None:
    found = RANGE.fullmatch(text)
    if found is None or found[3] not in NUMBERS:
        return None
    low, first, name, second, high = found.groups()
    values = [True if low is None else _compare(name, first.translate(str.maketrans("<>", "><")), low)]
    values.append(True if high is None else _compare(name, second, high))
    return False if False in values else None if None in values else True


def _compare(name: str, sign: str, text: str) -> bool | None:
    """Evaluate `name sign text`."""
    bound, actual = _parse_number(name, text), NUMBERS[name]
    if bound is None:
        return None
    return {"<": actual < bound, "<=": actual <= bound, ">": actual > bound, ">=": actual >= bound}.get(
        sign, abs(actual - bound) < 0.01
    )


def _parse_number(name: str, text: str) -> float | None:
    if name in LENGTHS:
        return to_pixels(text)
    try:
        if name in RESOLUTIONS:
            found = RESOLUTION.fullmatch(text)
            return float(found[1]) * PER_RESOLUTION_UNIT[found[2]] if found else None
        found = RATIO.fullmatch(text)
        return float(found[1]) / float(found[2] or 1) if found else None
    except (ValueError, ZeroDivisionError):
        return None
