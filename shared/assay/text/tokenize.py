"""Terms of a text for comparison: words, or character bigrams in scripts without word separators."""

import re
import unicodedata

from assay.text.stopwords import TERM_WORDS

ASCII_WORDS = re.compile(r"[a-z0-9]+")
# Letters and digits with combining marks, which `\w` omits in Indic and Semitic scripts.
WORDS = re.compile(
    r"(?:[^\W_]|[\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0900-\u0963"
    r"\u0981-\u0dff\u0e31-\u0e4e\u0eb1-\u0ecd\u0f18-\u0fbc\u102b-\u109d\u1713-\u17d3\u1a55-\u1ac0\u1b00-\u1b44\u302a-\u302f"
    r"\u3099\u309a\ua8e0-\ua8f1\u20d0-\u20f0])+"
)
UNSEPARATED = re.compile(  # Thai, Lao, Tibetan, Burmese, Khmer, Japanese, Chinese
    r"[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    r"\U00020000-\U0003ffff]+"
)


def extract_terms(text: str) -> list[str]:
    """Return the lower-case terms in order, without common English words; [] for a text without letters and digits."""
    if text.isascii():
        return [word for word in ASCII_WORDS.findall(text.lower()) if word not in TERM_WORDS]
    folded = unicodedata.normalize("NFKC", text).casefold()
    found: list[str] = []
    for word in WORDS.findall(folded):
        if word.isascii() or not UNSEPARATED.search(word):
            found.append(word)
        else:
            _split_unseparated(word, found)
    return [term for term in found if term not in TERM_WORDS]


def _split_unseparated(word: str, found: list[str]) -> None:
    """Add the bigrams of each run of a script without separators, and what is between the runs as words."""
    done = 0
    for run in UNSEPARATED.finditer(word):
        if between := word[done : run.start()]:
            found.append(between)
        signs = run.group()
        found += [signs[at : at + 2] for at in range(max(1, len(signs) - 1))]
        done = run.end()
    if rest := word[done:]:
        found.append(rest)
