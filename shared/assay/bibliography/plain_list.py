"""Reads a list of printed references or DOIs in plain text or markdown, one work for each."""

import re
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

from assay.bibliography.printed_reference import parse_reference
from assay.bibliography.work import CitedWork, UnparsedPassage, collapse_spaces, cut_excerpt

NUMBERED = re.compile(r"\s*(?:[-*•]\s+)?(?:\[\s*\d{1,4}\s*\]|\(\d{1,4}\)|\d{1,4}[.)])\s+(?=\S)")
BULLET = re.compile(r"\s*[-*•]\s+(?=\S)")
HEADING = re.compile(
    r"\s*#{0,6}\s*(?:references?|bibliography|works cited|literature(?: cited)?|literatur(?:verzeichnis)?|références|"
    r"bibliographie|referencias|bibliografía|bibliografia|参考文献|参考資料)\s*:?\s*$",
    re.IGNORECASE,
)
EVIDENCE = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)|\b10\.\d{4,9}/\S|https?://|arxiv:", re.IGNORECASE)
IDENTIFIER = re.compile(r"\s*(?:https?://|doi:|10\.\d{4,9}/|arxiv:)", re.IGNORECASE)
MIN_LETTERS = 6  # letters and digits of a reference
LIST_SHARE = 0.5  # share of the passages that have a year, a DOI or a link in a list of references


def is_reference_list(text: str) -> bool:
    """Return whether at least half of the passages have what references have: a year, a DOI or a link."""
    passages = split_references(text[:100_000])
    return bool(passages) and sum(bool(EVIDENCE.search(each)) for _, each in passages) >= LIST_SHARE * len(passages)


def parse_plain_list(text: str, limit: int) -> tuple[list[CitedWork], list[UnparsedPassage], int]:
    """Parse a list of references; return its first `limit` works, the passages without one, and the number of all."""
    works: list[CitedWork] = []
    unread: list[UnparsedPassage] = []
    passages = split_references(text)
    for line, passage in passages:
        if len(works) == limit:
            break
        work = parse_reference(passage)
        if work.title or work.doi or work.url or work.arxiv_id:
            works.append(replace(work, printed=passage, number=len(works) + 1, line=line))
        else:
            unread.append(UnparsedPassage(line, cut_excerpt(passage), "No reference was recognized in it."))
    return works, unread, len(passages) - len(unread)


def split_references(text: str) -> list[tuple[int, str]]:
    """Cut a list into references with their first lines: at numbers, else at blank lines, else at each line."""
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if not HEADING.match(line)]
    filled = [line for _, line in lines if line.strip()]
    identifiers = sum(bool(IDENTIFIER.match(line)) for line in filled)
    if sum(bool(NUMBERED.match(line)) for line in filled) * 4 >= len(filled):
        parts = _group(lines, lambda line: bool(NUMBERED.match(line)))
    elif _has_paragraphs([line for _, line in lines]) and identifiers * 2 < len(filled):
        parts = _group(lines, lambda line: not line.strip())
    else:
        parts = [[each] for each in lines]
    joined = [(part[0][0], collapse_spaces(" ".join(_strip_mark(line) for _, line in part))) for part in parts if part]
    return [(line, passage) for line, passage in joined if sum(map(str.isalnum, passage)) >= MIN_LETTERS]


def _has_paragraphs(lines: list[str]) -> bool:
    """Whether blank lines divide the text into paragraphs of which some have several lines."""
    blank = sum(not line.strip() for line in lines[1:-1])
    return blank > 0 and any(one.strip() and other.strip() for one, other in pairwise(lines))


def _group(lines: list[tuple[int, str]], starts: Callable[[str], bool]) -> list[list[tuple[int, str]]]:
    groups: list[list[tuple[int, str]]] = [[]]
    for number, line in lines:
        if starts(line):
            groups.append([])
        if line.strip():
            groups[-1].append((number, line))
    return groups


def _strip_mark(line: str) -> str:
    return BULLET.sub("", NUMBERED.sub("", line, count=1), count=1)
