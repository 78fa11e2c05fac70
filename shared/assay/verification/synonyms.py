"""Words by what they mean: everyday words of four languages that say much the same are one."""

import re
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from assay.evaluation.claim_sentences import ELISION, WIDE, pairs, stem
from assay.text.short_text_cache import cache_short
from assay.text.stopwords import CLAIM_WORDS
from assay.verification.claim_numbers import is_number
from assay.verification.title_matching import plain

SHEET = Path(__file__).parent / "concepts.txt"
MORE, LESS = 0, 1  # the first two lines of the sheet: what goes up and what goes down
# They stand in claims and sources of any subject: light verbs, words of time, place and degree.
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
SHORTEST, BEGINNING = 3, 4  # letters of a stem that counts, and of a beginning in the sheet: shorter ones fit too much
ALIKE = 0.75  # of the shorter of two stems that begin alike


LIGHT = frozenset(map(plain, LIGHT_WORDS.split()))


class Meant(NamedTuple):
    """A word of a text: its stem, and the groups of words that mean the same."""

    stem: str
    groups: frozenset[int]


@cache
def _sheet() -> tuple[Mapping[str, frozenset[int]], Mapping[str, frozenset[int]]]:
    """Whole words and beginnings, each with its groups."""
    whole: dict[str, set[int]] = defaultdict(set)
    begun: dict[str, set[int]] = defaultdict(set)
    lines = [line for line in SHEET.read_text().splitlines() if line and not line.startswith("#")]
    for number, line in enumerate(lines):
        for word in line.split():
            (begun if word.endswith("*") else whole)[plain(word.removesuffix("*"))].add(number)
    return {k: frozenset(v) for k, v in whole.items()}, {k: frozenset(v) for k, v in begun.items()}


@cache_short(20_000)
def groups(word: str) -> frozenset[int]:
    """The groups of a word in plain letters."""
    whole, begun = _sheet()
    found = whole.get(word, frozenset())
    for end in range(BEGINNING, len(word) + 1):
        found |= begun.get(word[:end], frozenset())
    return found


def extract_concepts(text: str) -> list[Meant]:
    """The words of a text that carry meaning, in their order; numbers are read elsewhere."""
    found: list[Meant] = []
    for raw in WORD.findall(text):
        lower = raw.lower()
        if WIDE.search(raw):
            found += [Meant(pair, frozenset()) for pair in sorted(pairs(lower))]
            continue
        word = plain(ELISION.sub("", lower))
        is_light = lower in CLAIM_WORDS or word in CLAIM_WORDS or word in LIGHT or is_number(word)
        if len(word) > 2 and not is_light:
            found.append(Meant(plain(stem(word.removesuffix("'s"))), groups(word)))
    return found


def alike(one: str, other: str) -> bool:
    """The same word in another form: a long beginning in common, or one within the other, as in compounds."""
    if one == other:
        return True
    short, long = sorted((one, other), key=len)
    if len(short) < SHORTEST + 1:
        return False
    common = next((at for at, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    return common >= max(SHORTEST + 1, round(ALIKE * len(short))) or (len(short) > SHORTEST + 1 and short in long)
