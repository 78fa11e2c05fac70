"""The terms of a text for comparing texts: words where a script parts them, pairs of signs where it does not."""

import re
import unicodedata

from assay.text.stopwords import TERM_WORDS

ASCII_WORDS = re.compile(r"[a-z0-9]+")
# Letters and digits with the marks that belong to them, which `\w` leaves out in Indic and Semitic scripts.
WORDS = re.compile(
    r"(?:[^\W_]|[\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0900-\u0963"
    r"\u0981-\u0dff\u0e31-\u0e4e\u0eb1-\u0ecd\u0f18-\u0fbc\u102b-\u109d\u1713-\u17d3\u1a55-\u1ac0\u1b00-\u1b44\u302a-\u302f"
    r"\u3099\u309a\ua8e0-\ua8f1\u20d0-\u20f0])+"
)
UNPARTED = re.compile(  # Thai, Lao, Tibetan, Burmese, Khmer, Japanese, Chinese
    r"[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    r"\U00020000-\U0003ffff]+"
)


def terms(text: str) -> list[str]:
    """Lower-case terms in order, common English words left out. Text without letters or digits has none."""
    if text.isascii():
        return [word for word in ASCII_WORDS.findall(text.lower()) if word not in TERM_WORDS]
    folded = unicodedata.normalize("NFKC", text).casefold()
    found: list[str] = []
    for word in WORDS.findall(folded):
        if word.isascii() or not UNPARTED.search(word):
            found.append(word)
        else:
            _part(word, found)
    return [term for term in found if term not in TERM_WORDS]


def _part(word: str, found: list[str]) -> None:
    """A run of an unparted script as its overlapping pairs of signs; what lies between such runs as words."""
    done = 0
    for run in UNPARTED.finditer(word):
        if between := word[done : run.start()]:
            found.append(between)
        signs = run.group()
        found += [signs[at : at + 2] for at in range(max(1, len(signs) - 1))]
        done = run.end()
    if rest := word[done:]:
        found.append(rest)
