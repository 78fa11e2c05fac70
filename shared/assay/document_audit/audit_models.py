"""The parts of the answer about a manuscript."""

from typing import Annotated, Literal

from pydantic import Field

from assay.models.common import LongField, Output
from assay.verification.audit_views import EntryFields
from assay.verification.claim_fields import ClaimFields


class CitingSentence(ClaimFields):
    """A sentence that cites a reference."""

    marker: Annotated[str, Field(description="Citation as printed in the text.")]
    style: Annotated[str, Field(description="numeric, author-year, footnote, key or link.")]
    sentence: Annotated[str, Field(description="Sentence that has the citation.")]
    paragraph: Annotated[int, Field(description="Number of the paragraph, from 1.")]
    section: Annotated[str | None, Field(description="Heading above the paragraph.")] = None
    page: Annotated[int | None, Field(description="Page of the manuscript, from 1.")] = None


class CorrectionProposal(Output):
    """The reference with the recorded values of the fields that all records contradict."""

    bibtex: Annotated[str, Field(description="Proposed entry.")]
    diff: Annotated[str, Field(description="Unified diff from the cited to the proposed entry.")]
    changes: Annotated[list[str], Field(description="Changed fields with the index that has the value.")]


class QuotationCheck(Output):
    """A quotation of the manuscript, looked up in the source that its sentence cites."""

    quotation: Annotated[str, Field(description="Quotation as printed.")]
    paragraph: Annotated[int, Field(description="Number of the paragraph, from 1.")]
    reference: Annotated[int | None, Field(description="Index of the reference whose source was searched.")] = None
    outcome: Annotated[
        Literal["exact", "near", "absent", "unavailable"],
        Field(description="absent: the whole source was read and has no such passage; unavailable: it was not read."),
    ]
    passage: Annotated[str | None, Field(description="Passage of the source.")] = None
    changed_words: Annotated[int | None, Field(description="Words that differ from the passage.")] = None
    source_url: Annotated[str | None, Field(description="URL of the text that was searched.")] = None
    reason: Annotated[str | None, Field(description="Why the source was not available.")] = None


class ReferenceAudit(EntryFields):
    """A listed reference with its evidence, the sentences that cite it, and a proposed correction."""

    label: Annotated[str | None, Field(description="Number or key in the manuscript's list.")] = None
    key: Annotated[str, Field(description="Key in the annotated BibTeX.")] = ""
    hidden: Annotated[bool | None, Field(description="true if readers of the document do not see it.")] = None
    printed: Annotated[str | None, LongField(), Field(description="Reference as printed.")] = None
    correction: Annotated[CorrectionProposal | None, Field(description="Proposed correction.")] = None
    cited_in: Annotated[
        list[CitingSentence] | None, LongField(), Field(description="Sentences that cite it, the first 10.")
    ] = None
    citation_count: Annotated[int, Field(description="Number of citing sentences.")] = 0


class CheckedLink(Output):
    """A web address in the running text."""

    url: str
    outcome: Annotated[
        str, Field(description="live, dead, soft_404, blocked, redirected_to_root, unreachable or unchecked.")
    ]
    http_status: Annotated[int | None, Field(description="HTTP status; absent if there was no response.")] = None
    archived_url: Annotated[str | None, Field(description="Archived copy of a dead link.")] = None


class UnlistedCitation(Output):
    """A citation whose reference is not in the list."""

    labels: Annotated[list[str], Field(description="What is cited and not listed.")]
    marker: Annotated[str, Field(description="Citation as printed in the text.")]
    sentence: Annotated[str, Field(description="Sentence that has the citation.")]
    paragraph: Annotated[int, Field(description="Number of the paragraph, from 1.")]


class DuplicateReferences(Output):
    references: Annotated[list[int], Field(description="Indices of the references.")]
    kind: Annotated[
        Literal["same_identifier", "same_title", "same_url", "versions"],
        Field(description="What they share; versions are a preprint and its publication."),
    ]


class SelfCitationShare(Output):
    """The references that share an author with the manuscript."""

    authors: Annotated[list[str], Field(description="Authors of the manuscript, as read from it.")]
    references: Annotated[list[int], Field(description="Indices of references by one of them.")]
    possible: Annotated[list[int], Field(description="Indices where the names allow it, such as equal family names.")]
    counted: Annotated[int, Field(description="References with known authors.")]
    share: Annotated[float | None, Field(description="references per counted; absent if no authors are known.")] = None


class RetractedNeighbour(Output):
    """A retracted work that a cited work cites."""

    title: Annotated[str, Field(description="Title of the retracted work.")]
    doi: Annotated[str | None, Field(description="DOI of the retracted work.")] = None
    url: Annotated[str, Field(description="URL of its record.")]
    source: Annotated[str, Field(description="Index that records the retraction.")] = "openalex"
    cited_by: Annotated[list[int], Field(description="Indices of the references that cite it.")]


class SentTexts(Output):
    """What was sent to one service to look something up."""

    service: Annotated[str, Field(description="Name of the service; web stands for the sites of links and sources.")]
    count: Annotated[int, Field(description="Number of distinct requests.")]
    texts: Annotated[
        list[str], Field(description="DOIs, titles, URLs that were sent, the first 40; the html report has all.")
    ]


class AuditSummary(Output):
    references: Annotated[int, Field(description="References in the list.")]
    audited: Annotated[int, Field(description="References audited so far.")]
    flags: Annotated[dict[str, int], Field(description="Number of references with each flag.")]
    corrections: Annotated[int, Field(description="References with a proposed correction.")]
    citations: Annotated[int, Field(description="Citations in the text.")]
    unlisted: Annotated[int, Field(description="Citations of works that are not listed.")]
    uncited: Annotated[list[int], Field(description="Indices of references that the text does not cite.")]
    claims: Annotated[dict[str, int], Field(description="Checked claims by outcome.")]
    claims_left: Annotated[int, Field(description="Pairs of sentence and reference that were not checked.")]
    quotations: Annotated[dict[str, int], Field(description="Looked-up quotations by outcome.")]
    quotations_left: Annotated[int, Field(description="Quotations not looked up: too short, no source, over limit.")]
    links: Annotated[dict[str, int], Field(description="Links of the text by outcome.")]
    retracted_versions: Annotated[list[int], Field(description="References that have a retracted version.")]
    retracted_neighbours: Annotated[int, Field(description="Retracted works that cited works cite.")]
    neighbours: Annotated[int, Field(description="References of cited works that were looked at for retractions.")]
    neighbours_left: Annotated[int, Field(description="References of cited works beyond the limit.")]
