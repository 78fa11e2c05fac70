"""Audit a manuscript: its references, citations, claims, quotations and links."""

import asyncio
from collections.abc import Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, ValidationInfo, field_validator

from assay.context import Context
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
from assay.models.common import TRUST, Cleared, DetailLevel, Input, Output, Trust
from assay.text.timestamps import format_utc
from assay.toolkit.tool import FollowedJob, tool
from assay.verification.tier_answer import Tier

if TYPE_CHECKING:
    from assay.document_audit.audit_job import AuditJob
    from assay.document_audit.audit_report import AuditReport

MAX_TEXT_CHARS = 70_000_000  # entry points have lower limits of their own
MAX_CHARS = {"url": 8_192, "filename": 300, "upload_id": 64, "artifact": 100, "audit_id": 64}
MAX_SENT = 40  # texts shown of each service
POLL_SECONDS = 0.1, 1.0  # first and longest interval
RESERVED_SECONDS = 4.0  # of the time limit, to build the answer

type ReportFormat = Literal["json", "markdown", "html", "bibtex"]


class AuditDocumentInput(Input):
    url: Annotated[Cleared[str], Field(description="URL of manuscript.")] = None
    text: Annotated[Cleared[str], Field(description="The text itself.")] = None
    content_base64: Annotated[Cleared[str], Field(description="File in base64.")] = None
    upload_id: Annotated[Cleared[str], Field(description="Id from create_upload.")] = None
    filename: Annotated[str, Field(description="Name, shows format.")] = ""
    artifact: Annotated[Cleared[str], Field(description="Id of an artifact.")] = None
    bibliography: Annotated[Cleared[str], Field(description="Its bibliography file.")] = None
    audit_id: Annotated[Cleared[str], Field(description="Audit to continue.")] = None
    cancel: Annotated[bool, Field(description="Stop the audit.")] = False
    format: Annotated[ReportFormat, Field(description="Form of report.")] = "json"
    page: Annotated[int, Field(ge=1, description="Page of references.")] = 1
    page_size: Annotated[int, Field(ge=1, le=200, description="Size of page.")] = 20
    detail: DetailLevel = "full"
    claims: Annotated[int, Field(ge=0, le=500, description="Citing sentences to check.")] = 20
    quotations: Annotated[int, Field(ge=0, le=500, description="Quotations to look up.")] = 50
    claim_tier: Annotated[Tier | None, Field(alias="claimTier", description="Highest claim tier.")] = None
    wait_seconds: Annotated[float, Field(ge=0, le=110, description="Seconds to wait.")] = 50

    @field_validator("url", "text", "content_base64", "upload_id", "artifact", "bibliography", "filename", "audit_id")
    @classmethod
    def _is_within_limit(cls, given: str | None, info: ValidationInfo) -> str | None:
        limit = MAX_CHARS.get(info.field_name or "", MAX_TEXT_CHARS)
        if given and len(given) > limit:
            raise ValueError(f"is longer than {limit:,} characters")
        return given


