"""Parses numbers in the notations that pages use."""

import math
import re
from collections.abc import Iterator

NUMBER = re.compile(r"[-+]?\d[\d.,'\u00a0\u202f ]*")


def parse_only_number(text: str) -> Iterator[int | float]:
    """Yield the readings of a text's only number (`$1,299.00`, `1.299,00 €`); nothing for several (`4.5 of 5`)."""
    tokens = NUMBER.findall(text)
    if len(tokens) != 1:
        return
    yield from read_number(tokens[0])


def read_number(token: str) -> Iterator[int | float]:
    """Yield the possible values of a written number, the most likely first."""
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
