"""Finds words that mix Latin letters with look-alike letters of another script, as forged names and titles do."""

import re

from assay.text.homoglyphs import CONFUSABLES, spell_in_latin

WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
LOOKALIKES = frozenset(map(chr, CONFUSABLES))
LATIN_LETTER = re.compile(r"[A-Za-zÀ-ɏ]")
MAX_WORDS = 20


def find_mixed_words(text: str) -> tuple[str, ...]:
    """Return the words that have Latin letters and letters of another script that look Latin."""
    if text.isascii():
        return ()
    words = (found[0] for found in WORD.finditer(text))
    mixed = (word for word in words if not LOOKALIKES.isdisjoint(word) and LATIN_LETTER.search(word))
    return tuple(dict.fromkeys(mixed))[:MAX_WORDS]


def spell_mixed_words(text: str) -> str:
    """Return the text with the look-alike letters of mixed words in Latin; other words stay as they are."""
    if text.isascii():
        return text
    return WORD.sub(
        lambda found: (
            spell_in_latin(found[0])
            if not LOOKALIKES.isdisjoint(found[0]) and LATIN_LETTER.search(found[0])
            else found[0]
        ),
        text,
    )


def describe_mixed_words(words: tuple[str, ...]) -> str:
    """Return a sentence that names the words and their Latin spelling."""
    named = ", ".join(f"{word!r} (in Latin letters {spell_in_latin(word)!r})" for word in words[:5])
    return f"Words mix Latin letters with look-alike letters of another script (homoglyphs): {named}."
