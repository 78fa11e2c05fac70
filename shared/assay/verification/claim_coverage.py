"""How far a source speaks of a claim that it is cited for: coverage and sentences, never whether the claim is true."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Literal, NamedTuple

from assay.evaluation.claim_evidence import LONGEST, pick, without_references
from assay.evaluation.claim_sentences import sentences
from assay.verification import stance
from assay.verification.claim_numbers import ClaimNumber, agree, figures
from assay.verification.synonyms import Meant, alike, extract_concepts

WINDOW = 3  # sentences in which a claim must be spoken of
MOST = 4_000  # sentences looked at
SAME_SENSE = 0.9  # of a word, where another of the same meaning stands
FIGURE = 1.5  # weight of a number, to that of a word
TOPIC = 0.35  # weight of a word that stands all over the text, to that of a rare one
ADDRESSED = 0.6  # of the claim in one window
ABSENT = 0.16  # of the claim in the sentence that has most of it: below, the text does not speak of it
SPREAD = 2.0  # how fast a word loses weight with the sentences that it stands in
NOVEL, NOVEL_SHARE, NOVEL_BELOW = 5, 0.45, 0.5  # words of the claim that the whole text has nowhere, in no form
SHOWN = 5  # sentences
BEARING = 0.25  # of the claim in a sentence that is shown
CLOSE = 0.3  # of the claim in a sentence that may deny it

type Support = Literal["addressed", "partially_addressed", "not_addressed", "source_unavailable"]
type Coverage = Literal["addressed", "partially_addressed", "not_addressed"]


class Measured(NamedTuple):
    """`share` of the claim's weight is met in the best window; `sentences` stand in document order.

    With `contrast` one of them may say the opposite: read it.
    """

    coverage: Coverage
    share: float
    sentences: Sequence[str]
    contrast: bool


@dataclass(frozen=True)
class Sentence:
    text: str

    @cached_property
    def words(self) -> list[Meant]:
        return extract_concepts(self.text)

    @cached_property
    def stems(self) -> frozenset[str]:
        return frozenset(each.stem for each in self.words)

    @cached_property
    def groups(self) -> frozenset[int]:
        return frozenset(group for each in self.words for group in each.groups)

    @cached_property
    def numbers(self) -> list[ClaimNumber]:
        return figures(self.text)

    @cached_property
    def clauses(self) -> list["Sentence"]:
        return [Sentence(part) for part in stance.parts(self.text)]

    def word(self, wanted: Meant) -> float:
        """How far the word stands here: 1 itself, less another of its meaning, 0 not at all."""
        if wanted.stem in self.stems or any(alike(wanted.stem, stem) for stem in self.stems):
            return 1.0
        return SAME_SENSE if wanted.groups & self.groups else 0.0

    def number(self, wanted: ClaimNumber) -> float:
        return 1.0 if any(agree(wanted, each) for each in self.numbers) else 0.0


def measure(claim: str, text: str) -> Measured:
    """How far `text` covers `claim`, with the sentences that bear on it most."""
    spoken = [*islice(sentences(without_references(text[:LONGEST])), MOST + 1)]
    whole = len(spoken) <= MOST and len(text) <= LONGEST
    body = [Sentence(each) for each in spoken[:MOST]]
    wanted = Sentence(claim)
    hits = [_hits(wanted, each) for each in body]
    weights = _weights(wanted, hits)
    total = sum(weights)
    if not body or not total:
        return Measured("partially_addressed", 0.0, (), False)
    shares = [sum(weight * hit for weight, hit in zip(weights, row, strict=True)) / total for row in hits]
    share = _best_window(hits, weights) / total
    ranked = sorted(range(len(body)), key=lambda at: -shares[at])
    best = sorted(ranked[:SHOWN])
    bearing = [at for at in best if shares[at] >= BEARING]
    known = [number for each in body for number in each.numbers]
    near = [at for at in bearing if shares[at] >= CLOSE or shares[at] == max(shares)]
    contrast = any(stance.may_contradict(wanted, body[at], known) for at in near)
    coverage = _coverage(share, max(shares), sum(not any(column) for column in zip(*hits, strict=True)), len(weights))
    if coverage == "not_addressed" and not whole:
        coverage = "partially_addressed"  # the rest of a long text may speak of it
    shown = pick(spoken, (at for at in ranked if shares[at] >= BEARING), SHOWN) or pick(spoken, ranked, 1)
    return Measured(coverage, round(share, 2), [spoken[at] for at in shown or best[:1]], contrast)


def _coverage(share: float, best: float, novel: int, count: int) -> Coverage:
    """A claim is not addressed where no sentence has much of it, or where most of it stands nowhere in the text."""
    if (best < ABSENT and novel > 1) or (novel >= NOVEL and novel >= NOVEL_SHARE * count and share < NOVEL_BELOW):
        return "not_addressed"
    return "addressed" if share >= ADDRESSED else "partially_addressed"


def _hits(claim: Sentence, sentence: Sentence) -> list[float]:
    return [sentence.word(word) for word in claim.words] + [sentence.number(number) for number in claim.numbers]


def _weights(claim: Sentence, hits: Sequence[Sequence[float]]) -> list[float]:
    """A word that stands in many sentences is the text's subject, and says little about the claim."""
    count = len(hits)
    base = [1.0] * len(claim.words) + [FIGURE] * len(claim.numbers)
    spread = [sum(row[at] > 0 for row in hits) for at in range(len(base))]
    rare = [TOPIC + (1 - TOPIC) * math.exp(-SPREAD * (met / count) if count > 3 else 0.0) for met in spread]
    return [weight * factor for weight, factor in zip(base, rare, strict=True)]


def _best_window(hits: Sequence[Sequence[float]], weights: Sequence[float]) -> float:
    best = 0.0
    for at in range(len(hits)):
        window = hits[at : at + WINDOW]
        together = [max(column) for column in zip(*window, strict=True)]
        best = max(best, sum(weight * hit for weight, hit in zip(weights, together, strict=True)))
    return best
