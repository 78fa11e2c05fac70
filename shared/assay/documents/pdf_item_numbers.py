"""Numbers and letters of the items of lists in PDFs: 1. or (a) or iv), and which of them follow each other."""

import re

from assay.text.roman_numerals import read_roman

ITEM = re.compile(r"([(\[]?)(\d{1,3}|[A-Za-z]|[ivxl]{1,6}|[IVXL]{1,6})([.)\]])(?:\s+(?=\S)|(?=[^\W\d_]))")

ROMAN = re.compile(r"[ivxl]+", re.IGNORECASE)


def follows_number(before: str, line: str) -> bool:
    """Whether a line begins with the number or the letter after that of a line before, in the same form."""
    one, two = ITEM.match(before), ITEM.match(line)
    if one is None or two is None or one.group(1, 3) != two.group(1, 3):
        return False
    first, second = one[2], two[2]
    if first.isdigit() or second.isdigit():
        return first.isdigit() and second.isdigit() and int(second) == int(first) + 1
    if first.isupper() != second.isupper():
        return False
    if len(first) == len(second) == 1 and ord(second) == ord(first) + 1:
        return True
    are_roman = ROMAN.fullmatch(first) is not None and ROMAN.fullmatch(second) is not None
    return are_roman and read_roman(second) == read_roman(first) + 1
