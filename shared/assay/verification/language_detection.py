"""Detects whether two texts are in different languages, so that only texts of one language are compared by words.

`lid.176.ftz` is fastText's compressed model of 176 languages, under the licence CC BY-SA 3.0
(https://fasttext.cc/docs/en/language-identification.html).
"""

from collections.abc import Collection, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from assay.text.short_text_cache import cache_short

MODEL = Path(__file__).parent / "lid.176.ftz"
CANDIDATES = 50  # languages of a text whose probabilities are compared
MIN_BYTES = 24  # in UTF-8; a shorter text, such as a title of two words, does not show its language
MAX_CHARACTERS = 20_000  # characters examined
MAX_COMMON_PROBABILITY = 0.07  # of one language for both texts


@cache
def _load_model() -> Any:
    import fasttext

    return fasttext.load_model(str(MODEL))


def languages_differ(one: str, other: str) -> bool:
    """Return whether the texts are almost certainly in different languages; False if either is too short to tell."""
    first, second = _probabilities(one), _probabilities(other)
    if not first or not second:
        return False
    return sum(share * second.get(language, 0.0) for language, share in first.items()) < MAX_COMMON_PROBABILITY


def is_likely(text: str, languages: Collection[str]) -> bool:
    """Return whether the text is rather in one of the languages, given by codes; True if it is too short to tell."""
    shares = _probabilities(text)
    return not shares or sum(share for language, share in shares.items() if language in languages) > 0.5


@cache_short(512)
def _probabilities(text: str) -> Mapping[str, float]:
    """Return the probability of each likely language; {} for a short text."""
    line = " ".join(text[:MAX_CHARACTERS].encode(errors="replace").decode().split())
    if len(line.encode()) < MIN_BYTES:
        return {}
    labels, shares = _load_model().predict(line.lower() if line.isupper() else line, k=CANDIDATES)
    return {label.removeprefix("__label__"): share for label, share in zip(labels, shares, strict=True)}
