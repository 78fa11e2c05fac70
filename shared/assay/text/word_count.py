"""Word count of markdown in scripts with and without spaces between words."""

import re

# Chinese, Japanese, Thai, Lao, Khmer, Burmese: each letter counts, as words are not separated.
UNSEPARATED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)
TARGET = re.compile(r"\]\([^()\s]{0,2000}(?:\([^()\s]{0,200}\)[^()\s]{0,2000})?(?: \"[^\"]{0,200}\")?\)")
WORD = re.compile(r"[^\W_]")


def count_words(markdown: str) -> int:
    """Return the number of words of a markdown text, without link targets and markup."""
    text, letters = TARGET.sub("] ", markdown), 0
    if not text.isascii():
        text, letters = UNSEPARATED.subn(" ", text)
    pieces = text.split()
    # Most pieces begin with a letter; only the others are searched.
    return letters + len(pieces) - sum(1 for piece in pieces if not (piece[0].isalnum() or WORD.search(piece)))
