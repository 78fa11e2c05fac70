"""What formats of numbers in sheets write beside a number: signs of currencies, units and other words."""

import re
from typing import NamedTuple

from assay.documents.office_emphasis import strip_foreign_marks

# A literal, a currency, a condition, a part of the number, and any other sign, in the code of a format of Excel.
PART = re.compile(
    r'"(?P<literal>[^"]*)"?|\\(?P<escaped>.)|[_*].|\[\$(?P<currency>[^\]-]*)[^\]]*\]|(?P<condition>\[[<>=][^\]]*\])'
    r"|\[[^\]]*\]|(?P<number>[0#?.,/@]|E[+-]|General)|(?P<other>.)",
    re.IGNORECASE | re.DOTALL,
)
SIGNS = "$€£¥₹₽₩₺₪₫฿₴₦"
SHOWN_CURRENCY = re.compile(rf"[{SIGNS}]|[^\W\d_]{{1,5}}\.?")
MAX_SIGNS = 30  # characters beside a number


class Units(NamedTuple):
    """What is written before and behind a number, with the spaces between."""

    before: str = ""
    after: str = ""

    def write(self, number: str) -> str:
        sign = "-" if number.startswith("-") and self.before else ""
        return f"{sign}{self.before}{number.removeprefix(sign)}{self.after}"


NO_UNITS = Units()


def find_units(section: str) -> Units:
    """Return what a format of Excel, by its section for positive numbers, writes beside the number as it is stored.

    None where it scales the number or is for some numbers only, or where it writes within the number.
    """
    sides, is_inside = ["", ""], False
    last = ""
    for part in PART.finditer(section):
        if part["condition"]:
            return NO_UNITS
        if part["number"]:
            if sides[1]:
                return NO_UNITS
            is_inside, last = True, part["number"]
            continue
        other = part["other"] or ""
        text = part["literal"] or part["escaped"] or part["currency"] or (other if other in f"{SIGNS} " else "")
        sides[is_inside] += text
    before, after = (strip_foreign_marks(side) for side in sides)
    units = Units(before.lstrip(), after.rstrip())
    is_clear = is_inside and last != "," and "%" not in before + after and len(before + after) <= MAX_SIGNS
    return units if is_clear else NO_UNITS


def find_shown_currency(shown: str) -> Units:
    """Return the currency beside an amount as a sheet shows it."""
    found, digit = SHOWN_CURRENCY.search(shown), re.search(r"\d", shown)
    if found is None or digit is None:
        return NO_UNITS
    sign = strip_foreign_marks(found[0])
    if found.start() < digit.start():
        return Units(sign + " " * shown[found.end() : digit.start()].startswith((" ", "\xa0")))
    return Units("", " " * shown[digit.start() : found.start()].endswith((" ", "\xa0")) + sign)
