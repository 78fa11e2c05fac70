"""Natural-language inference: how a premise relates to a hypothesis, with probabilities."""

import math
from collections.abc import Mapping
from typing import Literal, NamedTuple

type Relation = Literal["entailment", "contradiction", "neutral"]

# Models of two classes know entailment and its absence, which is never a contradiction.
NAMES: Mapping[str, Relation] = {
    "entailment": "entailment",
    "entails": "entailment",
    "contradiction": "contradiction",
    "contradicts": "contradiction",
    "neutral": "neutral",
    "not_entailment": "neutral",
    "not entailment": "neutral",
}
MAX_EXCESS = 0.01  # by which rounded probabilities may sum to more than 1


class Entailment(NamedTuple):
    """The probabilities that the premise entails, contradicts, or says nothing of the hypothesis."""

    entailment: float
    contradiction: float
    neutral: float


def parse_relation(label: str) -> Relation | None:
    """Return the relation that a model's label names, in any case; None for other labels, such as LABEL_0."""
    return NAMES.get(label.strip().lower().replace("-", "_"))


def to_entailment(probabilities: Mapping[str, float]) -> Entailment:
    """Build the probabilities from those of a model's labels.

    Raises ValueError unless the labels name entailment and its absence, and the numbers are probabilities.
    """
    known: dict[Relation, float] = {}
    for label, value in probabilities.items():
        relation = parse_relation(label)
        if relation is None or relation in known:
            raise ValueError("the labels are not those of natural-language inference")
        if not math.isfinite(value) or not 0 <= value <= 1:
            raise ValueError("a probability is not between 0 and 1")
        known[relation] = value
    if "entailment" not in known or len(known) < 2 or sum(known.values()) > 1 + MAX_EXCESS:
        raise ValueError("the labels or probabilities are incomplete")
    return Entailment(known["entailment"], known.get("contradiction", 0.0), known.get("neutral", 0.0))
