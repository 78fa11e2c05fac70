"""Maps everyday words of English, German, French and Spanish to concept groups, so that synonyms compare as equal."""

import re
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import NamedTuple

from assay.evaluation.claim_sentences import ELISION, WIDE, split_bigrams, stem
from assay.text.short_text_cache import cache_short
from assay.text.stopwords import CLAIM_WORDS
from assay.verification.claim_numbers import is_number
from assay.verification.title_matching import fold

CONCEPTS_FILE = Path(__file__).parent / "concepts.txt"
INCREASE, DECREASE = 0, 1  # the first two groups of the file: words of increase and of decrease
# These words occur in claims and sources on any subject: light verbs, words of time, place and degree.
LIGHT_WORDS = """
    time times long soon while whole zeit mal temps fois tiempo vez veces
    make makes made making take takes took taken get gets got go goes went gone come comes came bring brings
    brought put puts set let lets leave left keep one two many much every each some any several last next first
    second third many among amongst within across along around towards upon per via still yet already even ever
    never always almost about roughly nearly exist exists longer cannot may might must shall need needs thing
    things way ways lot kind able such used often really quite far being beyond extra more less most least few
    fewer rather also like including geht ging gehen gegangen kommt kam kommen lässt lassen liegt lag stellt gibt
    gab geben hatte wird würde wurde worden macht machte machen nimmt nahm zurück letzte letzten letzter letztes
    nächste nächsten erste ersten zweite zweiten viel viele vielen jede jeder jedes jeden einige manche alle allem
    etwa rund knapp fast ganz sehr so dabei dort hier heute schon noch immer wieder gar sagen sagt lang vor gegen
    ohne seit bis um am im zum zur ins sowie beim dafür davon soll sollen sollte kann können muss müssen nichts
    nicht fait font faire faites fut été avoir eu met mis mettre va vont aller vient venu prend pris prendre
    charge donne quand encore environ après avant depuis toujours jamais déjà très tous tout toute toutes chaque
    autre autres même plusieurs beaucoup moins plus peu bien ainsi alors dernier dernière premier première
    deuxième second seconde hors chez sous vers sait savoir peut doit dès cela celui celle ceux dont leur hace
    hacer hecho hizo tiene tienen tener va van ir viene lleva dar da dado pone puesto pesar todavía aún ya hasta
    desde después antes siempre nunca muy todo toda todos todas cada otro otra otros otras mismo misma mucho mucha
    muchos bien así entonces último última primer primero primera segundo segunda unos unas solo sólo apenas casi
    tras ante según hay haber había puede pueden debe dos par
"""
WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
MIN_STEM, MIN_PREFIX = (
    3,
    4,
)  # letters of a stem that counts; letters of a prefix in the file: shorter ones match too much
MIN_COMMON_SHARE = 0.75  # share of the shorter stem that both begin with


LIGHT_WORD_SET = frozenset(map(fold, LIGHT_WORDS.split()))


class Concept(NamedTuple):
    """A word of a text: its stem and the numbers of its concept groups."""

    stem: str
    groups: frozenset[int]


class WordGroups:
    """The groups of words in a file: a group is a line, its number that of the line; `word*` is a prefix."""

    def __init__(self, path: Path) -> None:
        whole: dict[str, set[int]] = defaultdict(set)
        prefixes: dict[str, set[int]] = defaultdict(set)
        lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
        for number, line in enumerate(lines):
            for word in line.split():
                (prefixes if word.endswith("*") else whole)[fold(word.removesuffix("*"))].add(number)
        self._whole = {word: frozenset(numbers) for word, numbers in whole.items()}
        self._prefixes = {word: frozenset(numbers) for word, numbers in prefixes.items()}

    def find(self, word: str) -> frozenset[int]:
        """Return the numbers of the groups that contain the folded word."""
        groups = self._whole.get(word, frozenset())
        for end in range(MIN_PREFIX, len(word) + 1):
            groups |= self._prefixes.get(word[:end], frozenset())
        return groups


@cache
def _load_concepts() -> WordGroups:
    return WordGroups(CONCEPTS_FILE)


@cache_short(20_000)
def concept_groups(word: str) -> frozenset[int]:
    """Return the group numbers of a folded word."""
    return _load_concepts().find(word)


def extract_concepts(text: str) -> list[Concept]:
    """Return the meaningful words of a text in order; numbers are parsed by `claim_numbers`."""
    return [concept for word in WORD.findall(text) for concept in _find_concepts(word)]


@cache_short(20_000)
def _find_concepts(raw: str) -> list[Concept]:
    """Return the concept of a word; none of a word that says nothing, several of a run of Chinese."""
    lower = raw.lower()
    if WIDE.search(raw):
        return [Concept(pair, frozenset()) for pair in sorted(split_bigrams(lower))]
    word = fold(ELISION.sub("", lower))
    is_light = lower in CLAIM_WORDS or word in CLAIM_WORDS or word in LIGHT_WORD_SET or is_number(word)
    if len(word) <= 2 or is_light:
        return []
    return [Concept(fold(stem(word.removesuffix("'s"))), concept_groups(word))]


def is_same_word(one: str, other: str) -> bool:
    """Return whether two stems are forms of one word: a long common prefix, or one inside the other as in compounds."""
    if one == other:
        return True
    short, long = (one, other) if len(one) <= len(other) else (other, one)
    if len(short) < MIN_STEM + 1:
        return False
    common = max(MIN_STEM + 1, round(MIN_COMMON_SHARE * len(short)))
    return long.startswith(short[:common]) or (len(short) > MIN_STEM + 1 and short in long)