class AuditDocumentOutput(Output):
    audit_id: Annotated[str, Field(description="Pass it as audit_id for the rest, or for another page or format.")]
    status: Annotated[
        Literal["queued", "running", "completed", "failed", "cancelled"], Field(description="State of the audit.")
    ]
    progress: Annotated[int, Field(description="Percentage of the work that is done.")]
    document_format: Annotated[str | None, Field(description="Format that the manuscript was read as.")] = None
    title: Annotated[str | None, Field(description="Title of the manuscript.")] = None
    summary: Annotated[AuditSummary | None, Field(description="Counts over the whole manuscript.")] = None
    page: Annotated[int, Field(description="Page of references.")] = 1
    page_count: Annotated[int, Field(description="Number of pages.")] = 1
    references: Annotated[
        list[ReferenceAudit] | None, Field(description="References of this page with their evidence.")
    ] = None
    unlisted: Annotated[
        list[UnlistedCitation] | None, Field(description="Citations of works that are not listed, the first 100.")
    ] = None
    duplicates: Annotated[
        list[DuplicateReferences] | None, Field(description="References to one work, the first 100 groups.")
    ] = None
    self_citation: Annotated[SelfCitationShare | None, Field(description="References by the manuscript's authors.")] = (
        None
    )
    quotations: Annotated[list[QuotationCheck] | None, Field(description="Quotations looked up in their sources.")] = (
        None
    )
    links: Annotated[
        list[CheckedLink] | None, Field(description="Links of the text that are not live, the first 100.")
    ] = None
    retracted_neighbours: Annotated[
        list[RetractedNeighbour] | None, Field(description="Retracted works that cited works cite, the first 100.")
    ] = None
    sent: Annotated[
        list[SentTexts] | None,
        Field(description="What was sent to which service; nothing else of the manuscript left the machine."),
    ] = None
    report: Annotated[str | None, Field(description="Whole report in the requested format.")] = None
    notes: Annotated[list[str] | None, Field(description="Remarks, such as limits reached or parts not read.")] = None
    expires_at: Annotated[str, Field(description="When it is deleted, RFC 3339, UTC.")]
    trust: Trust = TRUST

    def markdown(self) -> str:
        """The report, or the counts and the flagged references of the page."""
        lines = [*self._head(), *([self.report] if self.report else [])]
        for each in self.references or ():
            if each.flags or each.correction:
                named = each.title or each.doi or each.url or "a reference without a title"
                lines.append(f"{each.index}. {named[:200]} [{', '.join(each.flags)}] {each.reason or ''}".rstrip())
        if self.page < self.page_count:
            lines.append(f"Go on with page {self.page + 1} of {self.page_count}.")
        elif self.page > self.page_count:
            lines.append(f"Page {self.page} lies behind the last one, which is page {self.page_count}.")
        return "\n".join([*lines, f"trust: {self.trust}"])

    def summarize(self) -> tuple[str, dict[str, Any]]:
        return "\n".join(self._head()), {}

    def _head(self) -> list[str]:
        lines = [f"Audit {self.audit_id}: {self.status}, {self.progress} %."]
        if self.summary:
            s = self.summary
            flags = ", ".join(f"{count} {flag}" for flag, count in sorted(s.flags.items())) or "no flags"
            lines.append(f"{s.audited} of {s.references} references audited: {flags}; {s.unlisted} not listed.")
        return lines + [f"Note: {note}" for note in self.notes or ()]


def _is_heavy(ask: AuditDocumentInput) -> bool:
    return ask.format != "json"


