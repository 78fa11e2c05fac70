"""Compares the title of a citation with a record's title, word by word.

Spelling, hyphens, case, markup, British and American forms and a missing subtitle are no differences. An exchanged,
added or omitted content word, a number or a negation is one: "Bidirectional" for "Unidirectional" is no misspelling.
"""

import html
import re
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Literal, NamedTuple

from anyascii import anyascii

from assay.text.word_lists import parse_words
from assay.verification.language_detection import languages_differ
from assay.verification.title_matching import strip_retraction_mark

type TitleRelation = Literal["same", "shortened", "changed", "different", "unknown"]

MARKUP = re.compile(r"<[^<>]{1,80}>|\$+")
LATEX = re.compile(r"\\(?:[a-zA-Z]+|.)\s*|[{}]")
WORD = re.compile(r"[a-z0-9]+")
WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")  # scripts without spaces between words
BORDER = re.compile(r"[:?!–—.]|\s-\s")
STOP = parse_words(
    "a an the of on in and for to with by at from as is are its their via der die das und von zur zum im"
    " le la les de des du et en un une el los las y del una il lo gli di o os das e"
)
ARTICLES = parse_words("a an the and und et y der die das le la les el los las il lo gli un une una o os as")
NEGATIONS = parse_words(
    "no not non without never nor neither cannot un kein keine keinen keiner nicht ohne nie sans pas jamais sin sem"
    " nao senza ne bez niet zonder ej inte utan ikke uden"
)
RELATED_SHARE = 0.5  # share of common content words from which on two titles are versions of one another
MIN_BEGINNING = 4  # content words from which on the beginning of a title stands for all of it
UMLAUT = re.compile(r"(?<=[aou])e(?=[^aeiou]|$)")
PREFIXES = parse_words(
    "uni bi tri multi mono in un non dis de pre post hyper hypo macro micro inter intra endo exo over"
    " under super sub semi self anti pro re homo hetero iso a im ir il"
)
SPELLINGS = (
    (re.compile(r"is(?=(?:e|ed|es|er|ers|ing|ation|ations)$)"), "iz"),
    (re.compile(r"ys(?=(?:e|ed|es|er|ing)$)"), "yz"),
    (re.compile(r"our(?=s|ed|ing|al|ally|$)"), "or"),
    (re.compile(r"(?<=\w)tre(?=s?$)"), "ter"),
    (re.compile(r"ogue(?=s?$)"), "og"),
    (re.compile(r"(?<=[a-z])(?:ae|oe)"), "e"),
    (re.compile(r"ll(?=(?:ed|ing|er|ers)$)"), "l"),
    (re.compile(r"mme(?=s?$)"), "m"),
)


class TitleComparison(NamedTuple):
    """The relation of a cited to a recorded title, and the words that differ on either side."""

    relation: TitleRelation
    cited: tuple[str, ...] = ()
    recorded: tuple[str, ...] = ()


def compare_title_words(cited: str, recorded: str) -> TitleComparison:
    """Compare two titles.

    `same`: equal but for spelling. `shortened`: one is the other's beginning, or leaves out words. `changed`: versions
    of one title with exchanged, added or omitted words. `different`: titles of different works.
    Titles in different languages are `unknown`: one may be the other's translation.
    """
    cited, recorded = _clean(cited), _clean(recorded)
    one, other = _words(cited), _words(recorded)
    if not one or not other:
        return TitleComparison("unknown")
    changes = _find_changes(one, other)
    if not any(changes):
        return TitleComparison("same")
    if (
        _is_beginning(one, other, recorded)
        or _is_beginning(other, one, cited)
        or (not WIDE.search(recorded) and _is_abridged(one, other, changes))
    ):
        return TitleComparison("shortened", *changes)
    if languages_differ(cited, recorded):
        return TitleComparison("unknown")
    left, right = _content(one), _content(other)
    common = len(left & right) + sum(any(_is_same_word(word, each) for each in right - left) for word in left - right)
    share = common / max(min(len(left), len(right)), 1)
    return TitleComparison("changed" if share >= RELATED_SHARE and common else "different", *changes)


def is_same_title(cited: str, recorded: str, *, strict: bool = False) -> bool:
    """Return whether two titles are equal but for spelling. `strict`: so are prepositions and conjunctions."""
    one, other = _words(_clean(cited)), _words(_clean(recorded))
    return bool(one and other) and not any(_find_changes(one, other, strict=strict))


def count_content_words(title: str) -> int:
    """Return the number of words that tell a title from others; two Chinese characters count as one."""
    wide = len(WIDE.findall(title))
    return len(_content(_words(WIDE.sub(" ", title)))) + wide // 2


class _Changes(NamedTuple):
    cited: tuple[str, ...]
    recorded: tuple[str, ...]


def _clean(title: str) -> str:
    text = html.unescape(html.unescape(title[:2_000]))
    text = LATEX.sub("", MARKUP.sub("", text)) if "\\" in text or "{" in text or "<" in text or "$" in text else text
    return strip_retraction_mark(text)


