"""Which language a short text is in, as far as its small words tell: so that none is measured against another."""

import re
import unicodedata

from assay.text.stopwords import FUNCTION_WORDS

CLEAR, ENOUGH, CLEAR_ENOUGH = 1.5, 4, 1.3  # so many times the small words of any other language, fewer with so many
LEAST = 0.08  # of all words
WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
OTHER = re.compile(r"[\u0370-\u03ff\u0400-\u04ff\u0590-\u06ff\u0900-\u0dff\u0e00-\u0e7f]")
LATIN = re.compile(r"[a-zA-Z\u00c0-\u024f]")
WORDS = re.compile(r"[^\W\d_]+")
MOST, SHORT = 4_000, 25  # words looked at; of a title, in which one small word tells


def language(text: str) -> str | None:
    """`en`, `de`, `fr`, `es`, `it`, `pt`, `nl`, the script where it is another; None where the text does not tell."""
    if script := _script(text):
        return script
    words = [word.lower() for word in WORDS.findall(text)[:MOST]]
    counts = sorted(
        ((sum(word in small for word in words), name) for name, small in FUNCTION_WORDS.items()), reverse=True
    )
    (best, name), (second, _) = counts[0], counts[1]
    if len(words) <= SHORT and best and not second:
        return name
    clear = best >= second * (CLEAR if best < ENOUGH else CLEAR_ENOUGH)
    return name if best >= 2 and clear and best >= len(words) * LEAST else None


def differ(one: str, other: str) -> bool:
    """Whether the two are known to be in different languages, or in different scripts."""
    first, second = language(one), language(other)
    return first is not None and second is not None and first != second


def _script(text: str) -> str | None:
    wide, other, latin = (len(found.findall(text[:20_000])) for found in (WIDE, OTHER, LATIN))
    if wide * 3 > latin and wide:
        return "wide"
    return unicodedata.name(OTHER.findall(text)[0], "other").partition(" ")[0].lower() if other > latin else None
