"""The fields of an answer that say how far a source covers a claim."""

from typing import Annotated

from pydantic import Field

from assay.models.common import Output
from assay.verification.claim_coverage import Support
from assay.verification.claim_sources import ClaimCheck


class ClaimFields(Output):
    """The result of a claim check; all fields are absent if no claim was given."""

    claim: Annotated[str | None, Field(description="The claim that was checked.")] = None
    claim_support: Annotated[
        Support | None, Field(description="How far the source covers the claim; not whether it agrees.")
    ] = None
    claim_evidence: Annotated[
        list[str] | None, Field(description="Sentences of the source that bear on the claim.")
    ] = None
    claim_source_url: Annotated[str | None, Field(description="URL of the text that the claim was compared with.")] = (
        None
    )
    contrast_signal: Annotated[bool | None, Field(description="true if a sentence may say the opposite.")] = None
    claim_check_skipped: Annotated[
        bool | None, Field(description="Whether the claim was not compared with the source.")
    ] = None
    claim_check_skipped_reason: Annotated[str | None, Field(description="Why the claim was not compared.")] = None
    claim_fetch_error: Annotated[str | None, Field(description="Why the source could not be read for the claim.")] = (
        None
    )
    content_words: Annotated[int | None, Field(description="Words of the source that were read.")] = None
    sparsity_note: Annotated[str | None, Field(description="Present if very little text was read.")] = None

    def record_claim(self, claim: str, checked: ClaimCheck) -> None:
        self.claim, self.claim_support = claim, checked.support
        self.claim_evidence = list(checked.evidence) or None
        self.claim_source_url = checked.source_url
        self.contrast_signal = checked.contrast or None
        self.claim_check_skipped = True if checked.skipped else None
        self.claim_check_skipped_reason = checked.skipped
        self.claim_fetch_error = checked.fetch_error
        self.content_words, self.sparsity_note = checked.words, checked.sparsity_note
