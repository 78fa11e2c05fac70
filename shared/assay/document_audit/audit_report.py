"""Puts the results of the units of an audit together: the report on a manuscript."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from assay.document_audit.audit_job import AuditJob, list_done_units, load_manuscript, load_results
from assay.document_audit.audit_models import (
    AuditSummary,
    CheckedLink,
    DuplicateReferences,
    QuotationCheck,
    ReferenceAudit,
    RetractedNeighbour,
    SelfCitationShare,
    SentTexts,
    UnlistedCitation,
)
from assay.document_audit.audit_plan import MAX_LINKS, list_claims
from assay.document_audit.reference_assembly import assemble_references
from assay.manuscripts.manuscript import Manuscript
from assay.services import Services
from assay.state.json_documents import Document
from assay.verification.duplicate_references import ListedWork, find_duplicates, find_listed_versions
from assay.verification.self_citation import find_self_citations

MAX_SENTENCE = 2_000  # characters
MAX_PROBLEMS = 10
NO_REFERENCES = (
    "No references were found. Looked for: a list under a heading such as References, entries of BibTeX or other "
    "reference files, footnotes, links and keys. That does not show that nothing is cited."
)
NO_REFERENCES_IN_PDF = (
    "No references were found. Looked for: a list under a heading such as References. References in the footnotes of a "
    "PDF are not recognized; send the manuscript as DOCX, LaTeX or Markdown if it has them."
)


@dataclass(frozen=True)
class AuditReport:
    """What is known of a manuscript so far."""

    job: AuditJob
    manuscript: Manuscript
    references: list[ReferenceAudit]
    quotations: list[QuotationCheck]
    links: list[CheckedLink]
    neighbours: list[RetractedNeighbour]
    counts: Counter[str] = field(default_factory=Counter)  # of neighbours: looked at, left; audited references
    problems: tuple[str, ...] = ()
    sent: tuple[SentTexts, ...] = ()

    @cached_property
    def unlisted(self) -> list[UnlistedCitation]:
        return [
            UnlistedCitation(
                labels=list(citation.unlisted),
                marker=citation.marker,
                sentence=citation.sentence[:MAX_SENTENCE],
                paragraph=citation.paragraph,
            )
            for citation in self.manuscript.citations
            if citation.unlisted
        ]

    @cached_property
    def uncited(self) -> list[int]:
        """The references that no citation names; none for a file without text."""
        if not self.manuscript.paragraphs:
            return []
        cited = {index for citation in self.manuscript.citations for index in citation.references}
        return [each.index for each in self.manuscript.references if each.index not in cited]

    @cached_property
    def duplicates(self) -> list[DuplicateReferences]:
        versions = {
            each.index: tuple(version.doi for version in each.versions or () if version.doi) for each in self.references
        }
        works = [
            ListedWork(
                each.index,
                each.work.title,
                each.work.printed_authors,
                each.work.date[:4],
                each.work.doi,
                each.work.arxiv_id,
                each.work.url,
                versions.get(each.index, ()),
            )
            for each in self.manuscript.references
        ]
        groups = [DuplicateReferences(references=list(g.references), kind=g.kind) for g in find_duplicates(works)]
        known = [set(group.references) for group in groups]
        pairs = [pair for pair in find_listed_versions(works) if not any(set(pair) <= group for group in known)]
        return groups + [DuplicateReferences(references=list(pair), kind="versions") for pair in pairs]

    @cached_property
    def self_citation(self) -> SelfCitationShare:
        authors = [name.format_inverted() for name in self.manuscript.authors]
        names = {each.index: each.work.printed_authors for each in self.manuscript.references}
        found = find_self_citations(authors, names)
        share = round(found.share, 4) if found.share is not None and authors else None
        return SelfCitationShare(
            authors=authors,
            references=list(found.certain),
            possible=list(found.possible),
            counted=found.counted,
            share=share,
        )

    @cached_property
    def summary(self) -> AuditSummary:
        sentences = [sentence for each in self.references for sentence in each.cited_in or ()]
        claims = Counter(str(each.claim_support) for each in sentences if each.claim_support)
        checked, quotations = sum(claims.values()), Counter(each.outcome for each in self.quotations)
        return AuditSummary(
            references=max(self.manuscript.total_references, len(self.references)),
            audited=self.counts["audited"],
            flags=dict(Counter(flag for each in self.references for flag in each.flags)),
            corrections=sum(each.correction is not None for each in self.references),
            citations=len(self.manuscript.citations),
            unlisted=len(self.unlisted),
            uncited=self.uncited,
            claims=dict(claims),
            claims_left=max(0, len(list_claims(self.manuscript)) - checked),
            quotations=dict(quotations),
            quotations_left=len(self.manuscript.quotations) - sum(quotations.values()),
            links=dict(Counter(each.outcome for each in self.links)),
            retracted_versions=[each.index for each in self.references if _has_retracted_version(each)],
            retracted_neighbours=len(self.neighbours),
            neighbours=self.counts["neighbours"],
            neighbours_left=self.counts["left"],
        )

    @cached_property
    def notes(self) -> list[str]:
        """Sentences about what limits the report."""
        notes = [*self.manuscript.notes, *self.problems]
        total = self.manuscript.total_references
        if total > len(self.manuscript.references):
            listed = len(self.manuscript.references)
            notes.append(f"Only the first {listed} of {total} references are audited; send the rest separately.")
        if not self.manuscript.references:
            notes.append(NO_REFERENCES_IN_PDF if self.manuscript.format == "pdf" else NO_REFERENCES)
        if len(self.manuscript.links) > MAX_LINKS:
            notes.append(f"Only the first {MAX_LINKS} of {len(self.manuscript.links)} links were checked.")
        if self.job.error or self.job.stopped:
            notes.append(self.job.error or self.job.stopped or "")
        return notes


async def load_report(services: Services, job: AuditJob) -> AuditReport | None:
    """Return the report so far; None if the stored manuscript has expired."""
    manuscript = await load_manuscript(services, job)
    if manuscript is None:
        return None
    results = await load_results(services, job, sorted(await list_done_units(services, job)))
    known = [result for result in results if result is not None]
    return await asyncio.to_thread(build_report, job, manuscript, known)


def build_report(job: AuditJob, manuscript: Manuscript, known: Sequence[Document]) -> AuditReport:
    """Build the report from the results of the units that are done."""
    views = {int(index): view for result in known for index, view in result.get("references", {}).items()}
    references = assemble_references(manuscript, views, [claim for each in known for claim in each.get("claims", ())])
    counts = Counter(audited=len(views))
    for result in known:
        counts["neighbours"] += result.get("neighbours", 0)
        counts["left"] += result.get("left", 0)
    problems = [f"Part of {result['kind']}: {result['problem']}" for result in known if result.get("problem")]
    return AuditReport(
        job,
        manuscript,
        references,
        [QuotationCheck.model_validate(view) for result in known for view in result.get("quotations", ())],
        [CheckedLink.model_validate(view) for result in known for view in result.get("links", ())],
        _merge_neighbours(known),
        counts,
        tuple(dict.fromkeys(problems))[:MAX_PROBLEMS],
        _merge_sent(known),
    )


def _merge_neighbours(results: Iterable[Document]) -> list[RetractedNeighbour]:
    merged: dict[str, RetractedNeighbour] = {}
    for result in results:
        for number, view in result.get("found", {}).items():
            known = merged.setdefault(number, RetractedNeighbour.model_validate(view | {"citedBy": []}))
            known.cited_by = sorted({*known.cited_by, *view["citedBy"]})
    return list(merged.values())


def _merge_sent(results: Iterable[Document]) -> tuple[SentTexts, ...]:
    merged: dict[str, dict[str, None]] = {}
    for result in results:
        for service, texts in result.get("sent", {}).items():
            merged.setdefault(service, {}).update(dict.fromkeys(texts))
    return tuple(
        SentTexts(service=service, count=len(texts), texts=list(texts)) for service, texts in sorted(merged.items())
    )


def _has_retracted_version(each: ReferenceAudit) -> bool:
    return any(version.retraction_check == "retracted" for version in each.versions or ())
