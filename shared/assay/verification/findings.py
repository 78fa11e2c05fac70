"""Output model of a citation check: evidence with its origin, no verdict."""

from typing import Annotated, Literal

from pydantic import Field

from assay.models.common import DetectedDoi, Output, RecordedRetraction
from assay.models.papers import Paper
from assay.verification.claim_fields import ClaimFields
from assay.verification.field_comparison import FieldReport
from assay.verification.field_outcomes import FieldOutcome, to_outcomes
from assay.verification.link_status import Failure, Outcome
from assay.verification.preprint_versions import WorkVersion
from assay.verification.registry_records import Integrity, RetractionCheck, RetractionReason
from assay.verification.title_matching import Confidence, TitleMatch


class DomainMismatch(Output):
    """The page declares a DOI that is registered for a URL on another domain."""

    page_domain: Annotated[str, Field(description="Domain of the page.")]
    registered_domain: Annotated[str, Field(description="Domain that the DOI is registered for.")]
    note: Annotated[str, Field(description="Remark on the answer.")] = (
        "Hijacked journals and legitimate repositories both show this; check who runs the page's domain."
    )


class CitationFields(Output):
    """What is known of a citation, without its claim."""

    input: Annotated[str, Field(description="Citation as it was sent.")]
    input_type: Annotated[Literal["doi", "url", "reference"], Field(description="What the citation was read as.")]
    exists: Annotated[
        bool | None,
        Field(description="false: not registered, or in no index searched. Absent if none could say."),
    ] = None
    verification_status: Annotated[
        Literal["confirmed", "uncertain", "not_found"], Field(description="Whether the cited work was identified.")
    ] = "uncertain"
    verification_reason: Annotated[str | None, Field(description="Why it is uncertain or was not found.")] = None
    authenticity_caveat: Annotated[str | None, Field(description="What this check cannot show.")] = None
    matched_record: Annotated[Paper | None, Field(description="Record of the cited work.")] = None
    match_confidence: Annotated[Confidence | None, Field(description="How surely the record is the cited work.")] = None
    possible_match: Annotated[Paper | None, Field(description="Similar work that may not be the cited one.")] = None
    similar_retracted: Annotated[
        list[Paper] | None, Field(description="Retracted works with a similar title, which the citation may mean.")
    ] = None
    detected_doi: DetectedDoi = None
    fields: Annotated[
        list[FieldOutcome] | None, Field(description="Fields that the records do not confirm as cited.")
    ] = None
    codes: Annotated[
        list[str] | None,
        Field(description="CiteTracer codes: R fields agree, P unclear, H1 title to H6 volume, pages, publisher."),
    ] = None
    title_match: Annotated[TitleMatch, Field(description="Whether the cited title is that of the record.")] = (
        "not_checked"
    )
    retraction_check: Annotated[
        RetractionCheck, Field(description="Result of the retraction check; unchecked is not clear.")
    ] = "unchecked"
    retraction_check_reason: Annotated[
        RetractionReason | None, Field(description="Why retraction could not be checked.")
    ] = None
    retraction_status: RecordedRetraction = None
    versions: Annotated[
        list[WorkVersion] | None, Field(description="Other versions of the work, such as its publication.")
    ] = None
    http_status: Annotated[
        int | None, Field(description="HTTP status of the link; absent if there was no response.")
    ] = None
    link_outcome: Annotated[
        Outcome | None, Field(description="live, dead, soft_404, blocked, redirected_to_root or unreachable.")
    ] = None
    link_failure: Annotated[Failure | None, Field(description="Why the link could not be read.")] = None
    final_url: Annotated[str | None, Field(description="URL after redirects.")] = None
    archived_url: Annotated[str | None, Field(description="Archived copy of a dead link.")] = None
    domain_mismatch: Annotated[
        DomainMismatch | None, Field(description="The page declares a DOI registered for another domain.")
    ] = None
    searched: Annotated[list[str], Field(default_factory=list, description="Indexes that answered.")]
    provenance: Annotated[list[str], Field(default_factory=list, description="Where the evidence comes from.")]

    def record_caveat(self, sentence: str) -> None:
        """Add a sentence to the caveats and to the provenance."""
        self.authenticity_caveat = f"{self.authenticity_caveat} {sentence}" if self.authenticity_caveat else sentence
        self.provenance.append(sentence)

    def record_integrity(self, integrity: Integrity) -> None:
        self.retraction_check, self.retraction_check_reason = integrity.check, integrity.reason
        self.retraction_status = integrity.status

    def record_fields(self, report: FieldReport) -> None:
        """Record how the fields of the citation compare with the records of the work."""
        self.fields, self.codes = to_outcomes(report.findings), list(report.codes) or None
        if report.mismatches:
            names = ", ".join(each.field for each in report.mismatches)
            self.authenticity_caveat = f"The records differ from the citation in: {names}. Compare the values."


class Findings(ClaimFields, CitationFields):
    """Evidence on one citation. Facts that are not known are left out or `unchecked`."""
