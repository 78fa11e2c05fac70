"""Detects the language of a short text by its function words, so that texts are compared only within one language."""

import re
import unicodedata

from assay.text.stopwords import FUNCTION_WORDS

LEAD_FEW, MANY, LEAD_MANY = (
    1.5,
    4,
    1.3,
)  # lead over the second language: factor with few words, from how many words on, factor then
MIN_SHARE = 0.08  # share of all words
WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
OTHER = re.compile(r"[\u0370-\u03ff\u0400-\u04ff\u0590-\u06ff\u0900-\u0dff\u0e00-\u0e7f]")
LATIN = re.compile(r"[a-zA-Z\u00c0-\u024f]")
WORDS = re.compile(r"[^\W\d_]+")
MAX_WORDS, SHORT_TEXT = 4_000, 25  # words examined; titles of up to this many words need only one function word


def detect_language(text: str) -> str | None:
    """Return `en`, `de`, `fr`, `es`, `it`, `pt` or `nl`, the script if it is not Latin, or None if undecided."""
    if script := _script(text):
        return script
    words = [word.lower() for word in WORDS.findall(text)[:MAX_WORDS]]
    counts = sorted(
        ((sum(word in small for word in words), name) for name, small in FUNCTION_WORDS.items()), reverse=True
    )
    (best, name), (second, _) = counts[0], counts[1]
    if len(words) <= SHORT_TEXT and best and not second:
        return name
    clear = best >= second * (LEAD_FEW if best < MANY else LEAD_MANY)
    return name if best >= 2 and clear and best >= len(words) * MIN_SHARE else None


def languages_differ(one: str, other: str) -> bool:
    """Return whether both languages or scripts are known and differ."""
    first, second = detect_language(one), detect_language(other)
    return first is not None and second is not None and first != second


def _script(text: str) -> str | None:
    wide, other, latin = (len(found.findall(text[:20_000])) for found in (WIDE, OTHER, LATIN))
    if wide * 3 > latin and wide:
        return "wide"
    return unicodedata.name(OTHER.findall(text)[0], "other").partition(" ")[0].lower() if other > latin else None
