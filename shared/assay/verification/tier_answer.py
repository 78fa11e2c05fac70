"""What a tier says of a claim and its source."""

from typing import Literal, NamedTuple

from assay.models.entailment import Relation

type Tier = Literal["words", "nli", "llm"]


class TierAnswer(NamedTuple):
    """What a model says: how the source relates to the claim, how sure that is, and the passage that shows it.

    `trials` are the supported claims that the tier's threshold flags on development data, and their number.
    """

    tier: Tier
    relation: Relation
    probability: float
    passage: str | None
    trials: tuple[int, int]
