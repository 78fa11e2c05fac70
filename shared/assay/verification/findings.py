"""What was found out about a citation, as it goes out: evidence with its origin, never a verdict."""

from typing import Annotated, Literal

from pydantic import Field

from assay.models.common import Output, RetractionStatus
from assay.models.papers import Paper
from assay.verification.claim_coverage import Support
from assay.verification.claim_sources import Checked
from assay.verification.link_status import Failure, Outcome
from assay.verification.registry_records import Integrity, RetractionCheck, RetractionReason
from assay.verification.title_matching import Confidence, TitleMatch


class DomainMismatch(Output):
    """The page declares a DOI that is registered to lead to somebody else's domain."""

    page_domain: str
    registered_domain: str
    note: str = "Hijacked journals look like this, and so do repositories; look who runs the page's domain."


class Findings(Output):
    """Evidence on one citation. What could not be found out is left out or unchecked, never assumed."""

    input: str
    input_type: Literal["doi", "url", "reference"]
    exists: Annotated[bool | None, Field(description="Absent: nobody could say.")] = None
    verification_status: Literal["confirmed", "uncertain", "not_found"] = "uncertain"
    verification_reason: str | None = None
    authenticity_caveat: str | None = None
    matched_record: Paper | None = None
    match_confidence: Confidence | None = None
    possible_match: Annotated[Paper | None, Field(description="Alike, not shown to be it.")] = None
    detected_doi: str | None = None
    title_match: TitleMatch = "not_checked"
    retraction_check: RetractionCheck = "unchecked"
    retraction_check_reason: RetractionReason | None = None
    retraction_status: RetractionStatus | None = None
    http_status: int | None = None
    link_outcome: Outcome | None = None
    link_failure: Failure | None = None
    final_url: str | None = None
    archived_url: str | None = None
    domain_mismatch: DomainMismatch | None = None
    searched: Annotated[list[str], Field(default_factory=list, description="Indexes that answered.")]
    provenance: Annotated[list[str], Field(default_factory=list)]
    claim: str | None = None
    claim_support: Annotated[Support | None, Field(description="Coverage, not stance.")] = None
    claim_evidence: list[str] | None = None
    claim_source_url: str | None = None
    contrast_signal: Annotated[bool | None, Field(description="A sentence may say the opposite.")] = None
    claim_check_skipped: bool | None = None
    claim_check_skipped_reason: str | None = None
    claim_fetch_error: str | None = None
    content_words: int | None = None
    sparsity_note: str | None = None

    def record_integrity(self, integrity: Integrity) -> None:
        self.retraction_check, self.retraction_check_reason = integrity.check, integrity.reason
        self.retraction_status = integrity.status

    def record_claim(self, claim: str, checked: Checked) -> None:
        self.claim, self.claim_support = claim, checked.support
        self.claim_evidence = list(checked.evidence) or None
        self.claim_source_url = checked.source_url
        self.contrast_signal = checked.contrast or None
        self.claim_check_skipped = True if checked.skipped else None
        self.claim_check_skipped_reason = checked.skipped
        self.claim_fetch_error = checked.fetch_error
        self.content_words, self.sparsity_note = checked.words, checked.sparsity_note
