"""Compares the venue, publisher and place of a citation with those of a record.

Names are the same if they denote one venue in any of its usual forms: full name, ISO 4 abbreviation, acronym,
proceedings with ordinal and year, workshop at a conference. Forms that cannot be related are `unknown`, not different.
"""

import html
import re
from functools import lru_cache
from typing import Literal

from anyascii import anyascii

from assay.text.word_lists import parse_words
from assay.verification.known_venues import PUBLISHERS, SEATS, VENUES

type FieldMatch = Literal["same", "different", "unknown"]

WORD = re.compile(r"[a-z0-9]+(?:'[a-z]+)?")
PAREN = re.compile(r"\(([^()]{2,60})\)")
NOISE = re.compile(
    r"^(?:proceedings?|proc|procs|annual|international|intl?|conference|conf|meeting|symposium|symp|the|of|on|in|and|for|de|et|"
    r"und|der|la|le|l|y|e|a|an|at|to|with|volume|vol|long|short|papers?|main|companion|adjunct|extended|abstracts?|track|part|"
    r"i|ii|iii|iv|joint|st|nd|rd|th|\d+(?:st|nd|rd|th)?|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|"
    r"\w+teenth|twent\w+|thirt\w+|fort\w+|fift\w+|sixt\w+|sevent\w+|eight\w+|ninet\w+|"
    r"workshops?|ser|series|acm|ieee|cvf|rsj|sig\w{1,4}|aaai(?=\s))$"
)
SINGLE_WORDS = frozenset(
    {"nature", "science", "cell", "lancet"}
)  # names only if nothing but an article stands beside them
PREPRINTS = frozenset({"arxiv", "biorxiv", "medrxiv", "ssrn"})
SERIES = re.compile(
    r"lecture notes|\blncs\b|\blnai\b|communications in computer and information|ceur|"
    r"(?<!journal of )machine learning research|\bpmlr\b|"
    r"advances in intelligent systems|procedia|ifac|e3s web|journal of physics:? conference|\baip conf|iop conf|"
    r"studies in|springer proceedings|zenodo|figshare|repository|openreview|hal\b|semantic scholar|dblp"
)
COUNTRIES = (
    (re.compile(r"\b(?:uk|united kingdom|england|great britain)\b"), "britain"),
    (re.compile(r"\b(?:usa|us|u s a?|united states(?: of america)?)\b"), "america"),
    (re.compile(r"\b(?:uae|united arab emirates)\b"), "emirates"),
)
LEGAL = parse_words(
    "ltd limited inc llc llp bv b v co company corp gmbh ag sa kg publishing publishers publisher publications press"
    " media and the of for business group international verlag edition editions org"
)


@lru_cache(maxsize=4096)
def fold_words(text: str) -> tuple[str, ...]:
    """Return the words of a name in lower-case Latin letters, with HTML entities and dots resolved."""
    latin = anyascii(html.unescape(text[:600])).casefold().replace("&", " and ").replace("'", " ").replace("/", " ")
    return tuple(WORD.findall(latin.replace(".", " ")))


def find_venue_keys(text: str) -> frozenset[str]:
    """Return the keys of the known venues that a name mentions."""
    words = fold_words(text)
    line = f" {' '.join(words)} "
    keys: set[str] = set()
    for key, forms in VENUES.items():
        if key in SINGLE_WORDS:
            if tuple(word for word in words if word not in ("the", "new", "york")) == (key,):
                keys.add(key)
        elif any(f" {form} " in line for form in forms):
            keys.add(key)
    return _most_specific(frozenset(keys))


def _most_specific(keys: frozenset[str]) -> frozenset[str]:
    """Drop keys whose name is contained in the name of another key that was found."""
    for specific, general in (("eacl", "acl"), ("naacl", "acl"), ("tacl", "acl"), ("tmlr", "jmlr")):
        if specific in keys:
            keys -= {general}
    return keys


def compare_venues(cited: str, recorded: str) -> FieldMatch:
    """Compare two names of venues; see the module's description."""
    one, other = fold_words(cited), fold_words(recorded)
    if not one or not other:
        return "unknown"
    if one == other or SERIES.search(" ".join(one)) or SERIES.search(" ".join(other)):
        return "same" if one == other else _compare_words(one, other, unrelated="unknown")
    left, right = find_venue_keys(cited), find_venue_keys(recorded)
    if left and right:
        return "same" if left & right else "different"
    if _is_acronym_of(cited, recorded) or _is_acronym_of(recorded, cited):
        return "same"
    unrelated: FieldMatch = "unknown" if _looks_like_acronym(cited) or _looks_like_acronym(recorded) else "different"
    if (left or right) and unrelated == "unknown" and _is_short_known(cited, left) | _is_short_known(recorded, right):
        unrelated = "different" if not (_is_workshop(cited) or _is_workshop(recorded)) else "unknown"
    return _compare_words(one, other, unrelated=unrelated)


