"""Word count of markdown in scripts with and without spaces between words."""

import re

# Chinese, Japanese, Thai, Lao, Khmer, Burmese: each letter counts, as words are not separated.
UNSEPARATED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)
TARGET = re.compile(r"\]\([^()\s]{0,2000}(?:\([^()\s]{0,200}\)[^()\s]{0,2000})?(?: \"[^\"]{0,200}\")?\)")
ORDINARY = re.compile("[\t\n -~]+")
# Of ASCII: the table that makes each white space a space and all else a letter, and what is neither that nor part of a
# word. Counting the beginnings of words takes a third of the time of splitting the text.
OUTLINE = bytes(ord(" " if code < 128 and chr(code).isspace() else "a") for code in range(256))
SIGNS = bytes(code for code in range(128) if not chr(code).isalnum() and not chr(code).isspace())
FEW = 16  # signs beyond ASCII that are quicker to replace one by one than in one pass over all characters


def count_words(markdown: str) -> int:
    """Return the number of words of a markdown text, without link targets and markup."""
    text, letters = TARGET.sub("] ", markdown), 0
    if not text.isascii():
        text, letters = _replace_rare(text)
    return letters + (b" " + text.encode(errors="replace").translate(OUTLINE, SIGNS)).count(b" a")


def _replace_rare(text: str) -> tuple[str, int]:
    """Return the text without signs beyond ASCII and with spaces for white space, and the number of letters that are
    words of their own, for which it has spaces too.
    """
    rare = "".join(set(ORDINARY.sub("", text)))  # quicker than searching the whole text
    letters = 0
    if UNSEPARATED.search(rare):
        text, letters = UNSEPARATED.subn(" ", text)
    replaced = {sign: " " if sign.isspace() else "" for sign in rare if not sign.isalnum()}
    if len(replaced) > FEW:
        return text.translate({ord(sign): replacement for sign, replacement in replaced.items()}), letters
    for sign, replacement in replaced.items():
        text = text.replace(sign, replacement)
    return text, letters
