"""Look into one citation."""

from datetime import timedelta
from typing import Annotated

from pydantic import Field, field_validator

from assay.context import Context
from assay.models.common import TRUST, Cleared, Input, Source, Trust
from assay.toolkit.tool import tool
from assay.verification.claim_fields import ClaimTier
from assay.verification.findings import Findings

MAX_CLAIM_BYTES = 2_000


class VerifyCitationInput(Input):
    citation: Annotated[str, Field(min_length=1, max_length=4_000, description="DOI, URL, or reference as printed.")]
    claim: Annotated[
        Cleared[Annotated[str, Field(max_length=MAX_CLAIM_BYTES)]],
        Field(description="What the source is cited for; the source is then read. Unset skips this check."),
    ] = None
    claim_tier: ClaimTier = None

    @field_validator("claim")
    @classmethod
    def _is_short(cls, claim: str | None) -> str | None:
        if claim and len(claim.encode()) > MAX_CLAIM_BYTES:
            raise ValueError(f"is longer than {MAX_CLAIM_BYTES} bytes; give one assertion")
        return claim


class VerifyCitationOutput(Findings):
    trust: Trust = TRUST

    def sources(self) -> list[Source]:
        work = self.matched_record
        if work is None:
            return []
        return [Source(url=work.url, title=work.title, relevance="verified", doi=work.doi)]


@tool(limit=timedelta(seconds=60))
async def verify_citation(ask: VerifyCitationInput, ctx: Context) -> VerifyCitationOutput:
    """Gather evidence on one citation before relying on it: does it exist, is it the intended work, is it
    retracted, does its link work and, with a claim, does the source address it. Evidence, never a verdict;
    checks that could not be made are marked unchecked."""
    from assay.verification.citations import verify_citation

    found = await verify_citation(ctx, ask.citation, ask.claim, ask.claim_tier)
    return VerifyCitationOutput(**dict(found))
