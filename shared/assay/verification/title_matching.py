"""Whether two titles are one: compared by their words, whatever their case, accents, endings and order."""

import re
import unicodedata
from collections.abc import Iterable
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

from assay.evaluation.claim_sentences import ELISION, WIDE, pairs, stem
from assay.text.stopwords import CLAIM_WORDS
from assay.verification.language_detection import differ

type Confidence = Literal["high", "medium", "low", "none"]
type TitleMatch = Literal["match", "mismatch", "not_checked"]

SHORT = 3  # letters of words that say too little
HIGH, MEDIUM = 0.7, 0.4  # of the record's words that the text has
ALIKE = 0.85  # of two words that are one, with a slip of the pen
WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
QUOTED = re.compile(r"[“„\"«»]([^“”„\"«»]{8,400})[”“\"»«]")
YEAR = re.compile(r"\(?\b(?:1[5-9]\d\d|20\d\d)[a-z]?\b\)?")
AFTER_YEAR = re.compile(r"\((?:1[5-9]\d\d|20\d\d)[a-z]?(?:,[^()]{0,30})?\)\s*[.,:]?\s*(.{8,400})", re.DOTALL)
ENDED = re.compile(r"(?<=[^\W\d_]{2})[.?!]\s+(?=[^\W\d_])|[.?!]?\s*$|\s+In:\s")
INITIALS = re.compile(r"\b(?:[A-Z]\.\s?-?){1,4}")
STRUCK = re.compile(
    r"(?:retracted|withdrawn|removed)\b(?:\s+(?:article|paper|chapter))?\W{0,9}[:\-—]\W{0,9}", re.IGNORECASE
)
NOTICE = re.compile(
    r"\b(?:(?:retraction|withdrawal|removal)(?:\s+(?:note|notice))?\b\W{0,9}(?:to|of|:|—)"
    r"|(?:author |publisher )?correction\b\W{0,9}(?:to|:)"
    r"|corrigendum\b|erratum\b|expression of concern\b|addendum\b|comment on\b|reply to\b)",
    re.IGNORECASE,
)
EDGES = " \t\r\n[](){}*\"'“”«»"
LINKS = re.compile(r"(?:https?://|doi:|www\.)\S+|\b10\.\d{4,9}/\S+", re.IGNORECASE)


class Likeness(NamedTuple):
    """`forward`: the part of the record's words in the text; `back`: of the text's words in the record; 0 to 1."""

    forward: float
    back: float
    hits: int
    absent: frozenset[str]  # of the text, in the record nowhere

    @property
    def confidence(self) -> Confidence:
        if not self.hits:
            return "none"
        if self.hits < 2:
            return "low"
        return "high" if self.forward >= HIGH else "medium" if self.forward >= MEDIUM else "low"


def tokens(text: str) -> frozenset[str]:
    """The words of a title that say something, in the form in which they are compared."""
    found: set[str] = set()
    for word in WORD.findall(plain(text)):
        if WIDE.search(word):
            found.update(pairs(word))
        elif len(word) > SHORT:
            found.add(stem(ELISION.sub("", word)))
    return frozenset(found)


def plain(text: str) -> str:
    """Lower case, without accents: `Über Größe` and `Uber Grosse` are the same words."""
    spread = unicodedata.normalize("NFKD", text.casefold().replace("’", "'"))
    folded = "".join(letter for letter in spread if not unicodedata.combining(letter))
    return unicodedata.normalize(
        "NFC", folded.replace("ß", "ss").replace("ø", "o").replace("ł", "l").replace("æ", "ae")
    )


def bare(title: str) -> str:
    """A title without the publisher's word that the work is retracted."""
    title = title.strip(EDGES)
    found = STRUCK.match(title)
    return (title[found.end() :] if found else title) or title


def is_struck(title: str) -> bool:
    return STRUCK.match(title.strip(EDGES)) is not None


def is_notice(title: str) -> bool:
    """Of a retraction, a correction or a comment, not of the work that these are about."""
    return NOTICE.match(title.strip(EDGES)) is not None


def likeness(text: str, title: str, known: Iterable[str] = ()) -> Likeness:
    """How far `text` has the record's `title`; `known` are other words of the record: names, journal."""
    text, title = bare(text), bare(title)
    there, here = tokens(title), tokens(text)
    others = frozenset().union(*map(tokens, known))
    hits = there & here
    absent = here - there - others
    if not there and (exact := _exact(text, title)):
        return Likeness(1.0, 1.0 if exact == "whole" else 0.5, 2, frozenset())
    return Likeness(
        len(hits) / len(there) if there else 0.0, 1 - len(absent) / len(here) if here else 0.0, len(hits), absent
    )


