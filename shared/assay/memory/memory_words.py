"""Splits text of any language into stems, so that a memory is found by another form of its words.

The language of a short query cannot be told. So a word stands for its stems in all languages of its script, and two
words are the same if they share one.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain, islice
from typing import Any

from assay.evaluation.claim_sentences import split_bigrams
from assay.text.stopwords import CLAIM_WORDS

UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff"
MARKS = "\u0300-\u036f\u0900-\u0dff\u1000-\u109f\u1780-\u17ff\u0e00-\u0eff"  # scripts whose vowels are marks
WORD = re.compile(rf"[{UNSPACED}]+|(?:(?![{UNSPACED}])(?:[^\W_]|[{MARKS}]))+")
IS_UNSPACED = re.compile(rf"[{UNSPACED}]")
LATIN = ("english", "german", "french", "spanish", "portuguese", "italian")
SCRIPTS = (  # of the first letter: the last letter of the script, and the languages whose stems count
    ("\u024f", LATIN),
    ("\u03ff", ("greek",)),
    ("\u052f", ("russian",)),
    ("\u05ff", ()),
    ("\u077f", ("arabic",)),
    ("\u097f", ("hindi",)),
)
MAX_WORDS, MAX_LETTERS = 65_535, 40  # of a text; of a word


def split_words(text: str) -> list[frozenset[str]]:
    """Return the words that carry meaning, in order, each as the set of its stems."""
    return [_stem(word) for word in _iterate_words(text)]


def count_stems(text: str) -> tuple[Counter[str], int]:
    """Return how often each stem occurs in the text, and the number of words."""
    words = Counter(_iterate_words(text))
    stems: Counter[str] = Counter()
    for word, count in words.items():  # a long text repeats most of its words, and stemming takes the time
        for stem in _stem(word):
            stems[stem] += count
    return stems, words.total()


def _iterate_words(text: str) -> Iterator[str]:
    """Yield the words that carry meaning; of scripts without spaces, pairs of letters."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return islice(chain.from_iterable(map(_split_run, WORD.findall(folded))), MAX_WORDS)


def _split_run(run: str) -> Sequence[str]:
    if IS_UNSPACED.match(run):
        return sorted(split_bigrams(run))
    return () if run in CLAIM_WORDS else (run[:MAX_LETTERS],)


def _stem(word: str) -> frozenset[str]:
    if IS_UNSPACED.match(word):
        return frozenset({word})
    languages = next((names for last, names in SCRIPTS if word[0] <= last), ())
    stems = {word} if word[0].isdigit() else {_stemmer(name).stemWord(word) for name in languages} or {word}
    return frozenset(map(_remove_accents, stems))


def _remove_accents(word: str) -> str:
    if word.isascii():
        return word
    return (
        "".join(letter for letter in unicodedata.normalize("NFKD", word) if not unicodedata.combining(letter)) or word
    )


@cache
def _stemmer(language: str) -> Any:
    import Stemmer

    return Stemmer.Stemmer(language, 0)  # without its own cache, which threads must not share
