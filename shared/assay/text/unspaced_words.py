"""Word counts of plain text that compare between scripts with and without spaces between words."""

import re

# Letters of scripts without spaces between words, by how many of them write about one English word.
IDEOGRAPHS = "\u2e80-\u2fdf\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
KANA = "\u3041-\u30ff\uff66-\uff9d"
SOUTHEAST_ASIAN = "\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
LETTERS_PER_WORD = ((IDEOGRAPHS, 1.6), (KANA, 2.5), (SOUTHEAST_ASIAN, 5.0))
UNSPACED = re.compile(f"[{IDEOGRAPHS}{KANA}{SOUTHEAST_ASIAN}]")
RUNS = [(re.compile(f"[{letters}]+"), per_word) for letters, per_word in LETTERS_PER_WORD]
# A word, or a letter of a script without spaces.
WORD_OR_LETTER = re.compile(f"[{IDEOGRAPHS}{KANA}{SOUTHEAST_ASIAN}]|[^\\W{IDEOGRAPHS}{KANA}{SOUTHEAST_ASIAN}]+")


def count_words(text: str) -> int:
    """Return the number of words of a text with single spaces; of letters that form words without spaces, about as
    many words as English would need.
    """
    if text.isascii() or not _has_unspaced(text):
        return text.count(" ") + 1 if text else 0
    words = 0.0
    for letters, per_word in RUNS:
        runs = letters.findall(text)
        if runs:
            words += sum(map(len, runs)) / per_word
            text = letters.sub(" ", text)
    return max(1, round(words) + sum(any(map(str.isalnum, part)) for part in text.split()))


def _has_unspaced(text: str) -> bool:
    """Return whether the text is more than a quarter in such a script, which has three bytes in UTF-8 for a letter."""
    more_bytes = len(text.encode(errors="replace")) - len(text)
    return more_bytes * 2 > len(text) and UNSPACED.search(text) is not None
