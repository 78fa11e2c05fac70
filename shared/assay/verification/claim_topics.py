"""Tells by their words whether a claim and a text are about different fields of knowledge.

A paraphrase may share no word with its source, but it stays in its field. The fields of `topics.txt` are so broad that
only distant subjects, such as banking and fish, are told apart.
"""

from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from assay.evaluation.claim_sentences import WIDE
from assay.text.short_text_cache import cache_short
from assay.verification.synonyms import WORD, WordGroups
from assay.verification.title_matching import fold

TOPICS_FILE = Path(__file__).parent / "topics.txt"
WINDOW = 3  # sentences
MIN_CLAIM_WORDS = 2  # words of a claim that show its fields; a single one is often a figure of speech
MIN_WINDOW_WORDS = 2  # words of a field in a window from which on the text touches the field
MIN_SHARE = 0.1  # share of a field in the words of all fields from which on the text touches it


def are_distant(claim: str, sentences: Sequence[str]) -> bool:
    """Return whether claim and text are certainly about different subjects; False if that cannot be told.

    The fields of both must be known, and the text must touch none of those of the claim. There are no lists for
    languages beyond those of `topics.txt`: of Chinese, comparing characters called 7 of 80 paraphrases distant.
    """
    wanted = _count_topics(claim)
    if WIDE.search(claim) or wanted.total() < MIN_CLAIM_WORDS:
        return False
    touched = _find_touched([_count_topics(each) for each in sentences])
    return bool(touched) and not touched & wanted.keys()


def _find_touched(counts: Sequence[Counter[int]]) -> set[int]:
    total: Counter[int] = Counter()
    touched: set[int] = set()
    for at, count in enumerate(counts):
        total.update(count)
        window: Counter[int] = Counter()
        for each in counts[at : at + WINDOW]:
            window.update(each)
        touched |= {topic for topic, words in window.items() if words >= MIN_WINDOW_WORDS}
    return touched | {topic for topic, words in total.items() if words >= MIN_SHARE * total.total()}


def _count_topics(text: str) -> Counter[int]:
    return Counter(topic for word in WORD.findall(text) for topic in _find_topics(fold(word)))


@cache
def _load_topics() -> WordGroups:
    return WordGroups(TOPICS_FILE)


@cache_short(20_000)
def _find_topics(word: str) -> frozenset[int]:
    return _load_topics().find(word)
