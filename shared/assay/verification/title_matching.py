"""Compares the titles of works by their significant words, ignoring case, accents, inflection and word order."""

import re
import unicodedata
from collections.abc import Iterable
from typing import Literal, NamedTuple

from assay.evaluation.claim_sentences import ELISION, WIDE, split_bigrams, stem
from assay.verification.language_detection import languages_differ

type Confidence = Literal["high", "medium", "low", "none"]
type TitleMatch = Literal["match", "mismatch", "not_checked"]

MAX_IGNORED_LETTERS = 3  # words of up to this many letters are ignored
BOUNDARY = 100  # characters in which the punctuation beside a title stands
HIGH_OVERLAP, MEDIUM_OVERLAP = 0.7, 0.4  # share of the record's title words that the text contains
WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
QUOTED = re.compile(r"[“„\"«»]([^“”„\"«»]{8,400})[”“\"»«]")
AFTER_YEAR = re.compile(r"\((?:1[5-9]\d\d|20\d\d)[a-z]?(?:,[^()]{0,30})?\)\s*[.,:]?\s*(.{8,400})", re.DOTALL)
ENDED = re.compile(r"(?<=[^\W\d_]{2})[.?!]\s+(?=[^\W\d_])|[.?!]?\s*$|\s+In:\s")
INITIALS = re.compile(r"\b(?:[A-Z]\.\s?-?){1,4}")
RETRACTION_PREFIX = re.compile(  # the opening bracket of "[Retracted] …" is an edge
    r"(?:(?:article\s+)?retracted|withdrawn|removed|temporary removal|notice of retraction)\b"
    r"(?:\s+(?:article|paper|chapter))?\W{0,9}(?:[:—\])】]|-\s)\W{0,9}",
    re.IGNORECASE,
)
RETRACTION_SUFFIX = re.compile(r"[\[(]\s*(?:retracted|withdrawn)\b[^\[\]()]{0,80}[\])]?$", re.IGNORECASE)
NOTICE = re.compile(
    r"\b(?:(?:retraction|withdrawal|removal)(?:\s+(?:note|notice))?\b\W{0,9}(?:to|of|:|—)"
    r"|(?:author |publisher )?correction\b\W{0,9}(?:to|:)"
    r"|corrigendum\b|erratum\b|expression of concern\b|addendum\b|comment on\b|reply to\b)",
    re.IGNORECASE,
)
EDGES = " \t\r\n[](){}*\"'“”«»"
LINKS = re.compile(r"(?:https?://|doi:|www\.)\S+|\b10\.\d{4,9}/\S+|(?<!\S)[\w.-]+(?:/[\w.-]+){2,}", re.IGNORECASE)


class TitleOverlap(NamedTuple):
    """Word overlap of a text and a record's title; `forward` and `back` are shares from 0 to 1.

    `forward` is the share of the record's title words in the text, `back` the share of the text's words in the record.
    """

    forward: float
    back: float
    hits: int
    absent: frozenset[str]  # words of the text that the record lacks

    @property
    def confidence(self) -> Confidence:
        if not self.hits:
            return "none"
        if self.hits < 2:
            return "low"
        return "high" if self.forward >= HIGH_OVERLAP else "medium" if self.forward >= MEDIUM_OVERLAP else "low"


def title_words(text: str) -> frozenset[str]:
    """Return the significant words of a title, folded and stemmed for comparison."""
    words: set[str] = set()
    for word in WORD.findall(fold(text)):
        if WIDE.search(word):
            words.update(split_bigrams(word))
        elif len(word) > MAX_IGNORED_LETTERS:
            words.add(stem(ELISION.sub("", word)))
    return frozenset(words)


def fold(text: str) -> str:
    """Fold to lower case without accents: `Über Größe` and `Uber Grosse` give the same text."""
    if text.isascii():
        return text.lower()
    spread = unicodedata.normalize("NFKD", text.casefold().replace("’", "'"))
    folded = "".join(letter for letter in spread if not unicodedata.combining(letter))
    return unicodedata.normalize(
        "NFC", folded.replace("ß", "ss").replace("ø", "o").replace("ł", "l").replace("æ", "ae")
    )


def strip_retraction_mark(title: str) -> str:
    """Remove a publisher's mark of retraction, such as `RETRACTED ARTICLE:` or `(Retracted)`, from a title."""
    title = title.strip(EDGES)
    match = RETRACTION_PREFIX.match(title)
    return RETRACTION_SUFFIX.sub("", title[match.end() :] if match else title).rstrip() or title


def has_retraction_mark(title: str) -> bool:
    """Return whether the title begins or ends with a publisher's mark of retraction."""
    title = title.strip(EDGES)
    return bool(RETRACTION_PREFIX.match(title) or RETRACTION_SUFFIX.search(title))


