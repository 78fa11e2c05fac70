"""Parses the numbers of a text in any notation: 7,400 and 7.400, a quarter and 25 percent, two million."""

import re
from typing import NamedTuple

from assay.verification.title_matching import fold

ROUNDING_TOLERANCE = 0.04  # relative tolerance for rounding
BOUND_TOLERANCE = 0.25  # relative tolerance beyond a bound: "more than seven thousand" may be 7,400
ROUGH_TOLERANCE = 0.12  # relative tolerance of an approximate number or a fraction: "almost a third"

DIGITS = r"\d{1,3}(?:[ \u00a0\u202f.,'’]\d{3})+(?![\d])(?:[.,]\d+)?|\d+(?:[.,]\d+)?"
UNITS = {
    **dict.fromkeys(("hundred", "hundert", "cent", "cents", "cien", "ciento", "cientos"), 100.0),
    **dict.fromkeys(("thousand", "tausend", "mille", "mil"), 1e3),
    **dict.fromkeys(("million", "millions", "millionen", "millon", "millones", "mio"), 1e6),
    **dict.fromkeys(("billion", "billions", "milliarde", "milliarden", "milliard", "milliards"), 1e9),
}
SMALL = {
    word: float(number)
    for number, words in enumerate(
        (
            "zero null cero", "", "two zwei deux dos", "three drei trois tres", "four vier quatre cuatro",
            "five funf cinq cinco", "six sechs seis", "seven sieben sept siete", "eight acht huit ocho",
            "nine neun neuf nueve", "ten zehn dix diez", "eleven elf onze once", "twelve zwolf douze doce",
        )
    )
    for word in words.split()
}  # fmt: skip
TENS = {
    **dict.fromkeys(("fourteen", "vierzehn", "quatorze", "catorce"), 14.0),
    **dict.fromkeys(("fifteen", "funfzehn", "quinze", "quince"), 15.0),
    **dict.fromkeys(("twenty", "zwanzig", "vingt", "veinte"), 20.0),
    **dict.fromkeys(("thirty", "dreissig", "trente", "treinta"), 30.0),
    **dict.fromkeys(("forty", "vierzig", "quarante", "cuarenta"), 40.0),
    **dict.fromkeys(("fifty", "funfzig", "cinquante", "cincuenta"), 50.0),
    "trescientos": 300.0,
}
PARTS = {
    **dict.fromkeys(("half", "halfte", "halb", "moitie", "mitad", "medio"), 50.0),
    **dict.fromkeys(("third", "drittel", "tiers", "tercio"), 100 / 3),
    **dict.fromkeys(("quarter", "viertel", "quart", "cuarto", "cuarta"), 25.0),
    **dict.fromkeys(("fifth", "funftel", "cinquieme", "quinta", "quinto"), 20.0),
    **dict.fromkeys(("tenth", "zehntel", "dixieme", "decimo"), 10.0),
}
PERCENT = re.compile(r"\s*(?:%|percent|per cent|prozent|pour cent|por ciento)")
BOUND = re.compile(r"(?:more than|over|above|at least|mehr als|uber|plus de|mas de|al menos|au moins|mindestens)\s*$")
UNIT = re.compile(r"[\s-]*(?:de\s+|d[’'])?([€$£]|[^\W\d_]+)")
SIGNS = {"€": "euro", "$": "dollar", "£": "pound"}
HEDGE = re.compile(
    r"\b(?:almost|nearly|about|roughly|around|some|circa|approximately|fast|knapp|rund|etwa|ungefahr|gut|pres de"
    r"|environ|presque|quelque|casi|cerca de|unos|unas|alrededor de|aproximadamente)\s+"
    r"(?:an?\s+|the\s+|ein\w*\s+|une?\s+|la\s+)?$"
)
TOKEN = re.compile(rf"(?P<digits>{DIGITS})|(?P<word>[^\W\d_]+)")