async def refresh_answer(ctx: Context, audit: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Build the answer for an audit that has gone on."""
    from assay.document_audit.audit_start import find_audit
    from assay.tool_calls import call_answer

    ask = audit_document.parse({"audit_id": audit, **arguments})
    found = await build_answer(ask, ctx, await find_audit(ctx.services, ctx.caller, audit))
    output = audit_document.fit_detail(found, ask)
    return call_answer.build_answer(output.to_document(), {}, is_heavy=_is_heavy(ask))


@tool(
    limit=timedelta(seconds=120),
    read_only=False,
    destructive=True,
    idempotent=False,
    heavy=_is_heavy,
    follows=FollowedJob(
        "audit",
        "auditId",
        refresh_answer,
        at_once={"wait_seconds": 0},
        shaping=frozenset({"detail", "format", "page", "page_size"}),
    ),
)
async def audit_document(ask: AuditDocumentInput, ctx: Context) -> AuditDocumentOutput:
    """Audit a manuscript: evidence and correction for each reference, claims and quotations against their
    sources, missing, uncited, duplicate references, dead links, retractions. Long ones go on: call
    again with audit_id. Evidence, never a verdict."""
    from assay.document_audit.audit_job import AUDITS, count_units
    from assay.document_audit.audit_start import find_audit, start_audit
    from assay.document_audit.manuscript_source import ManuscriptSource, load_source

    if ask.audit_id:
        job = await find_audit(ctx.services, ctx.caller, ask.audit_id)
    else:
        given = {name: getattr(ask, name) or "" for name in ManuscriptSource.__dataclass_fields__}
        manuscript = await load_source(ctx, ManuscriptSource(**given))
        limits = {"max_claims": ask.claims, "max_quotations": ask.quotations}
        job = await start_audit(ctx, manuscript, **limits, claim_tier=ask.claim_tier)
    if ask.cancel and not job.is_ended:
        done = await count_units(ctx.services, job)
        job = await AUDITS.end(ctx.services.table, job, "cancelled", ctx.services.clock(), units=done)
    return await build_answer(ask, ctx, await wait_for_audit(ask, job, ctx))


async def wait_for_audit(ask: AuditDocumentInput, job: "AuditJob", ctx: Context) -> "AuditJob":
    """Wait until the audit ends or the time is up, and report progress."""
    from assay.document_audit.audit_job import count_units
    from assay.document_audit.audit_start import find_audit

    loop, pause, reported = asyncio.get_running_loop(), POLL_SECONDS[0], -1
    until = loop.time() + min(ask.wait_seconds, ctx.time_left() - RESERVED_SECONDS)
    while not job.is_ended:
        if ctx.report is not None:
            done = await count_units(ctx.services, job)
            if done > reported:
                reported = done
                await ctx.report(done, job.total, f"{done} of {job.total} parts of the audit")
        if loop.time() >= until:
            break
        await asyncio.sleep(min(pause, max(0.0, until - loop.time())))
        pause = min(pause * 1.5, POLL_SECONDS[1])
        job = await find_audit(ctx.services, ctx.caller, job.id)
    return job


async def build_answer(ask: AuditDocumentInput, ctx: Context, job: "AuditJob") -> AuditDocumentOutput:
    from assay.document_audit.audit_job import count_units
    from assay.document_audit.audit_kind import LOST
    from assay.document_audit.audit_report import load_report
    from assay.errors import NotFound

    report = await load_report(ctx.services, job)
    if report is None:
        raise NotFound(LOST, field="audit_id")
    done = job.total if job.status == "completed" else await count_units(ctx.services, job)
    return await asyncio.to_thread(format_answer, ask, report, done)


def format_answer(ask: AuditDocumentInput, report: "AuditReport", done: int) -> AuditDocumentOutput:
    job = report.job
    answer = AuditDocumentOutput(
        audit_id=job.id,
        status=job.status,
        progress=100 * done // job.total if job.total else 100,
        document_format=report.manuscript.format,
        title=report.manuscript.title or None,
        summary=report.summary,
        page=ask.page,
        page_count=max(1, -(-len(report.references) // ask.page_size)),
        notes=report.notes or None,
        expires_at=format_utc(job.until),
    )
    if ask.format == "json":
        add_page(answer, ask, report)
    else:
        answer.report = write_report(ask.format, report)
    return answer


def add_page(answer: AuditDocumentOutput, ask: AuditDocumentInput, report: "AuditReport") -> None:
    """Add the references of the page; the first page also has the findings on the whole manuscript."""
    start = (ask.page - 1) * ask.page_size
    answer.references = report.references[start : start + ask.page_size]
    if ask.page > 1:
        return
    answer.unlisted, answer.duplicates = report.unlisted[:100] or None, report.duplicates[:100] or None
    answer.self_citation, answer.quotations = report.self_citation, report.quotations or None
    answer.links = [link for link in report.links if link.outcome != "live"][:100] or None
    answer.retracted_neighbours, answer.sent = (
        report.neighbours[:100] or None,
        [cut_texts(each) for each in report.sent] or None,
    )


def cut_texts(sent: SentTexts) -> SentTexts:
    return sent.model_copy(update={"texts": sent.texts[:MAX_SENT]})


def write_report(form: ReportFormat, report: "AuditReport") -> str:
    if form == "html":
        from assay.document_audit.report_html import write_html

        return write_html(report)
    if form == "bibtex":
        from assay.document_audit.report_bibtex import write_bibtex

        return write_bibtex(report)
    from assay.document_audit.report_markdown import write_markdown

    return write_markdown(report)
