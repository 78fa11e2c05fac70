"""Finds author-year markers: `(Smith & Doe, 2020a; cf. Jones 2019, p. 3)` and `Smith et al. (2020)`."""

import re
import time
from collections.abc import Iterator
from itertools import chain

from assay.bibliography.person_names import PARTICLES
from assay.manuscripts.citation_words import LEAD_INS, OTHER_WORDS, OTHERS
from assay.manuscripts.manuscript_draft import AuthorYear, Marker

YEAR = (
    r"(?:(?:1[5-9]|20)\d\d|n\. ?d\.|s\. ?f\.|o\. ?J\.|in press|forthcoming|to appear|in prep(?:aration|\.)?|im Druck)"
)
YEARS = re.compile(
    rf"(?<![\w.])(?P<all>(?P<year>{YEAR})(?P<letter>[a-z](?![\w.]))?"
    rf"(?![/-]\d{{1,2}}(?!\d))(?:/\d{{4}})?(?:\s?(?:,|&|and|und|;|–|-)\s?(?:(?:1[5-9]|20)\d\d[a-z]?(?!\w)|[a-z](?![\w.'])))*)",
    re.IGNORECASE,
)
ONE_YEAR = re.compile(rf"(?P<year>{YEAR})(?P<letter>[a-z](?!\w))?|(?P<more>(?<![\w.])[a-z](?![\w.]))", re.IGNORECASE)
GROUP = re.compile(r"\(((?:[^()\[\]]|\[[^()\[\]]{1,60}\]){4,1200})\)|\[([^()\[\]]{4,1200})\]")
DATED = re.compile(
    rf"\(\s*(?P<years>{YEARS.pattern})(?P<locator>\s?[,:;]\s?[^()]{{1,80}})?\s*\)".replace("?P<all>", "?:"),
    re.IGNORECASE,
)
LEAD_IN = re.compile(
    rf"^\s*(?:(?:but |and |also )?(?:{LEAD_INS})(?:\s?also)?(?:\s?,?\s?e\.\s?g\.)?"
    r"(?:\s?,?\s?(?:for|in)\s(?:example|instance|particular))?[.,:]{0,2}\s+)+",
    re.IGNORECASE,
)
CAPITALISED = r"[^\W\d_a-zß-öø-ÿ][\w'’ʼ.\-‐‑]*"
PARTICLE = "(?:" + "|".join(sorted({*map(re.escape, PARTICLES), "d’", "d'", "el-", "al-"}, key=len, reverse=True)) + ")"
SURNAME = rf"(?:{PARTICLE}[ ])*(?:d[’']|al-|el-|ten )?{CAPITALISED}(?:[ ]{CAPITALISED}){{0,2}}"
CUT = rf"(?:,?\s+(?:{OTHERS})|\s?等)"
CUT_ANYWHERE = re.compile(CUT, re.IGNORECASE)
JOINT = re.compile(
    r"\s*(?:,?\s*(?:&|\band\b|\bund\b|\bet\b|\by\b|\be\b|\bi\b|\bи\b|\ben\b|\bog\b|\boch\b|和|与)\s+|,\s*|;\s*)\s*"
)
BEFORE_YEAR = re.compile(
    rf"(?:^|(?<=[^\w’'-]))((?:{SURNAME}(?:,\s+(?:and\s+|&\s+)?|\s+(?:&|and|und|et|y|e|и)\s+)){{0,6}}{SURNAME}{CUT}?)(?:['’]s?)?\s*$"
)
INITIAL = re.compile(r"(?:\b[^\W\d_]\.\s?-?){1,3}")
OPENING_WORDS = re.compile(
    r"^(?:(?:" + "|".join(sorted(map(re.escape, OTHER_WORDS), key=len, reverse=True)) + r"),?\s+)+", re.IGNORECASE
)  # of a sentence, before the names
ORGANISATION_WORDS = 10  # words of the longest name of an organisation
BRACKETS = re.compile(r"\[[^\[\]]*\]")
PERIOD = re.compile(r"\d{4}\s?[–-]\s?\d{4}")  # years of a life or a reign
PART_OF_NAME = re.compile(
    r"\b(?:of|for|the|de|du|of the)\s+$|[&-]\s*$", re.IGNORECASE
)  # before what may be an organisation
LOOKBACK = 160  # characters before a year in parentheses that may hold names
WIDE = re.compile(r"[\u3400-\u9fff\uf900-\ufaff\u3040-\u30ff\uac00-\ud7af]")
TO_ASCII = str.maketrans("（）［］；，：", "()[];,:")


def find_author_year(text: str) -> Iterator[Marker]:
    """Yield author-year markers of both kinds. Square brackets count too, as in `[Smith, 2020]`."""
    plain = text.translate(TO_ASCII)
    yield from _find_groups(plain)
    yield from _find_dated(plain)


def _find_groups(text: str) -> Iterator[Marker]:
    for found in GROUP.finditer(text):
        inner = found[1] or found[2]
        if YEARS.search(inner) and (labels := parse_group(inner)):
            yield Marker(found.start(), found.end(), "author-year", labels)


