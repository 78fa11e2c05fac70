"""Compares volumes, issues and pages of citations with those of records, in all their usual notations."""

import re

from assay.text.roman_numerals import read_roman
from assay.verification.venue_comparison import FieldMatch

NUMBER = re.compile(r"\d+")
RANGE = re.compile(r"([a-z]{0,3})(\d+)\s*(?:-+|–|—|‐|‑|−|to|/)\s*([a-z]{0,3})(\d+)", re.IGNORECASE)
ROMAN = re.compile(r"^[ivxlcdm]+$", re.IGNORECASE)
UNCERTAIN_PAGES = re.compile(
    r"^\s*(?:0|1)\s*(?:[-–—]+\s*1)?\s*$"
)  # what databases print for works without page numbers


def compare_numbers(cited: str, recorded: str) -> FieldMatch:
    """Compare volumes or issues by their numbers; "abs/2101.00001" and a year are not volumes."""
    one, other = _read_number(cited), _read_number(recorded)
    if one is None or other is None:
        return "same" if cited.strip().casefold() == recorded.strip().casefold() else "unknown"
    return "same" if one & other else "different"


def _read_number(text: str) -> frozenset[int] | None:
    """Return the number or the numbers of a range; None for text without them and for identifiers."""
    text = text.strip()
    if ROMAN.match(text):
        return frozenset({read_roman(text)})
    if "abs/" in text or len(text) > 30:
        return None
    found = [int(each) for each in NUMBER.findall(text) if len(each) < 6]
    if not found or any(1900 <= each <= 2100 for each in found):
        return None
    if len(found) == 2 and re.search(r"\d\s*[-–—/]\s*\d", text) and 0 <= found[1] - found[0] < 20:
        return frozenset(range(found[0], found[1] + 1))
    return frozenset(found)


def compare_pages(cited: str, recorded: str) -> FieldMatch:
    """Compare page ranges: an elided end, a pinpoint inside the range and an article number's digits are the same."""
    if UNCERTAIN_PAGES.match(cited) or UNCERTAIN_PAGES.match(recorded):
        return "unknown"
    one, other = _read_pages(cited), _read_pages(recorded)
    if one is None or other is None:
        return "unknown"
    (start, end), (first, last) = one, other
    if start == first or (first <= start and end <= last) or (start <= first and last <= end):
        return "same"
    return "different"


def _read_pages(text: str) -> tuple[int, int] | None:
    """Return the first and last page; 123-30 is 123-130; None where there is no number."""
    if found := RANGE.search(text):
        start, end = found[2][:9], found[4][:9]
        if len(end) < len(start):
            end = start[: len(start) - len(end)] + end
        return int(start), max(int(end), int(start))
    single = NUMBER.search(text)
    return (int(single[0][:9]), int(single[0][:9])) if single else None
