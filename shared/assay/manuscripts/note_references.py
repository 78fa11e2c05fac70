"""Tells which footnotes are references, and which listed works the other notes name."""

import re
from collections import defaultdict
from collections.abc import Sequence

from assay.manuscripts.author_year_markers import LEAD_IN
from assay.manuscripts.citation_words import OTHER_WORDS
from assay.manuscripts.manuscript_draft import DraftReference
from assay.manuscripts.name_keys import list_first_author_forms
from assay.manuscripts.reference_index import list_addresses

IBID = re.compile(r"\W*(?:ibid(?:em)?|id|ebd|ebenda|a\.\s?a\.\s?O|op\.\s?cit|loc\.\s?cit|ivi|同上)\b\.?", re.IGNORECASE)
IDENTIFIED = re.compile(r"\b10\.\d{4,9}/\S|https?://\S|\barxiv:", re.IGNORECASE)
DATED = re.compile(r"(?<![\d-])(?:1[5-9]|20)\d\d(?!\d)")
STARTS = re.compile(r"\W*(?:(?:[^\W\d_]\.[\s-]?){1,3}[^\W\d_]|[^\W\d_][\w'’-]+(?:\s[^\W\d_][\w'’.-]*){0,4},\s)")
PRINTED = re.compile(
    r"[\"“„«*_]|\bpp?\.\s?\d|\bS\.\s?\d|\d\s?\(\d{1,4}\)|:\s?\d+\s?[-–]\s?\d|\(\d{4}\)|, \d{4}\)|"
    r"\b(?:press|verlag|journal|univers|review|proceedings|éditions?|editorial|vol)",
    re.IGNORECASE,
)
TITLE_WORD = re.compile(r"[^\W\d_]{4,}")
SAME_WORDS = 0.6  # share of the words of a note that a reference must have to be the same
MOST_SAME = 50  # references of one author that a note is compared with
LONGEST = 900  # characters of a note that is one reference


def is_printed_reference(text: str) -> bool:
    """Whether the text of a note is a reference, rather than a remark."""
    text = LEAD_IN.sub("", text.strip())
    if not text or len(text) > LONGEST or not (DATED.search(text) or IDENTIFIED.search(text)):
        return False
    first = re.match(r"\W*(\w+)(?!\.)", text)
    if first and first[1].casefold() in OTHER_WORDS:
        return False
    is_identifier = IDENTIFIED.match(text) is not None
    return is_identifier or bool(STARTS.match(text) and (PRINTED.search(text) or IDENTIFIED.search(text)))


def is_repetition(text: str) -> bool:
    """Whether the note refers to the one before: "Ibid., p. 4"."""
    return IBID.match(text) is not None


class NoteMatcher:
    """Finds the listed reference that a note repeats: by address, or by its first author and words of its title."""

    def __init__(self, references: Sequence[DraftReference]) -> None:
        self._references = references  # may grow; `add` tells about each new one
        self._by_address: dict[str, int] = {}
        self._by_author: dict[str, list[int]] = defaultdict(list)
        for place in range(len(references)):
            self.add(place)

    def add(self, place: int) -> None:
        reference = self._references[place]
        if reference.hidden:
            return
        for address in list_addresses(reference.work, reference.text):
            self._by_address.setdefault(address, place)
        for form in list_first_author_forms(reference.work, reference.text):
            self._by_author[form].append(place)

    def find(self, text: str) -> int | None:
        """Return the place of the reference; None if there is none, or more than one fits equally."""
        text = LEAD_IN.sub("", text)[:LONGEST]
        for address in list_addresses(None, text):
            if address in self._by_address:
                return self._by_address[address]
        if not STARTS.match(text):
            return None
        forms = list_first_author_forms(None, text)
        places = {place for form in forms for place in self._by_author.get(form, ())[:MOST_SAME]}
        words = _list_title_words(text)
        scores = sorted(((self._compare(place, words), place) for place in places), reverse=True)
        if not scores or scores[0][0] < SAME_WORDS or (len(scores) > 1 and scores[0][0] == scores[1][0]):
            return None
        return scores[0][1]

    def _compare(self, place: int, words: set[str]) -> float:
        """Return the share of the note's words that the reference has."""
        reference = self._references[place]
        printed = reference.text or (f"{reference.work.title} {reference.work.container}" if reference.work else "")
        return len(words & _list_title_words(printed)) / len(words) if words else 0.0


def _list_title_words(text: str) -> set[str]:
    """Return the long words behind the first, which is the name of the author."""
    words = [word.casefold() for word in TITLE_WORD.findall(text[:LONGEST])]
    return set(words[1:])
