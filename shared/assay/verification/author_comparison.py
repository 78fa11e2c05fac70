"""Compares the authors that a citation lists with those of a record: names, number and order.

Names are compared in Latin letters, whatever their script, and with regard to what citations do to names: initials,
particles, double family names, either order of family and given name, and "et al.".
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache, lru_cache
from importlib.resources import files
from typing import Literal

from anyascii import anyascii

from assay.text.word_lists import parse_words

type NameMatch = Literal["same", "variant", "different"]
type AuthorMatch = Literal["same", "truncated", "variant", "different", "unknown"]

ET_AL = re.compile(
    r"^(?:and\s+|&\s*)?(?:et\.?\s*al\b\.?|(?:and\s+)?others\.?|u\.\s?a\.|y\s+(?:otros|cols)\.?|e\s+outros|и\s+др\.?|等|외|ほか)\s*$"
    r"|\bet\.?\s+al\b\.?\s*$|^(?:\.{3}|…)$",
    re.IGNORECASE,
)
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
UMLAUT = re.compile(r"(?<=[aou])e(?=[^aeiou]|$)|(?<=a)a")
MAX_AUTHORS = 300  # of each list that are compared; the pairing takes time by the square of it
NICKNAME_RATIO = 0.5  # similarity of two given names with the same first letter from which on they may be one name
TYPO_RATIO = 0.84  # similarity of two family names from which on they may be spellings of one name


@dataclass(frozen=True)
class AuthorName:
    """A name in lower-case Latin letters; `given` holds given names or initials, `tokens` all words in their order."""

    tokens: tuple[str, ...]
    family: tuple[str, ...]
    given: tuple[str, ...]
    is_group: bool = False

    @property
    def spellings(self) -> frozenset[str]:
        """The letters of the whole name, with the family name last and first: 王小明 has no space to divide it at."""
        return frozenset(("".join(self.tokens), "".join((*self.family, *self.given))))


@dataclass(frozen=True)
class AuthorComparison:
    """The outcome. `reason` is a sentence; `variants` are pairs of a cited and a recorded form of one name."""

    match: AuthorMatch
    reason: str = ""
    variants: tuple[tuple[str, str], ...] = ()


@lru_cache(maxsize=4096)
def parse_author(text: str) -> AuthorName:
    """Parse `Family, Given`, `Given Family`, `Family GI` and `G. I. Family` into folded words."""
    text = text[:200]
    is_group = bool(GROUP.search(text))
    family_part, comma, given_part = text.partition(",")
    if comma and given_part.strip() and _words(family_part) and _words(given_part):
        family, given = _words(family_part), _words(given_part)
        return AuthorName((*given, *family), family, given, is_group)
    raw = [word for word in re.split(r"[\s.]+", text.replace(",", " ")) if word]
    words = _words(text)
    if len(words) > 1 and VANCOUVER.fullmatch(" ".join(raw)):
        initials = tuple(filter(str.isalpha, anyascii(raw[-1]).casefold()))
        family = _words(" ".join(raw[:-1]))
        return AuthorName((*initials, *family), family, initials, is_group)
    return AuthorName(words, words[-1:], words[:-1], is_group)


def _words(text: str) -> tuple[str, ...]:
    """Return the words of a name in lower-case Latin letters without titles; hyphens separate words."""
    latin = anyascii(text.replace("’", "'")).casefold()
    words = (word.replace("'", "").strip() for word in re.split(r"[\s.\-‐-―,;()\[\]*†‡/]+", latin))
    return tuple(word for word in words if word and word not in TITLES and any(map(str.isalpha, word)))


def compare_names(cited: str, recorded: str) -> NameMatch:
    """Compare two printed names. A name without given names matches every name of that family."""
    one, other = parse_author(cited), parse_author(recorded)
    if not one.tokens or not other.tokens:
        return "same" if one.tokens == other.tokens else "different"
    if one.spellings & other.spellings or sorted(one.tokens) == sorted(other.tokens):
        return "same"
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


def compare_author_lists(
    cited: Sequence[str], recorded: Sequence[str], *, recorded_is_partial: bool = False
) -> AuthorComparison:
    """Compare the author list of a citation with a record's.

    A list that ends in "et al." may omit authors of the record but not add any, and keeps their order.
    `recorded_is_partial` tells that the record lists only its first authors.
    """
    listed, truncated = _read_list(cited)
    known, partial = _read_list(recorded)
    if not listed or not known:
        return AuthorComparison("unknown")
    pairs, added = _align(listed, known)
    added = [place for place in added if place < len(known) or not (partial or recorded_is_partial)]
    if added and all(parse_author(listed[place]).is_group for place in added):
        return AuthorComparison("truncated", "A group stands for the persons whom the record lists.")
    if added:
        return AuthorComparison("different", f"The record does not list {_join(listed, added)}.")
    order = [pairs[place] for place in sorted(pairs)]
    if order != sorted(order):
        return AuthorComparison("different", "The record lists the authors in another order.")
    omitted = [at for at in range(len(known)) if at not in order and not parse_author(known[at]).is_group]
    if omitted and (not truncated or omitted[0] == 0):
        return AuthorComparison("different", f"The record also lists {_join(known, omitted)}.")
    return _find_variants(listed, known, pairs) or AuthorComparison("truncated" if omitted else "same")


def _read_list(authors: Sequence[str]) -> tuple[list[str], bool]:
    """Return the first authors of a list without "et al.", and whether the list is incomplete."""
    partial = len(authors) > MAX_AUTHORS or any(ET_AL.search(author) for author in authors)
    names = [ET_AL.sub("", author).strip(" ,;&") for author in authors[:MAX_AUTHORS]]
    return [name for name in names if parse_author(name).tokens], partial


def _join(names: Sequence[str], places: Sequence[int]) -> str:
    return ", ".join(names[place] for place in places[:3])


def _find_variants(listed: Sequence[str], known: Sequence[str], pairs: Mapping[int, int]) -> AuthorComparison | None:
    printed = [(listed[place], known[at]) for place, at in pairs.items()]
    variants = tuple(pair for pair in printed if compare_names(*pair) == "variant")
    if not variants:
        return None
    return AuthorComparison("variant", f"{variants[0][0]} may be a form of {variants[0][1]}.", variants)


def _align(listed: Sequence[str], known: Sequence[str]) -> tuple[dict[int, int], list[int]]:
    """Pair cited with recorded authors: equal names first, at the nearest place; return the pairs and the unpaired."""
    pairs: dict[int, int] = {}
    for wanted in ("same", "variant"):
        for place, author in enumerate(listed):
            if place in pairs:
                continue
            free = sorted(set(range(len(known))) - set(pairs.values()), key=lambda at: (abs(at - place), at))
            for at in free:
                if compare_names(author, known[at]) == wanted:
                    pairs[place] = at
                    break
    return pairs, [place for place in range(len(listed)) if place not in pairs]
