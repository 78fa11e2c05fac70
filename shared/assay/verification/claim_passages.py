"""Chooses the passages of a source that a model compares with a claim."""

from itertools import islice

from assay.evaluation.claim_evidence import LONGEST, remove_references
from assay.evaluation.claim_sentences import split_sentences
from assay.verification.claim_coverage import MAX_SENTENCES, WINDOW, Sentence

STEP = 2  # sentences from one window to the next, so that neighbours share one
MAX_SENTENCE_CHARS = 600  # a longer one is a table or a list, and is cut up
MIN_RELATIVE_SHARE = 0.5  # of the best passage's share of the claim; models call unrelated passages contrary too often


def select_passages(claim: str, text: str, most: int) -> list[str]:
    """Return the windows of sentences that share most words with the claim, the best first, else the first windows.

    Where the best shares words with the claim, those that share less than half as many are left out.
    """
    wanted = Sentence(claim)
    words = len(wanted.words) + len(wanted.numbers)
    sentences = [
        sentence[start : start + MAX_SENTENCE_CHARS]
        for sentence in islice(split_sentences(remove_references(text[:LONGEST])), MAX_SENTENCES)
        for start in range(0, len(sentence), MAX_SENTENCE_CHARS)
    ]
    starts = range(0, max(1, len(sentences) - WINDOW + STEP), STEP)
    windows = [" ".join(sentences[start : start + WINDOW]) for start in starts if sentences]
    shares = [_measure_share(wanted, Sentence(window)) / (words or 1) for window in windows]
    least = MIN_RELATIVE_SHARE * max(shares, default=0.0)
    ranked = sorted(range(len(windows)), key=lambda at: -shares[at])
    return [windows[at] for at in ranked[:most] if shares[at] >= least]


def _measure_share(claim: Sentence, window: Sentence) -> float:
    return sum(map(window.word, claim.words)) + sum(map(window.number, claim.numbers))