class ClaimNumber(NamedTuple):
    """A number. `share` marks a percentage or a fraction, `bound` one after "more than".

    `unit` is the word after it or the sign beside it; `rough` marks one after "about".
    """

    value: float
    share: bool = False
    bound: bool = False
    unit: str = ""
    rough: bool = False


def is_number(word: str) -> bool:
    """Return whether the folded word is a number word or part of one."""
    return word in SMALL or word in TENS or word in PARTS or word in UNITS


def parse_numbers(text: str) -> list[ClaimNumber]:
    """Return the numbers in order; years are included."""
    flat = fold(text)
    numbers: list[ClaimNumber] = []
    end = -1
    for token in TOKEN.finditer(flat):
        if token.start() < end:
            continue
        value, share, end = _read(flat, token)
        if value is None:
            continue
        if percent := PERCENT.match(flat, end):
            share, end = True, percent.end()
        before = flat[max(0, token.start() - 40) : token.start()]
        unit = "" if share else _unit(flat, token.start(), end)
        rough = bool(HEDGE.search(before)) or (share and not token["digits"])
        numbers.append(ClaimNumber(value, share, bool(BOUND.search(before)), unit, rough))
    return numbers


def _unit(flat: str, start: int, end: int) -> str:
    behind = UNIT.match(flat, end)
    sign = flat[start - 1 : start]
    return SIGNS.get(sign) or (SIGNS.get(behind[1], behind[1]) if behind else "")


def numbers_agree(claimed: ClaimNumber, stated: ClaimNumber) -> bool:
    """Return whether the two may be the same number: rounded, or a bound and a value beyond it."""
    if claimed.share != stated.share:
        return False
    most = max(abs(claimed.value), abs(stated.value))
    if (
        abs(claimed.value - stated.value)
        <= (ROUGH_TOLERANCE if claimed.rough or stated.rough else ROUNDING_TOLERANCE) * most
    ):
        return True
    low, high = sorted((claimed.value, stated.value))
    return (claimed.bound or stated.bound) and high - low <= BOUND_TOLERANCE * low


def _read(flat: str, token: re.Match[str]) -> tuple[float | None, bool, int]:
    """Return the number that begins at the token, whether it is a share, and where it ends."""
    if token["digits"]:
        return _apply_multiplier(flat, _value(token["digits"]), token.end())
    word = token["word"]
    if word in PARTS:
        return PARTS[word], True, token.end()
    if word in SMALL or word in TENS:
        value = SMALL.get(word, TENS.get(word, 0.0))
        onward = TOKEN.match(flat, token.end() + 1)
        if onward and onward["word"] in PARTS:  # two thirds
            return value * PARTS[onward["word"]], True, onward.end()
        return _apply_multiplier(flat, value, token.end())
    return None, False, token.end()


def _apply_multiplier(flat: str, value: float, end: int) -> tuple[float | None, bool, int]:
    while (onward := re.compile(r"\s([^\W\d_]+)").match(flat, end)) and onward[1] in UNITS:
        value, end = value * UNITS[onward[1]], onward.end()
    if (
        (onward := re.compile(r"\s([^\W\d_]+)").match(flat, end))
        and onward[1].removesuffix("s") in PARTS
        and value < 10
    ):
        return value * PARTS[onward[1].removesuffix("s")], True, onward.end()
    return value, False, end


def _value(digits: str) -> float:
    """Parse 1.234,5 and 1,234.5: three digits after a separator are thousands, other counts a decimal fraction."""
    marks = re.findall(r"[ \u00a0\u202f.,'’]", digits)
    if not marks:
        return float(digits)
    head, last, tail = digits.rpartition(marks[-1])
    if len(tail) == 3 and head.lstrip("0"):
        return float(re.sub(r"\D", "", digits))
    if last in ".,":
        return float(f"{re.sub(r'[^0-9]', '', head) or '0'}.{tail}")
    return float(re.sub(r"\D", "", digits))
