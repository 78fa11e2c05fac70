"""Number formats of Excel workbooks (ECMA-376 part 1 clause 18.8.30): dates, percentages, units, hidden values."""

import re
from datetime import datetime, timedelta
from functools import lru_cache
from typing import NamedTuple

from assay.documents.ooxml import find_child
from assay.documents.sheet_table import format_duration, format_number, format_percentage
from assay.documents.sheet_units import NO_UNITS, Units, find_units
from assay.text.safe_xml import Element, get_attribute, local_name

GENERAL, DATE, DURATION, PERCENT = "general", "date", "duration", "percent"
PERCENT_SIGN = "percent sign"  # behind a number that is one of per cent: 12.5 is 12.5%
HIDDEN, HIDDEN_NUMBERS = "hidden", "hidden numbers"  # `;;;` hides every value, `;;` or `;;;@` numbers
BUILT_IN = (
    dict.fromkeys((*range(14, 23), *range(27, 37), 45, 47, *range(50, 59)), DATE)
    | dict.fromkeys((9, 10), PERCENT)
    | {46: DURATION}
)  # by number; the codes of these formats are not in the file
LITERAL = re.compile(r'"[^"]*"?|\\.|[_*].|am/pm|a/p', re.IGNORECASE)
LITERAL_PERCENT = re.compile(r'\\%|" ?%"')
BRACKETS = re.compile(r"\[[^\]]*\]")
ELAPSED = re.compile(r"\[(?:h+|m+|s+)\]", re.IGNORECASE)
DATE_PART = re.compile(r"[ymdhs]", re.IGNORECASE)
ZEROS = re.compile(r"0{2,20}")
MAX_CODE = 1_000  # characters of a format that are read
LEAP_BUG = 60  # the serial number of 29 February 1900, a day that Excel invented
LAST_DAY = 2_958_466  # the serial number after 31 December 9999
DAYS_1904 = 1_462  # between the two date systems


class NumberFormat(NamedTuple):
    """How a number is shown: the kind of its value, and what stands beside it."""

    kind: str = GENERAL
    units: Units = NO_UNITS


PLAIN = NumberFormat()


class NumberFormats:
    """The number formats by the style number of a cell."""

    def __init__(self, root: Element) -> None:
        formats = None if root is None else find_child(root, "numFmts")
        codes = {
            get_attribute(item, "numFmtId"): get_attribute(item, "formatCode")
            for item in (() if formats is None else formats)
        }
        styles = None if root is None else find_child(root, "cellXfs")
        numbers = [get_attribute(item, "numFmtId") for item in (() if styles is None else styles) if local_name(item)]
        self._formats = [
            read_format(codes[number])
            if number in codes
            else find_built_in(int(number) if number.isdecimal() and len(number) < 9 else 0)
            for number in numbers
        ]

    def find(self, style: str) -> NumberFormat:
        place = int(style) if style.isdecimal() and len(style) < 9 else 0
        return self._formats[place] if place < len(self._formats) else PLAIN


def find_built_in(number: int) -> NumberFormat:
    """The format that Excel has by a number."""
    return NumberFormat(BUILT_IN.get(number, GENERAL))


@lru_cache(1_000)
def read_format(code: str) -> NumberFormat:
    """The format that a code describes."""
    kind = _classify(code)
    is_plain = kind in (GENERAL, code)
    return NumberFormat(kind, find_units(code[:MAX_CODE].partition(";")[0]) if is_plain else NO_UNITS)


def _classify(code: str) -> str:
    """The kind of the values that a format code shows; the code itself if it is a row of zeros, such as 00000."""
    code = code[:MAX_CODE].replace('""', "")  # LibreOffice writes "";"" for a format without text
    if code.strip() == ";;;":
        return HIDDEN
    first, *others = code.split(";")
    if others and not first.strip():
        return HIDDEN_NUMBERS
    plain = LITERAL.sub("", code).partition(";")[0]
    if ELAPSED.search(plain):
        return DURATION
    plain = BRACKETS.sub("", plain)
    if "%" in plain:
        return PERCENT
    if plain.strip().lower() != GENERAL and DATE_PART.search(plain):
        return DATE
    if LITERAL_PERCENT.search(first):
        return PERCENT_SIGN
    return code if ZEROS.fullmatch(code) else GENERAL


def format_value(number: float, shown_as: NumberFormat, *, is_1904: bool = False) -> str:
    """The text of a number in a format; dates are ISO 8601."""
    kind = shown_as.kind
    if kind in (HIDDEN, HIDDEN_NUMBERS):
        return ""
    if kind == PERCENT:
        return format_percentage(number)
    if kind == PERCENT_SIGN:
        return f"{format_number(number)}%"
    if kind == DURATION:
        return format_duration(86_400 * number) if abs(number) < LAST_DAY else format_number(number)
    if kind == DATE:
        return _format_date(number, is_1904=is_1904)
    if kind != GENERAL and number.is_integer() and number >= 0:
        return format_number(number).zfill(len(kind))
    return shown_as.units.write(format_number(number))


def _format_date(serial: float, *, is_1904: bool) -> str:
    days = serial + (DAYS_1904 if is_1904 else 0)
    if not 0 <= days < LAST_DAY:
        return format_number(serial)
    first = datetime(1899, 12, 31) if days < LEAP_BUG else datetime(1899, 12, 30)  # noqa: DTZ001 - sheets have no zone
    moment = first + timedelta(milliseconds=round(86_400_000 * days))
    digits = "milliseconds" if moment.microsecond else "seconds"
    if days < 1:
        return moment.time().isoformat(digits)
    return moment.isoformat(" ", digits) if moment.time() != datetime.min.time() else moment.date().isoformat()
