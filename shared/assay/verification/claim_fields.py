"""The fields of an answer that say how far a source covers a claim."""

from typing import Annotated

from pydantic import Field

from assay.evaluation.binomial_bounds import clopper_pearson
from assay.models.common import Output
from assay.models.entailment import Relation
from assay.verification.claim_coverage import Support
from assay.verification.claim_sources import ClaimCheck
from assay.verification.tier_answer import Tier

ClaimTier = Annotated[
    Tier | None,
    Field(
        alias="claimTier",
        description="Highest way to compare claims: words, nli (inference model), llm; the best configured if unset.",
    ),
]


class ErrorRate(Output):
    """How often a tier errs: supported claims of the development data that its threshold flags.

    `lower` and `upper` bound the rate with 95 % confidence (Clopper-Pearson). Without trials they are 0 and 1: unknown.
    """

    errors: Annotated[int, Field(description="Supported claims that were flagged.")]
    trials: Annotated[int, Field(description="Supported claims that were measured; 0 is not measured.")]
    lower: Annotated[float, Field(description="Lower bound of the rate.")]
    upper: Annotated[float, Field(description="Upper bound of the rate.")]

    @classmethod
    def measure(cls, trials: tuple[int, int]) -> "ErrorRate":
        lower, upper = clopper_pearson(*trials)
        return cls(errors=trials[0], trials=trials[1], lower=round(lower, 4), upper=round(upper, 4))

    def describe(self) -> str:
        if not self.trials:
            return "its threshold was not measured on development data"
        return f"{self.errors} of {self.trials} supported claims flagged, at most {self.upper:.1%} with 95 % confidence"


class ClaimFields(Output):
    """The result of a claim check; all fields are absent if no claim was given."""

    claim: Annotated[str | None, Field(description="The claim that was checked.")] = None
    claim_support: Annotated[
        Support | None,
        Field(
            description="How far the source covers the claim, not whether it agrees; partially_addressed also where "
            "words cannot tell."
        ),
    ] = None
    claim_coverage: Annotated[
        float | None,
        Field(description="Share of the claim's words that neighbouring sentences of the source have, 0 to 1."),
    ] = None
    claim_evidence: Annotated[
        list[str] | None, Field(description="Sentences of the source that bear on the claim.")
    ] = None
    claim_source_url: Annotated[str | None, Field(description="URL of the text that the claim was compared with.")] = (
        None
    )
    contrast_signal: Annotated[
        bool | None,
        Field(description="true if a sentence may say the opposite: of the words tier a hint to read it, no finding."),
    ] = None
    claim_tier: Annotated[
        Tier | None, Field(description="What compared the claim: words, nli (inference model) or llm.")
    ] = None
    claim_relation: Annotated[
        Relation | None, Field(description="How the source relates to the claim, by a model; neutral says neither.")
    ] = None
    claim_probability: Annotated[
        float | None, Field(description="Probability of the relation, as the model states it.")
    ] = None
    claim_error_rate: Annotated[
        ErrorRate | None,
        Field(description="How often the tier flags supported claims; only with a finding against the claim."),
    ] = None
    claim_tier_failure: Annotated[
        str | None, Field(description="Why a configured model did not compare the claim; then a lower tier did.")
    ] = None
    claim_check_skipped: Annotated[
        bool | None, Field(description="Whether the claim was not compared with the source.")
    ] = None
    claim_check_skipped_reason: Annotated[str | None, Field(description="Why the claim was not compared.")] = None
    claim_fetch_error: Annotated[str | None, Field(description="Why the source could not be read for the claim.")] = (
        None
    )
    content_words: Annotated[int | None, Field(description="Words of the source that were read.")] = None
    sparsity_note: Annotated[
        str | None, Field(description="Present if only a part of the source, or very little text, was read.")
    ] = None

    def record_claim(self, claim: str, checked: ClaimCheck) -> None:
        self.claim, self.claim_support = claim, checked.support
        self.claim_coverage = checked.share
        self.claim_evidence = list(checked.evidence) or None
        self.claim_source_url = checked.source_url
        self.contrast_signal = checked.contrast or None
        self.claim_tier, self.claim_relation = checked.tier, checked.relation
        self.claim_probability = checked.probability
        self.claim_error_rate = ErrorRate.measure(checked.trials) if checked.trials else None
        self.claim_tier_failure = checked.unanswered
        self.claim_check_skipped = True if checked.skipped else None
        self.claim_check_skipped_reason = checked.skipped
        self.claim_fetch_error = checked.fetch_error
        self.content_words, self.sparsity_note = checked.words, checked.sparsity_note

    def describe_outcome(self) -> str:
        """Say in a few words how the claim compares with the source, and which tier says so; "" without a claim."""
        if self.claim_support is None:
            return ""
        relation = None if self.claim_relation == "neutral" else self.claim_relation
        probability = f", probability {self.claim_probability}" if relation else ""
        if self.claim_tier == "words" and self.claim_coverage is not None:
            return f"{self.claim_support.replace('_', ' ')}; tier words, {self.claim_coverage:.0%} of its words"
        tier = f"; tier {self.claim_tier}{probability}" if self.claim_tier else ""
        return (relation or self.claim_support).replace("_", " ") + tier
