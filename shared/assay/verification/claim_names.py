"""Counts the names and numbers of a claim, which a paraphrase keeps although it exchanges the other words."""

import re

from assay.verification.language_detection import is_likely

WORD = re.compile(r"[^\W_][\w'’-]*")
SENTENCE_START = re.compile(r"(?:^|[.!?:]\s+)[\"“„«'‘(]*$")
CAPITAL_NOUNS = ("de", "lb", "als", "nds", "bar")  # languages that write every noun with a capital
MIN_PLAIN_LETTERS = 4  # of a word in small letters, without which a claim may be a headline in title case


def count_names(claim: str, text: str) -> int:
    """Return the number of words that are names, acronyms or numbers; `text` helps to tell the claim's language."""
    words = list(WORD.finditer(claim))
    if not any(found[0].islower() and len(found[0]) >= MIN_PLAIN_LETTERS for found in words):
        return 0
    names = [found for found in words if _is_name(claim, found)]
    if any(found[0][1:].islower() for found in names) and is_likely(text, CAPITAL_NOUNS):
        names = [found for found in names if not found[0][1:].islower()]
    return len(names)


def _is_name(claim: str, found: re.Match[str]) -> bool:
    word = found[0]
    if any(letter.isdigit() for letter in word) or sum(letter.isupper() for letter in word) > 1:
        return True
    return word[0].isupper() and len(word) > 1 and not SENTENCE_START.search(claim, 0, found.start())
