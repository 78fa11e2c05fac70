"""Measures how far a source covers a claim, with the relevant sentences; it does not judge the claim."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Literal, NamedTuple

from assay.evaluation.claim_evidence import LONGEST, remove_references, select_sentences
from assay.evaluation.claim_sentences import split_sentences
from assay.verification import stance
from assay.verification.claim_names import count_names
from assay.verification.claim_numbers import ClaimNumber, numbers_agree, parse_numbers
from assay.verification.claim_topics import are_distant
from assay.verification.synonyms import Concept, extract_concepts, is_same_word

WINDOW = 3  # sentences in which the claim must be covered
MAX_SENTENCES = 4_000  # sentences examined
SYNONYM_SCORE = 0.9  # score of a synonym
NUMBER_WEIGHT = 1.5  # weight of a number relative to a word
COMMON_WORD_WEIGHT = 0.35  # weight of a word that occurs all over the text relative to a rare one
ADDRESSED = 0.6  # share of the claim in one window
FREQUENCY_DECAY = 2.0  # how fast a word loses weight with the number of sentences that contain it
MIN_NOVEL, NOVEL_SHARE = 3, 0.85  # claim words absent from the whole text, from which on it does not address the claim
# Supported claims of the development data in tests/verification/gold, and how many are called not addressed.
SUPPORTED_CLAIMS, FALSELY_ABSENT = 755, 0
MIN_WORDS_OF_NAMES, MIN_NAMES = 4, 2  # words and numbers of a claim, and names among them, of which the text has none
MAX_SHOWN = 5  # sentences
MIN_SHOWN_SHARE = 0.25  # share of the claim in a quoted sentence
MIN_CONTRAST_SHARE = 0.3  # share of the claim in a sentence that may contradict it

type Support = Literal["addressed", "partially_addressed", "not_addressed", "source_unavailable"]
type Coverage = Literal["addressed", "partially_addressed", "not_addressed"]


class CoverageResult(NamedTuple):
    """`share` is the part of the claim's weight in the best window; `sentences` are in document order.

    `contrast`: one of the sentences may contradict the claim.
    """

    coverage: Coverage
    share: float
    sentences: Sequence[str]
    contrast: bool


@dataclass(frozen=True)
class Sentence:
    text: str

    @cached_property
    def words(self) -> list[Concept]:
        return extract_concepts(self.text)

    @cached_property
    def stems(self) -> frozenset[str]:
        return frozenset(each.stem for each in self.words)

    @cached_property
    def groups(self) -> frozenset[int]:
        return frozenset(group for each in self.words for group in each.groups)

    @cached_property
    def numbers(self) -> list[ClaimNumber]:
        return parse_numbers(self.text)

    @cached_property
    def clauses(self) -> list["Sentence"]:
        return [Sentence(part) for part in stance.split_clauses(self.text)]

    def word(self, wanted: Concept) -> float:
        """Score how far the sentence contains the word: 1 itself, less for a synonym, 0 if absent."""
        if wanted.stem in self.stems or any(is_same_word(wanted.stem, stem) for stem in self.stems):
            return 1.0
        return SYNONYM_SCORE if wanted.groups & self.groups else 0.0

    def number(self, wanted: ClaimNumber) -> float:
        return 1.0 if any(numbers_agree(wanted, each) for each in self.numbers) else 0.0


def measure_coverage(claim: str, text: str) -> CoverageResult:
    """Measure how far `text` covers `claim`, and return the most relevant sentences.

    A paraphrase may share no word with its source. So a claim is not addressed only if hardly any of its words is in
    the text, and both are about different fields of knowledge or no name or number of the claim is in the text; where
    words cannot tell, it is partially addressed.
    """
    spoken = [*islice(split_sentences(remove_references(text[:LONGEST])), MAX_SENTENCES + 1)]
    whole = len(spoken) <= MAX_SENTENCES and len(text) <= LONGEST
    body = [Sentence(each) for each in spoken[:MAX_SENTENCES]]
    wanted = Sentence(claim)
    hits = [_hits(wanted, each) for each in body]
    weights = _weights(wanted, hits)
    total = sum(weights)
    if not body or not total:
        return CoverageResult("partially_addressed", 0.0, (), False)
    shares = [sum(weight * hit for weight, hit in zip(weights, row, strict=True)) / total for row in hits]
    share = _best_window(hits, weights) / total
    ranked = sorted(range(len(body)), key=lambda at: -shares[at])
    best = sorted(ranked[:MAX_SHOWN])
    bearing = [at for at in best if shares[at] >= MIN_SHOWN_SHARE]
    known = [number for each in body for number in each.numbers]
    near = [at for at in bearing if shares[at] >= MIN_CONTRAST_SHARE or shares[at] == max(shares)]
    contrast = any(stance.may_contradict(wanted, body[at], known) for at in near)
    novel = sum(not any(column) for column in zip(*hits, strict=True))
    coverage: Coverage = "addressed" if share >= ADDRESSED else "partially_addressed"
    # the unread rest of a long text may address it
    if whole and _is_absent(claim, spoken, novel, len(weights)):
        coverage = "not_addressed"
    shown = select_sentences(spoken, (at for at in ranked if shares[at] >= MIN_SHOWN_SHARE), MAX_SHOWN)
    if not shown and share:
        shown = select_sentences(spoken, ranked, 1) or best[:1]
    return CoverageResult(coverage, round(share, 2), [spoken[at] for at in shown], contrast)


def _is_absent(claim: str, spoken: Sequence[str], novel: int, count: int) -> bool:
    """Whether the text certainly does not address a claim of which `novel` of `count` words are not in it.

    Its subject must be distant, or its names and numbers, which a paraphrase keeps, must be missing with all its words.
    """
    if novel < MIN_NOVEL or novel < NOVEL_SHARE * count:
        return False
    if are_distant(claim, spoken):
        return True
    return novel == count >= MIN_WORDS_OF_NAMES and count_names(claim, " ".join(spoken[:50])) >= MIN_NAMES


def _hits(claim: Sentence, sentence: Sentence) -> list[float]:
    return [sentence.word(word) for word in claim.words] + [sentence.number(number) for number in claim.numbers]


def _weights(claim: Sentence, hits: Sequence[Sequence[float]]) -> list[float]:
    """Reduce the weight of words that occur in many sentences: they are the text's subject."""
    count = len(hits)
    base = [1.0] * len(claim.words) + [NUMBER_WEIGHT] * len(claim.numbers)
    spread = [sum(row[at] > 0 for row in hits) for at in range(len(base))]
    rare = [
        COMMON_WORD_WEIGHT + (1 - COMMON_WORD_WEIGHT) * math.exp(-FREQUENCY_DECAY * (met / count) if count > 3 else 0.0)
        for met in spread
    ]
    return [weight * factor for weight, factor in zip(base, rare, strict=True)]


def _best_window(hits: Sequence[Sequence[float]], weights: Sequence[float]) -> float:
    best = 0.0
    for at in range(len(hits)):
        window = hits[at : at + WINDOW]
        together = [max(column) for column in zip(*window, strict=True)]
        best = max(best, sum(weight * hit for weight, hit in zip(weights, together, strict=True)))
    return best
