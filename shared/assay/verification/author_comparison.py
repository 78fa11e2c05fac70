"""Compares the name of a cited author with that of a recorded one.

Names are compared in Latin letters, whatever their script, and with regard to what citations do to names: initials,
particles, double family names, and either order of family and given name.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache, lru_cache
from importlib.resources import files
from typing import Literal

from anyascii import anyascii

from assay.text.word_lists import parse_words
from assay.verification.transliteration import Script, find_consonants, find_script, sounds_alike

type NameMatch = Literal["same", "variant", "different"]

VANCOUVER = re.compile(  # Smith JA · SMITH J · Smith (J)
    r"(?:[^\W\d_][\w'’‐-]*[^\W\dA-Z_][\w'’‐-]*\s)+\(?[A-Z]{1,3}\)?|(?:[^\W\d_][\w'’‐-]+\s)+\(?[A-Z]\)?"
)
TITLES = frozenset({"dr", "prof", "professor", "mr", "mrs", "ms", "sir", "phd", "md", "jr", "sr", "ii", "iii", "iv"})
PARTICLES = parse_words(
    "van von vom zu zum zur de der den del della delle dello di da das do dos du des la las los le lo ten ter"
    " te op af av bin ibn bint al el st san santa y e d l t mac"
)
GROUP = re.compile(
    r"\b(?:collaborations?|consorti(?:um|a)|group|team|network|investigators|committee|initiative|society|association|"
    r"organi[sz]ation|institut\w*|university|agency|ministry|council|openai|deepmind|google|microsoft|meta|project)\b",
    re.IGNORECASE,
)
NAME_SEPARATORS = re.compile(r"[\s.\-‐-―,;()\[\]*†‡/]+")
SEPARATORS = re.compile(r"[\s.\-,;()\[\]*/]+")  # also those that are written in Latin letters only then
UMLAUT = re.compile(r"(?<=[aou])e(?=[^aeiou]|$)|(?<=a)a")
NICKNAME_RATIO = 0.5  # similarity of two given names with the same first letter from which on they may be one name
TYPO_RATIO = 0.84  # similarity of two family names from which on they may be spellings of one name


@dataclass(frozen=True)
class AuthorName:
    """A name in lower-case Latin letters; `given` holds given names or initials, `tokens` all words in their order."""

    tokens: tuple[str, ...]
    family: tuple[str, ...]
    given: tuple[str, ...]
    is_group: bool = False
    script: Script = "latin"

    @property
    def spellings(self) -> frozenset[str]:
        """The letters of the whole name, with the family name last and first: 王小明 has no space to divide it at."""
        return frozenset(("".join(self.tokens), "".join((*self.family, *self.given))))


@lru_cache(maxsize=4096)
def parse_author(text: str) -> AuthorName:
    """Parse `Family, Given`, `Given Family`, `Family GI` and `G. I. Family` into folded words."""
    text = text[:200]
    is_group, script = bool(GROUP.search(text)), find_script(text)
    family_part, comma, given_part = text.partition(",")
    if comma and given_part.strip() and _words(family_part) and _words(given_part):
        family, given = _words(family_part), _initials(given_part, family_part) or _words(given_part)
        return AuthorName((*given, *family), family, given, is_group, script)
    raw = [word for word in re.split(r"[\s.]+", text.replace(",", " ")) if word]
    words = _words(text)
    if len(words) > 1 and VANCOUVER.fullmatch(" ".join(raw)):
        initials = tuple(filter(str.isalpha, anyascii(raw[-1]).casefold()))
        family = _words(" ".join(raw[:-1]))
        return AuthorName((*initials, *family), family, initials, is_group, script)
    if len(words) > 1 and len(words[-1]) == 1 < len(words[0]):  # Smith J. A. · Smith (J.)
        at = next(at for at, word in enumerate(words) if all(len(each) == 1 for each in words[at:]))
        return AuthorName((*words[at:], *words[:at]), words[:at], words[at:], is_group, script)
    return AuthorName(words, words[-1:], words[:-1], is_group, script)


def _initials(given: str, family: str) -> tuple[str, ...]:
    """Return the letters of initials without stops, such as `MA`; () for other given names."""
    letters = given.strip()
    if 1 < len(letters) <= 3 and letters.isalpha() and letters.isupper() and not family.isupper():
        return tuple(_fold_word(letter) for letter in letters)
    return ()


def _words(text: str) -> tuple[str, ...]:
    """Return the words of a name in lower-case Latin letters without titles; hyphens separate words."""
    parts = NAME_SEPARATORS.split(text.replace("’", "'"))
    words = (part for whole in parts for part in SEPARATORS.split(_fold_word(whole)))
    words = (word.replace("'", "").strip() for word in words)
    return tuple(word for word in words if word and word not in TITLES and any(map(str.isalpha, word)))


def _fold_word(word: str) -> str:
    """Return the word in lower-case Latin letters; an initial such as Ю is one letter in them too."""
    latin = anyascii(word).casefold()
    return latin[:1] if len(word) == 1 and word.isupper() else latin


def compare_names(cited: str, recorded: str) -> NameMatch:
    """Compare two printed names. A name without given names matches every name of that family."""
    return _compare_authors(parse_author(cited), parse_author(recorded))


@lru_cache(maxsize=4096)  # candidates for a citation are compared with each other, and many are by the same authors
def _compare_authors(one: AuthorName, other: AuthorName) -> NameMatch:
    if not one.tokens or not other.tokens:
        return "same" if one.tokens == other.tokens else "different"
    if one.spellings & other.spellings or sorted(one.tokens) == sorted(other.tokens):
        return "same"
    if one.script != other.script and "latin" in (one.script, other.script):
        return _compare_transliterated(one, other)
    best: NameMatch = "different"
    for left_family, left_given in _readings(one):
        for right_family, right_given in _readings(other):
            match = _compare_parts(left_family, left_given, right_family, right_given)
            if match == "same":
                return "same"
            best = match if match == "variant" else best
    if best == "different" and _is_respelling(one, other):
        return "variant"
    return best


def _compare_transliterated(one: AuthorName, other: AuthorName) -> NameMatch:
    """Compare names in two scripts by their sounds. How Chinese characters are read in a Japanese name is unknown."""
    if any(sounds_alike(left, right) for left in one.spellings for right in other.spellings):
        return "same"
    families = "".join(one.family), "".join(other.family)
    if sounds_alike(*families) and _have_like_initials(one.given, other.given):
        return "same"
    return "variant" if "han" in (one.script, other.script) else "different"


def _have_like_initials(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    if not one or not other:
        return True
    if min(len("".join(one)), len("".join(other))) > len(one):  # neither has initials only
        return False
    left, right = find_consonants(one[0][:1]), find_consonants(other[0][:1])
    return left == right or not left or not right


def _readings(name: AuthorName) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Return the ways to divide a name: as printed, with a double family name, and with the family name first."""
    readings = [(name.family, name.given)]
    tokens = name.tokens
    if len(tokens) > 2:
        readings += [(tokens[at:], tokens[:at]) for at in range(1, len(tokens) - 1)]
    if len(tokens) > 1:
        readings.append((tokens[:1], tokens[1:]))
    if len(tokens) > 2:
        readings.append((tokens[:2], tokens[2:]))
    return [reading for reading in readings if len("".join(reading[0])) > 1]