def parse_group(text: str) -> tuple[AuthorYear, ...]:
    """Parse what stands in the parentheses; () if a part is no citation. A year alone has the names before it."""
    labels: list[AuthorYear] = []
    for part in text.split(";"):
        years = YEARS.search(part)
        if years is None:
            continue
        stated = LEAD_IN.sub("", part[: years.start()]).strip(" ,(")
        if not stated and labels:
            names, cut, initials = labels[-1].names, labels[-1].has_more_authors, labels[-1].initials
        else:
            names, cut, initials = _parse_names(stated)
        if names and _are_names(names):
            certain = _is_certain(names, cut) and not PERIOD.search(years["all"])
            labels += _build_labels(years["all"], names, cut, initials, certain)
    return tuple(labels)


def _find_dated(text: str) -> Iterator[Marker]:
    """Yield narrative markers, whose names stand before the parentheses."""
    for found in DATED.finditer(text):
        before = text[max(0, found.start() - LOOKBACK) : found.start()]
        stated = BEFORE_YEAR.search(before)
        if stated is None:
            yield from _find_wide_name(before, found)
            continue
        skip = len(stated[1]) - len(OPENING_WORDS.sub("", stated[1]))
        names, cut, initials = _parse_names(stated[1][skip:])
        if names and _are_names(names):
            start = found.start() - (len(before) - stated.start(1)) + skip
            certain = (cut or _is_pair(names, stated[1])) and not PERIOD.search(found["years"])
            certain = certain and not PART_OF_NAME.search(before[: stated.start(1) + skip])
            yield Marker(
                start, found.end(), "author-year", _build_labels(found["years"], names, cut, initials, certain)
            )


def _find_wide_name(before: str, found: re.Match[str]) -> Iterator[Marker]:
    """Yield a marker for a name in a script without spaces; only a listed name shows where it begins."""
    run = re.search(r"([\u3400-\u9fff\u3040-\u30ff\uac00-\ud7af、和与]{2,12})\s?(等人?|ら|외)?\s*$", before[-20:])
    if run:
        start = found.start() - (min(20, len(before)) - run.start())
        labels = _build_labels(found["years"], (run[1],), bool(run[2]), "", False)
        yield Marker(start, found.end(), "author-year", labels)


def _build_labels(
    years: str, names: tuple[str, ...], cut: bool, initials: str, certain: bool
) -> tuple[AuthorYear, ...]:
    """Return a label for each year; `2020a, b` are two."""
    labels: list[AuthorYear] = []
    for found in ONE_YEAR.finditer(years):
        year, letter = (found["year"], found["letter"] or "") if found["year"] else (labels[-1].year, found["more"])
        if year[:1].isdigit() and int(year) > time.gmtime().tm_year + 1:
            return ()
        labels.append(AuthorYear(names, year.casefold(), letter.casefold(), cut, initials, certain))
    return tuple(labels)


def _parse_names(text: str) -> tuple[tuple[str, ...], bool, str]:
    """Return the family names, whether "et al." follows, and the initials of the first author."""
    text = BRACKETS.sub(" ", text).strip(" ,.:")
    text = re.sub(r"['’]s?$", "", text)
    shorter = CUT_ANYWHERE.sub(" ", text)
    initials = INITIAL.search(shorter)
    parts = [part.strip(" ,.:'\"") for part in JOINT.split(INITIAL.sub(" ", shorter))]
    names = tuple(
        part for part in parts if any(map(str.isalpha, part)) and part.casefold() not in ("jr", "sr", "eds", "ed")
    )
    return names, shorter != text, re.sub(r"[\s.-]", "", initials[0]) if initials else ""


def _are_names(names: tuple[str, ...]) -> bool:
    words = list(chain.from_iterable(name.split() for name in names))
    if any(map(str.isdigit, "".join(names))) or len(words) > ORGANISATION_WORDS * len(names):
        return False
    first, last = words[0].casefold().strip(".,"), words[-1].casefold().strip(".,")
    if last in OTHER_WORDS or (first in OTHER_WORDS and len(names) == 1 and len(words) < 3):
        return False
    return all(_has_capital(name) for name in names)


def _is_pair(names: tuple[str, ...], stated: str) -> bool:
    """Whether the names are of two people, rather than a title or an organisation with a comma or an "and"."""
    return len(names) == 2 and "," not in stated and all(len(name.split()) <= 2 for name in names)


def _has_capital(name: str) -> bool:
    return bool(WIDE.search(name)) or any(word[:1].isupper() or word[2:3].isupper() for word in name.split())


def _is_certain(names: tuple[str, ...], cut: bool) -> bool:
    """Whether the names are of people: acronyms and long names may be events, places or versions."""
    words = [word for name in names for word in name.split()]
    are_names = all(word[:1].isupper() or word.casefold() in PARTICLES or WIDE.search(word) for word in words)
    return cut or (are_names and all(len(name.split()) <= 3 and not name.isupper() for name in names))