@lru_cache(maxsize=2048)
def _words(title: str) -> tuple[str, ...]:
    """Return the words in lower-case Latin letters; an apostrophe does not end a word, a Chinese character is one."""
    latin = (
        anyascii(WIDE.sub(r" \g<0> ", title))
        .casefold()
        .replace("'", "")
        .replace("’", "")
        .replace("&", " and ")
        .replace("+", " plus ")
    )
    return tuple(WORD.findall(latin))


@lru_cache(maxsize=4096)
def _spellings(word: str) -> frozenset[str]:
    """Return a word in American spelling, and with German vowels written as one letter."""
    american = word
    if len(word) > 4:
        for pattern, letters in SPELLINGS:
            american = pattern.sub(letters, american)
    return frozenset((american, UMLAUT.sub("", word)))


def _content(words: tuple[str, ...]) -> set[str]:
    return {word for word in words if word not in STOP}


def _find_changes(one: tuple[str, ...], other: tuple[str, ...], *, strict: bool = False) -> _Changes:
    """Return the words that only one side has, apart from articles, spellings and hyphenation."""
    if "".join(one) == "".join(other):
        return _Changes((), ())
    cited: list[str] = []
    recorded: list[str] = []
    for kind, start, end, at, until in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        left, right = one[start:end], other[at:until]
        if _is_same_passage(left, right) and not (strict and _exchanges_small_word(left, right)):
            continue
        cited += [word for word in left if strict or word not in STOP]
        recorded += [word for word in right if strict or word not in STOP]
    return _Changes(tuple(cited), tuple(recorded))


def _is_same_passage(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether two passages differ in spelling, hyphens or small words only."""
    left = [word for word in one if word not in STOP]
    right = [word for word in other if word not in STOP]
    if "".join(left) == "".join(right) or "".join(one) == "".join(other):
        return True
    return len(left) == len(right) and all(map(_is_same_word, left, right))


def _exchanges_small_word(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether a preposition or conjunction replaces another one; articles and "and" in two languages do not count."""
    left, right = (set(words) & STOP - ARTICLES for words in (one, other))
    return bool(left - right) and bool(right - left)


def _is_same_word(one: str, other: str) -> bool:
    """Whether two words are forms or misspellings of one word."""
    if one == other or _spellings(one) & _spellings(other):
        return True
    if any(map(str.isdigit, one + other)) or {one, other} & NEGATIONS:
        return False
    short, long = sorted((one, other), key=len)
    if len(short) >= 3 and long in (f"{short}s", f"{short}es", f"{short[:-1]}ies"):
        return True
    return _is_misspelling(short, long)


def _is_misspelling(short: str, long: str) -> bool:
    """Whether a letter of a long word, or two of a very long one, differ, and none of a prefix with a meaning."""
    if len(short) < 8 or len(long) - len(short) > 2 or short[:2] != long[:2] or _differ_in_prefix(short, long):
        return False
    one, other = short.replace("z", "s"), long.replace("z", "s")
    return _edit_distance(one, other) <= (1 if len(short) < 12 else 2)


def _differ_in_prefix(one: str, other: str) -> bool:
    for prefix in PREFIXES:
        for word, counterpart in ((one, other), (other, one)):
            rest = word[len(prefix) :] if word.startswith(prefix) else ""
            if len(rest) >= 3 and counterpart.endswith(rest[1:]) and not counterpart.startswith(prefix):
                return True
    return False


def _edit_distance(one: str, other: str) -> int:
    """Return the optimal string alignment distance: insertions, deletions, substitutions, swaps of neighbours."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for place, letter in enumerate(one, 1):
        current = [place]
        for at, counterpart in enumerate(other, 1):
            cost = min(row[at] + 1, current[at - 1] + 1, row[at - 1] + (letter != counterpart))
            if place > 1 and at > 1 and letter == other[at - 2] and one[place - 2] == counterpart:
                cost = min(cost, before[at - 2] + 1)
            current.append(cost)
        before, row = row, current
    return row[-1]


def _is_abridged(cited: tuple[str, ...], recorded: tuple[str, ...], changes: _Changes) -> bool:
    """Whether the cited title leaves out words of the recorded one, but no number and no negation, and adds none."""
    if changes.cited or len(cited) >= len(recorded):
        return False
    return not any(word in NEGATIONS or any(map(str.isdigit, word)) for word in changes.recorded)


def _is_beginning(short: tuple[str, ...], long: tuple[str, ...], whole: str) -> bool:
    """Whether one title is the other's part before or after a colon, dash or full stop, or most of its beginning."""
    if len(short) >= len(long):
        return False
    if len(short) * 2 >= len(long) and len(_content(short)) >= MIN_BEGINNING and long[: len(short)] == short:
        return True
    return any(_words(whole[: border.start()]) == short for border in BORDER.finditer(whole)) or any(
        len(short) > 2 and _words(whole[border.end() :]) == short for border in BORDER.finditer(whole)
    )