def _compare_parts(
    family: tuple[str, ...], given: tuple[str, ...], other_family: tuple[str, ...], other_given: tuple[str, ...]
) -> NameMatch:
    if not _same_family(family, other_family):
        return "different"
    return _compare_given(given, other_given)


def _same_family(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    left, right = _bare(one), _bare(other)
    return left == right or UMLAUT.sub("", left) == UMLAUT.sub("", right)


def _bare(family: tuple[str, ...]) -> str:
    """Return the family name as one word without particles, unless it consists of particles."""
    return "".join(word for word in family if word not in PARTICLES) or "".join(family)


def _compare_given(one: tuple[str, ...], other: tuple[str, ...]) -> NameMatch:
    """Compare given names: initials match, missing middle names match; nicknames and short forms are variants."""
    one, other = _without_particles(one), _without_particles(other)
    if not one or not other:
        return "same"
    joined, joined_other = "".join(one), "".join(other)
    if joined == joined_other or UMLAUT.sub("", joined) == UMLAUT.sub("", joined_other):
        return "same"
    if all(len(word) == 1 for word in one) or all(len(word) == 1 for word in other):
        short, long = sorted((one, other), key=lambda words: (max(map(len, words)), len(words)))
        return "same" if _initials_match(short, long) else "different"
    if _first_compatible(one[0], other[0]) and _initials_compatible(one[1:], other[1:]):
        return "same"
    if len(one[0]) == 1 and _first_compatible(one[0], other[0]):
        return "same"
    return "variant" if _is_variant(one, other) else "different"


def _without_particles(words: tuple[str, ...]) -> tuple[str, ...]:
    kept = tuple(word for word in words if word not in PARTICLES or len(word) == 1)
    return kept or words


def _initials_match(short: tuple[str, ...], long: tuple[str, ...]) -> bool:
    """Whether initials stand for the given names, in order; initials of name parts written together match too."""
    letters = [word[0] for word in long]
    at = 0
    for initial in (word[0] for word in short):
        if initial in letters[at:]:
            at = letters.index(initial, at) + 1
        elif at and initial in "".join(long):
            continue  # a syllable of a name that the record writes as one word: Tat-Seng, Tatseng
        else:
            return False
    return bool(letters) and (letters[0] == short[0][0] or len(short) < len(long))


def _first_compatible(one: str, other: str) -> bool:
    return one == other or (1 in (len(one), len(other)) and one[0] == other[0])


def _initials_compatible(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether the further given names do not contradict each other; either side may omit some."""
    if not one or not other:
        return True
    short, long = sorted((one, other), key=len)
    letters = [word[0] for word in long]
    return all(word[0] in letters for word in short)


def _is_variant(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether two different given names may belong to one person: nickname, short form, syllables, spelling."""
    left, right = "".join(one), "".join(other)
    for first in (one[0], left):
        for second in (other[0], right):
            if len(first) > 1 and len(second) > 1 and (first.startswith(second) or second.startswith(first)):
                return True
            if any({first, second} <= names for names in _load_nicknames()):
                return True
    if set(one) & set(other) and (len(one) > 1 or len(other) > 1):
        return any(len(word) > 1 for word in set(one) & set(other))
    return left[0] == right[0] and SequenceMatcher(None, left, right).ratio() >= NICKNAME_RATIO


@cache
def _load_nicknames() -> tuple[frozenset[str], ...]:
    """Return sets of given names and their usual short forms."""
    text = files("assay.verification").joinpath("nicknames.txt").read_text("utf-8")
    return tuple(map(parse_words, text.splitlines()))


def _is_respelling(one: AuthorName, other: AuthorName) -> bool:
    """Whether the names look like spellings of one: the same given names or initials, and similar family names."""
    left, right = _bare(one.family), _bare(other.family)
    if min(len(left), len(right)) < 4 or SequenceMatcher(None, left, right).ratio() < TYPO_RATIO:
        return _contains_family(one, other)
    return _compare_given(one.given, other.given) == "same"


def _contains_family(one: AuthorName, other: AuthorName) -> bool:
    """Whether one family name is part of the other's double name and the first given names agree."""
    left, right = set(one.tokens) - PARTICLES, set(other.tokens) - PARTICLES
    common = {word for word in left & right if len(word) > 2}
    first = bool(one.tokens and other.tokens) and one.tokens[0][0] == other.tokens[0][0]
    return first and any(word in one.tokens[1:] and word in other.tokens[1:] for word in common)