def _is_short_known(text: str, keys: frozenset[str]) -> bool:
    return bool(keys) and len(fold_words(text)) <= 2


def _is_workshop(text: str) -> bool:
    return "@" in text or "workshop" in text.casefold()


def _compare_words(one: tuple[str, ...], other: tuple[str, ...], *, unrelated: FieldMatch) -> FieldMatch:
    left, right = _significant(one), _significant(other)
    if not left or not right:
        return "unknown"
    short, long = sorted((left, right), key=len)
    matched = sum(any(_abbreviates(word, each) for each in long) for word in short)
    if matched / len(short) >= 0.75:
        return "same"
    return "unknown" if matched / len(short) >= 0.4 else unrelated


def _significant(words: tuple[str, ...]) -> list[str]:
    significant = [word for word in words if not NOISE.match(word)]
    return significant or [word for word in words if word not in ("the", "of", "on", "in", "and", "for")]


def _abbreviates(one: str, other: str) -> bool:
    """Whether one word abbreviates the other as ISO 4 does: by its beginning, or by its consonants (`natl`, `engl`)."""
    short, long = sorted((one, other), key=len)
    if long.startswith(short):
        return True
    if len(short) < 3 or short[0] != long[0] or short[:2] != long[:2]:
        return False
    letters = iter(long)
    return all(letter in letters for letter in short)


def _looks_like_acronym(text: str) -> bool:
    words = re.sub(r"\b(?:19|20)\d\d\b|'\d\d\b", " ", text).split()
    return len(words) == 1 and words[0].isascii() and (sum(map(str.isupper, words[0])) >= 2 or len(words[0]) <= 4)


def _is_acronym_of(acronym: str, name: str) -> bool:
    """Whether the acronym consists of the initials of the name's words, in order, or stands in its parentheses."""
    bare = re.sub(r"\b(?:19|20)\d\d\b|'\d\d\b", " ", acronym).strip()
    letters = "".join(fold_words(bare))
    if not 2 <= len(letters) <= 10 or len(bare.split()) > 1:
        return False
    if any(letters == "".join(fold_words(each)) for each in PAREN.findall(name)) or letters in fold_words(name):
        return True
    words = [word for word in fold_words(name) if word not in ("the", "of", "on", "in", "and", "for", "proceedings")]
    initials = "".join(word[0] for word in words)
    return len(letters) >= 3 and (
        letters in initials or (letters[0] == "i" and letters[1:] in initials and len(letters) > 3)
    )


def is_preprint_server(name: str) -> bool:
    """Return whether the name is that of a preprint server."""
    return bool(find_venue_keys(name) & PREPRINTS)


def compare_publishers(cited: str, recorded: str) -> FieldMatch:
    """Compare two publishers; imprints count as their house. Unrelated names of two small houses are `unknown`."""
    left, right = _find_houses(cited), _find_houses(recorded)
    if left and right:
        return "same" if left & right else "different"
    one, other = (frozenset(fold_words(each)) - LEGAL for each in (cited, recorded))
    if not one or not other or any(_abbreviates(a, b) for a in one for b in other):
        return "same" if one and other else "unknown"
    if _is_acronym_of(cited, recorded) or _is_acronym_of(recorded, cited):
        return "same"
    return "different" if left else "unknown"


def _find_houses(name: str) -> frozenset[str]:
    line = f" {' '.join(fold_words(name))} "
    return frozenset(house for house, forms in PUBLISHERS.items() if any(f" {form} " in line for form in forms))


def compare_places(cited: str, recorded: str) -> FieldMatch:
    """Compare the places of an event. The seat of a publishing house is `unknown`: it is no place of an event."""
    one, other = _place_words(cited), _place_words(recorded)
    if not one or not other:
        return "unknown"
    if one & other:
        return "same"
    return "different"


def _place_words(place: str) -> frozenset[str]:
    line = " ".join(fold_words(place))
    for pattern, country in COUNTRIES:
        line = pattern.sub(country, line)
    words = ("online" if word in ("virtual", "virtually", "remote", "hybrid") else word for word in line.split())
    return frozenset(word for word in words if word not in ("and", "the", "of", "event", "only", "new", "south", "san"))


def is_publisher_seat(place: str, publisher: str) -> bool:
    """Return whether the publishing house, or any if none is named, prints the place as its own: New York for ACM."""
    line, houses = " ".join(fold_words(place)), _find_houses(publisher) if publisher else SEATS
    return any(house in SEATS and re.search(SEATS[house], line) for house in houses)
