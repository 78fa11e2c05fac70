"""Compares a claim with passages by natural-language inference: a model on this machine, or an endpoint."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.models.entailment import Entailment
from assay.providers.nli import Nli
from assay.scholarship.provider_call import call_provider
from assay.settings import Settings
from assay.state.outgoing_requests import note_request
from assay.verification.tier_answer import TierAnswer

if TYPE_CHECKING:
    from assay.context import Context


class NliTier:
    """The model on this machine if there is one, else the endpoint."""

    def __init__(self, ctx: "Context") -> None:
        self._ctx = ctx

    async def compare(self, claim: str, passages: Sequence[str], *, seconds: float) -> TierAnswer:
        services = self._ctx.services
        if services.inference is not None:
            scores = await services.inference.classify(passages, claim, seconds=seconds)
        else:
            note_request(Nli.name, f"claim: {claim}")  # its body begins with a passage, and records are cut
            scores = await call_provider(
                self._ctx.search, Nli, lambda source: source.classify(passages, claim, seconds=seconds)
            )
        return aggregate_scores(passages, scores, services.settings)


def aggregate_scores(passages: Sequence[str], scores: Sequence[Entailment], settings: Settings) -> TierAnswer:
    """Combine the scores of the passages: one that entails the claim outweighs all that seem to contradict it."""
    pairs = list(zip(scores, passages, strict=True))
    for_it = max(pairs, key=lambda pair: pair[0].entailment)
    against = max(pairs, key=lambda pair: pair[0].contradiction)
    trials = settings.nli_trials
    if for_it[0].entailment >= settings.nli_entailment:
        return TierAnswer("nli", "entailment", for_it[0].entailment, for_it[1], trials)
    if against[0].contradiction >= settings.nli_contradiction and for_it[0].entailment < 1 - settings.nli_contradiction:
        return TierAnswer("nli", "contradiction", against[0].contradiction, against[1], trials)
    sure = max(0.0, 1 - max(for_it[0].entailment, against[0].contradiction))
    return TierAnswer("nli", "neutral", sure, None, trials)
