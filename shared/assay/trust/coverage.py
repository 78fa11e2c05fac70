"""How far a source speaks of a claim that it is cited for: coverage and sentences, never whether the claim is true."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from assay.text.evidence import weigh

type Support = Literal["addressed", "partially_addressed", "not_addressed", "source_unavailable"]


class Measured(NamedTuple):
    """`sentences` stand in document order; with `contrast` one of them may say the opposite: read it."""

    coverage: Literal["addressed", "partially_addressed", "not_addressed"]
    sentences: Sequence[str]
    contrast: bool


def measure(claim: str, text: str) -> Measured:
    found = weigh(claim, text)
    return Measured(found.coverage, found.sentences, found.contrast)
