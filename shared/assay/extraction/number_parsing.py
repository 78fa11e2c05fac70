"""Numbers as pages write them."""

import math
import re
from collections.abc import Iterator

NUMBER = re.compile(r"[-+]?\d[\d.,'\u00a0\u202f ]*")


def numbers(text: str) -> Iterator[int | float]:
    """The one number of a text, read as it is most likely meant: `$1,299.00`, `1.299,00 €`, `4.5 of 5` is none."""
    found = NUMBER.findall(text)
    if len(found) != 1:
        return
    yield from read_number(found[0])


def read_number(token: str) -> Iterator[int | float]:
    """A written number in each way that it may be read, the likelier first."""
    token = re.sub(r"['\u00a0\u202f ]", "", token).rstrip(".,")
    comma, point = token.rfind(","), token.rfind(".")
    readings = [token.replace(",", "")] if point > comma else [token.replace(".", "").replace(",", ".")]
    if comma >= 0 and point < 0:
        grouped = re.fullmatch(r"[-+]?\d{1,3}(?:,\d{3})+", token)
        readings = [token.replace(",", ""), *readings] if grouped else [*readings, token.replace(",", "")]
    elif point >= 0 and comma < 0 and re.fullmatch(r"[-+]?\d{1,3}(?:\.\d{3})+", token):
        readings.append(token.replace(".", ""))
    for reading in readings:
        try:
            number = float(reading)
        except ValueError:
            continue
        if math.isfinite(number):
            yield int(number) if number.is_integer() and abs(number) < 2**53 else number
