"""Dates that pages state, in attributes, prose and URLs, as ISO 8601."""

import re
from datetime import date, datetime
from email.utils import parsedate_to_datetime

MONTHS = (  # prefixes in English, German, French, Spanish, Italian, Portuguese, Dutch, Polish, Russian, Scandinavian
    "jan gen ene янв stycz jän",
    "feb fév fev фев lut",
    "mar mär mrz maa мар",
    "apr avr abr апр kwi",
    "may mai maj mag mei май мая",
    "jun juin giu июн czerw",
    "jul juil lug июл lip",
    "aug août aou ago авг sierp",
    "sep set сен wrz",
    "oct okt ott out окт paź",
    "nov ноя lis",
    "dec dez déc dic des дек gru",
)
MONTH_NUMBERS = {start: number for number, starts in enumerate(MONTHS, 1) for start in starts.split()}
PREFIXES = "|".join(sorted(MONTH_NUMBERS, key=len, reverse=True))
NAME = rf"((?:{PREFIXES})[^\W\d_]{{0,9}})\.?"
YEAR = r"((?:19|20)\d\d)"
TIME = r"\d\d?:\d\d(?::\d\d)?\s+(?:(?:[A-Z]{2,5}|[+-]\d{4})\s+)?"  # before the year, as programs write it
MONTH_FIRST = re.compile(
    rf"(?<![^\W_]){NAME}\s+(\d{{1,2}})(?:st|nd|rd|th)?\s*,?\s+(?:{TIME})?{YEAR}(?!\d)", re.IGNORECASE
)
TIME_BEFORE_YEAR = re.compile(rf"\d\s+{TIME}{YEAR}(?!\d)")
DAY_FIRST = re.compile(
    rf"(?<![\d.])(\d{{1,2}})(?:st|nd|rd|th|er|º|\.)?(?:\s+|-)(?:of\s+|de\s+)?{NAME},?(?:\s+|-)(?:de\s+|del\s+)?{YEAR}(?!\d)",
    re.IGNORECASE,
)
YEAR_FIRST = re.compile(
    rf"(?<![\d./-]){YEAR}([-/.]|\s?年\s?|\s?년\s?)(\d{{1,2}})(?:[-/.]|\s?月\s?|\s?월\s?)(\d{{1,2}})(?![\d])"
)
NUMERIC = re.compile(rf"(?<![\d./-])(\d{{1,2}})([./-])(\d{{1,2}})\2{YEAR}(?!\d)")
ISO = re.compile(
    r"(\d{4})-?(\d\d)-?(\d\d)(?:[T ]+(\d\d):(\d\d)(?::(\d\d))?(?:[.,:]\d+)?\s*(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)?)?(?!\d)",
    re.IGNORECASE,
)
DATE_PATH = re.compile(r"/((?:19|20)\d\d)[/-](\d\d)[/-](\d\d)(?=[/_-]|$)")
COMPACT_PATH = re.compile(r"[/_-](20\d\d)(\d\d)(\d\d)(?=[/_.-]|$)")
MIN_YEAR = 1900


def parse_stated_date(value: object) -> str:
    """Return the date of an attribute or JSON value: `2026-05-01`, with time and zone if given; "" if there is none."""
    text = " ".join(str(value)[:100].split()) if isinstance(value, str | int) else ""
    if match := ISO.match(text):
        return _moment(match)
    if re.fullmatch(r"(19|20)\d\d[-/](0?[1-9]|1[0-2])", text):
        return f"{text[:4]}-{int(text[5:]):02}"
    if TIME_BEFORE_YEAR.search(text) and (moment := _parse_email_date(text)):
        return moment
    return find_written_date(text) or _parse_email_date(text)


def find_written_date(text: str, american: bool = True) -> str:
    """Return the first complete date in prose as `2026-05-01`, or "". `american`: 03/04/2026 is a day in March."""
    if "19" not in text and "20" not in text:  # without a year there is no date
        return ""
    hits = [
        (match.start(), day)
        for pattern, reader in PARSERS
        if (match := pattern.search(text)) and (day := reader(match, american))
    ]
    return min(hits)[1] if hits else ""


def find_url_date(url: str) -> str:
    """Return the date in a URL such as `/2026/05/01/title`, which is the least reliable source."""
    path = url.partition("?")[0].partition("#")[0]
    match = DATE_PATH.search(path) or COMPACT_PATH.search(path)
    return _day(match[1], match[2], match[3]) if match else ""


def _moment(match: re.Match[str]) -> str:
    day = _day(match[1], match[2], match[3])
    if not day or match[4] is None or int(match[4]) > 23 or int(match[5]) > 59:
        return day
    zone = (match[7] or "").upper()
    if zone in ("Z", "UTC", "GMT"):
        zone = "Z"
    elif zone:
        digits = zone[1:].replace(":", "")
        zone = f"{zone[0]}{digits[:2]}:{digits[2:] or '00'}"
    return f"{day}T{match[4]}:{match[5]}:{match[6] or '00'}{zone}"


def _day(year: str, month: str | int, day: str) -> str:
    try:
        moment = date(int(year), int(month), int(day))
    except ValueError:
        return ""
    return moment.isoformat() if moment.year >= MIN_YEAR else ""


def _month_number(name: str) -> int:
    """Return the month, 1 to 12, of a name in one of the languages above."""
    name = name.casefold()
    return next(MONTH_NUMBERS[name[:size]] for size in range(5, 2, -1) if name[:size] in MONTH_NUMBERS)


def _numeric(match: re.Match[str], american: bool) -> str:
    first, second = int(match[1]), int(match[3])
    if second > 12 or (american and match[2] != "." and first <= 12):
        first, second = second, first
    return _day(match[4], second, str(first))


PARSERS = (
    (MONTH_FIRST, lambda match, _: _day(match[3], _month_number(match[1]), match[2])),
    (DAY_FIRST, lambda match, _: _day(match[3], _month_number(match[2]), match[1])),
    (YEAR_FIRST, lambda match, _: _day(match[1], match[3], match[4])),
    (NUMERIC, _numeric),
)


def _parse_email_date(text: str) -> str:
    try:
        moment: datetime = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError):
        return ""
    return moment.isoformat() if moment.year >= MIN_YEAR else ""
