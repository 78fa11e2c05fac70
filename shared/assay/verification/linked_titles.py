"""Tells whether the title of a page that a reference links is that of the cited work.

Anybody can link a page: a reference is not confirmed by a page whose title is one word, that of its author or journal,
or the first words of the cited title.
"""

import re
from collections.abc import Iterable

from assay.verification.title_matching import (
    MAX_IGNORED_LETTERS,
    WORD,
    TitleMatch,
    compare_titles,
    contains_title,
    extract_title,
    fold,
    measure_overlap,
    title_words,
)

MIN_WORDS = 2  # significant words that identify a work
ACCESS_NOTE = re.compile(r"\b(?:retrieved|accessed|available|abgerufen|consulté|consultado)\b.*", re.DOTALL)


def compare_page_title(cited: str, page: str, known: Iterable[str] = ()) -> TitleMatch:
    """Compare a cited title with that of the linked page; `known`: authors, journal and publisher of the reference."""
    outcome = compare_titles(cited, page, known)
    if outcome != "match" or names_cited_work(page, cited):
        return outcome
    is_whole = len(title_words(cited)) >= MIN_WORDS and not measure_overlap(cited, page).absent
    return "match" if is_whole else "not_checked"


def names_cited_work(page: str, reference: str) -> bool:
    """Whether a reference, or a cited title, has the title of the page as that of its work."""
    if len(title_words(page)) < MIN_WORDS or not contains_title(page, reference):
        return False
    if not _may_be_name(page):
        return True
    title = extract_title(reference)
    return contains_title(page, title) if title else not _begins_as_author(page, reference)


def _may_be_name(title: str) -> bool:
    """Whether the title may be the name of an organization or a journal, judged by its capitals."""
    return all(word[:1].isupper() for word in WORD.findall(title) if len(word) > MAX_IGNORED_LETTERS)


def _begins_as_author(page: str, reference: str) -> bool:
    """Whether the reference begins with the title of the page, and goes on with words for a title of its own."""
    words, text = WORD.findall(fold(page)), ACCESS_NOTE.sub("", fold(reference))
    found = WORD.findall(text)
    if found[:1] and found[0].isdigit() and found[0] != words[0]:
        found = found[1:]  # the number of the reference
    rest = title_words(" ".join(word for word in found[len(words) :] if not word.isdigit()))
    return found[: len(words)] == words and len(rest) >= MIN_WORDS
