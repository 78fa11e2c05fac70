"""Reads a list of printed references or DOIs in plain text or markdown, one work for each."""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace
from itertools import accumulate

from assay.bibliography.printed_reference import parse_reference
from assay.bibliography.reference_list import EVIDENCE, PrintedEntry, find_reference_list, split_entries
from assay.bibliography.work import CitedWork, UnparsedPassage, cut_excerpt, is_recognized
from assay.text.user_info import remove_prose_user_info

LIST_SHARE = 0.5  # share of the passages that have a year, a DOI or a link in a list of references
SAMPLE = 100_000  # characters by which a list is recognized


def is_reference_list(text: str) -> bool:
    """Return whether at least half of the passages have what references have: a year, a DOI or a link."""
    entries = _list_entries(text[:SAMPLE])
    return bool(entries) and sum(bool(EVIDENCE.search(entry.text)) for entry in entries) >= LIST_SHARE * len(entries)


def parse_plain_list(text: str, limit: int) -> tuple[list[CitedWork], list[UnparsedPassage], int]:
    """Parse a list of references; return its first `limit` works, the passages without one, and the number of all."""
    works: list[CitedWork] = []
    unread: list[UnparsedPassage] = []
    entries = _list_entries(text)
    for line, entry in _add_lines(text, entries):
        if len(works) == limit:
            break
        work = parse_reference(entry.text)
        if is_recognized(work) or EVIDENCE.search(entry.text):
            works.append(replace(work, printed=remove_prose_user_info(entry.text), number=len(works) + 1, line=line))
        else:
            unread.append(UnparsedPassage(line, cut_excerpt(entry.text), "No reference was recognized in it."))
    return works, unread, len(entries) - len(unread)


def _list_entries(text: str) -> tuple[PrintedEntry, ...]:
    """Return the entries of the list under a heading, if the text has one, else of the whole text."""
    return find_reference_list(text).entries or split_entries(text)


def _add_lines(text: str, entries: tuple[PrintedEntry, ...]) -> Iterator[tuple[int, PrintedEntry]]:
    ends = list(accumulate(len(line) + 1 for line in text.split("\n")))
    return ((bisect_right(ends, entry.start) + 1, entry) for entry in entries)
