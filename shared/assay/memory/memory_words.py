"""Splits text of any language into stems, so that a memory is found by another form of its words.

The language of a short query cannot be told. So a word stands for its stems in all languages of its script, and two
words are the same if they share one.
"""

import re
import unicodedata
from collections import Counter
from functools import cache
from itertools import islice
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
MAX_WORDS, MAX_LETTERS = 2_000, 40  # of a text; of a word


def split_words(text: str) -> list[frozenset[str]]:
    """Return the words that carry meaning, in order, each as the set of its stems."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    words: list[frozenset[str]] = []
    for match in islice(WORD.finditer(folded), MAX_WORDS):
        word = match.group()
        if IS_UNSPACED.match(word):
            words += [frozenset({pair}) for pair in sorted(split_bigrams(word))]
        elif word not in CLAIM_WORDS:
            words.append(_stem(word[:MAX_LETTERS]))
    return words[:MAX_WORDS]


def count_stems(text: str) -> tuple[Counter[str], int]:
    """Return how often each stem occurs in the text, and the number of words."""
    words = split_words(text)
    return Counter(stem for word in words for stem in word), len(words)


def _stem(word: str) -> frozenset[str]:
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
