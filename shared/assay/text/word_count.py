"""How many words a text has, in scripts with and without spaces between them."""

import re

# Chinese, Japanese, Thai, Lao, Khmer, Burmese: nothing parts their words, so every letter is counted.
UNPARTED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)
TARGET = re.compile(r"\]\([^()\s]{0,2000}(?:\([^()\s]{0,200}\)[^()\s]{0,2000})?(?: \"[^\"]{0,200}\")?\)")
WORD = re.compile(r"[^\W_]")


def count(markdown: str) -> int:
    """Words of a markdown text; the targets of its links and its marks are none."""
    text, letters = TARGET.sub("] ", markdown), 0
    if not text.isascii():
        text, letters = UNPARTED.subn(" ", text)
    pieces = text.split()
    # Most pieces begin with a letter; only the others are looked into.
    return letters + len(pieces) - sum(1 for piece in pieces if not (piece[0].isalnum() or WORD.search(piece)))