def title_in(reference: str) -> str | None:
    """The title in a reference as it is printed; None where it cannot be told from the rest."""
    text = LINKS.sub(" ", reference)
    if quoted := QUOTED.search(text):
        return quoted[1].strip(" .,")
    if dated := AFTER_YEAR.search(text):
        return _first_sentence(dated[1])
    sentences = [part.strip() for part in ENDED.split(INITIALS.sub(" ", text)) if part and part.strip()]
    if len(sentences) > 2 and _is_names(sentences[0]):
        return sentences[1]
    return None


def compare_titles(supplied: str, title: str, known: Iterable[str] = ()) -> TitleMatch:
    """Whether the `supplied` title is the record's.

    A mismatch takes two words of it that the record has nowhere, and most of the record's title missing or most of the
    supplied one strange: shortened, extended and reworded titles are no mismatch, nor are translated ones.
    """
    known, supplied, title = list(known), bare(supplied), bare(title)
    found = likeness(supplied, title, known)
    if not tokens(supplied):
        return "not_checked"
    if found.forward >= HIGH and (found.back >= 0.5 or _begins(supplied, title)) and found.hits:
        return "match"
    if found.back >= HIGH and found.hits >= 2:
        return "match"
    if len(found.absent) >= 2 and not differ(supplied, title):
        return "mismatch"
    return "not_checked"


def has_exchanged_word(supplied: str, title: str) -> bool:
    """Whether a word of the title was exchanged for another: not one spelt otherwise, left out or added at an end."""
    here, there = _significant_words(supplied), _significant_words(title)
    strange = [word for word in here - there if not any(_alike(word, other) for other in there - here)]
    missing = [word for word in there - here if not any(_alike(word, other) for other in here - there)]
    return bool(strange and missing)


def _significant_words(title: str) -> set[str]:
    """All words but those that stand anywhere, short ones and numbers too."""
    return {word for word in WORD.findall(plain(bare(title))) if word not in CLAIM_WORDS}


def _alike(one: str, other: str) -> bool:
    """The same word with a slip of the pen, another ending, or a hyphen."""
    short, long = sorted((one, other), key=len)
    if short.isdigit() or long.isdigit():
        return False
    within = short in long and (len(short) > SHORT or len(long) - len(short) == 1)
    return within or SequenceMatcher(None, one, other).ratio() >= ALIKE


def stands_in(title: str, text: str) -> bool:
    """Whether the title stands in the text as a whole: not as the beginning, the middle or the end of another one."""
    words, there = WORD.findall(plain(title)), list(WORD.finditer(plain(text)))
    if not words:
        return False
    spoken = [found[0] for found in there]
    for at in range(len(spoken) - len(words) + 1):
        if spoken[at : at + len(words)] == words:
            start, end = there[at].start(), there[at + len(words) - 1].end()
            if _is_border(plain(text)[:start][::-1]) and _is_border(plain(text)[end:]):
                return True
    return False


def _is_border(beyond: str) -> bool:
    """Whether a title can end where this follows: at the end, or at a mark that is no part of a sentence."""
    stripped = beyond.lstrip()
    return not stripped or bool(re.match(r"[.,;:?!\"“”„«»()\[\]/|*—–]|-\s|\d{4}", stripped))


def _begins(supplied: str, title: str) -> bool:
    """The supplied text is the record's title with a subtitle or more behind it."""
    one, other = WORD.findall(plain(title)), WORD.findall(plain(supplied))
    if other[: len(one)] != one:
        return False
    rest = re.match(r"\W*" + r"\W+".join(map(re.escape, one)), plain(supplied))
    return rest is not None and _is_border(plain(supplied)[rest.end() :])


def _exact(text: str, title: str) -> Literal["whole", "part"] | None:
    """For titles of short words alone, such as `Pi`: the very words, in a row."""
    if WORD.findall(plain(text)) == WORD.findall(plain(title)) != []:
        return "whole"
    return "part" if stands_in(title, text) else None


def _first_sentence(text: str) -> str:
    return ENDED.split(text, maxsplit=1)[0].strip(" .,:")


def _is_names(text: str) -> bool:
    """A list of authors, by its commas and capitals."""
    words = WORD.findall(text)
    big = sum(word[:1].isupper() for word in words)
    return bool(words) and big / len(words) >= 0.7 and len(words) <= 60