def is_notice(title: str) -> bool:
    """Return whether the title names a retraction notice, a correction or a comment on another work."""
    return NOTICE.match(title.strip(EDGES)) is not None


def measure_overlap(text: str, title: str, known: Iterable[str] = ()) -> TitleOverlap:
    """Measure how far `text` contains the record's `title`; `known`: other words of the record (names, journal)."""
    text, title = strip_retraction_mark(text), strip_retraction_mark(title)
    recorded, supplied = title_words(title), title_words(text)
    others = frozenset().union(*map(title_words, known))
    hits = recorded & supplied
    absent = supplied - recorded - others
    if not recorded and (exact := _match_word_sequence(text, title)):
        return TitleOverlap(1.0, 1.0 if exact == "whole" else 0.5, 2, frozenset())
    return TitleOverlap(
        len(hits) / len(recorded) if recorded else 0.0,
        1 - len(absent) / len(supplied) if supplied else 0.0,
        len(hits),
        absent,
    )


def extract_title(reference: str) -> str | None:
    """Extract the title from a printed reference; return None if it cannot be separated from the rest."""
    text = LINKS.sub(" ", reference)
    if quoted := QUOTED.search(text):
        return quoted[1].strip(" .,")
    if dated := AFTER_YEAR.search(text):
        return _first_sentence(dated[1])
    sentences = [part.strip() for part in ENDED.split(INITIALS.sub(" ", text)) if part and part.strip()]
    if len(sentences) > 2 and _looks_like_authors(sentences[0]):
        return sentences[1]
    return None


def compare_titles(supplied: str, title: str, known: Iterable[str] = ()) -> TitleMatch:
    """Compare a `supplied` title with a record's title.

    A mismatch requires two supplied words that the record lacks entirely, and either most of the record's title missing
    or most of the supplied one unknown. Shortened, extended, reworded and translated titles are not mismatches.
    """
    known, supplied, title = list(known), strip_retraction_mark(supplied), strip_retraction_mark(title)
    overlap = measure_overlap(supplied, title, known)
    if not title_words(supplied):
        return "not_checked"
    if overlap.forward >= HIGH_OVERLAP and (overlap.back >= 0.5 or _extends_title(supplied, title)) and overlap.hits:
        return "match"
    if overlap.back >= HIGH_OVERLAP and overlap.hits >= 2:
        return "match"
    if len(overlap.absent) >= 2 and not languages_differ(supplied, title):
        return "mismatch"
    return "not_checked"


def contains_title(title: str, text: str) -> bool:
    """Return whether the text contains the title as a unit, not as part of a longer title."""
    folded = fold(text)
    words, matches = WORD.findall(fold(title)), list(WORD.finditer(folded))
    if not words:
        return False
    text_words = [match[0] for match in matches]
    for at in range(len(text_words) - len(words) + 1):
        if text_words[at : at + len(words)] == words:
            start, end = matches[at].start(), matches[at + len(words) - 1].end()
            before, after = folded[max(0, start - BOUNDARY) : start], folded[end : end + BOUNDARY]
            if _is_boundary(before[::-1]) and _is_boundary(after):
                return True
    return False


def _is_boundary(beyond: str) -> bool:
    """Return whether a title can end before `beyond`: at the end of the text or at separating punctuation."""
    stripped = beyond.lstrip()
    return not stripped or bool(re.match(r"[.,;:?!\"“”„«»()\[\]/|*—–]|-\s|\d{4}", stripped))


def _extends_title(supplied: str, title: str) -> bool:
    """Return whether the supplied text is the record's title followed by a subtitle or more."""
    one, other = WORD.findall(fold(title)), WORD.findall(fold(supplied))
    if other[: len(one)] != one:
        return False
    rest = re.match(r"\W*" + r"\W+".join(map(re.escape, one)), fold(supplied))
    return rest is not None and _is_boundary(fold(supplied)[rest.end() :])


def _match_word_sequence(text: str, title: str) -> Literal["whole", "part"] | None:
    """Compare titles that consist of short words only, such as `Pi`, by the exact word sequence."""
    if WORD.findall(fold(text)) == WORD.findall(fold(title)) != []:
        return "whole"
    return "part" if contains_title(title, text) else None


def _first_sentence(text: str) -> str:
    return ENDED.split(text, maxsplit=1)[0].strip(" .,:")


def _looks_like_authors(text: str) -> bool:
    """Return whether the text looks like a list of authors, judged by its capitals."""
    words = WORD.findall(text)
    capitalised = sum(word[:1].isupper() for word in words)
    return bool(words) and capitalised / len(words) >= 0.7 and len(words) <= 60
