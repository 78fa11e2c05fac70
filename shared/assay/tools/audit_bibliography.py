"""Check every entry of a bibliography."""

import asyncio
from collections import Counter
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field, ValidationInfo, field_validator

from assay.context import Context
from assay.errors import InvalidInput
from assay.models.common import TRUST, Cleared, DetailLevel, Input, Output, SessionId, Source, Trust
from assay.text.timestamps import format_utc
from assay.text.url_text import parse_http_url
from assay.toolkit.base import SourceClaim
from assay.toolkit.tool import tool
from assay.verification.audit_entries import MAX_ENTRIES
from assay.verification.audit_views import AuditedEntry, Summary, summarize, to_view
from assay.verification.claim_fields import ClaimTier

if TYPE_CHECKING:
    from assay.verification.audit_evidence import AuditEntry

MAX_DOCUMENT_CHARS = 10_000_000
MAX_FIELD_CHARS = {"url": 8_192, "doi": 500, "date": 60}  # other fields: 2,000


class Cited(Input):
    """A reference to check."""

    url: Annotated[str, Field(description="URL of the source.")] = ""
    title: Annotated[str, Field(description="Title as cited.")] = ""
    author: Annotated[str, Field(description="Authors as cited: Smith, J.; Doe, A.")] = ""
    site: Annotated[str, Field(description="Website or journal cited.")] = ""
    date: Annotated[str, Field(description="Date as cited: 2021-05-04.")] = ""
    doi: Annotated[str, Field(description="Its DOI: 10.1000/182.")] = ""
    claim: Annotated[str, Field(description="What it is cited for, or empty.")] = ""

    @field_validator("*")
    @classmethod
    def _is_within_limit(cls, text: str, info: ValidationInfo) -> str:
        limit = MAX_FIELD_CHARS.get(info.field_name or "", 2_000)
        if len(text) > limit:
            raise ValueError(f"is longer than {limit} characters")
        return text


class AuditBibliographyInput(Input):
    bibliography: Annotated[
        Cleared[Annotated[str, Field(max_length=MAX_DOCUMENT_CHARS)]],
        Field(description="CSL-JSON, RIS, BibTeX, .nbib, EndNote XML, Hayagriva, .bbl or a list."),
    ] = None
    upload_id: Annotated[Cleared[str], Field(description="Id from create_upload.")] = None
    format: Annotated[
        Literal["auto", "csl-json", "ris", "bibtex", "nbib", "endnote-xml", "hayagriva", "bbl", "text"],
        Field(description="Its format; auto detects it."),
    ] = "auto"
    entries: Annotated[list[Cited] | None, Field(description="References; each needs a url, title or doi.")] = None
    claim_tier: ClaimTier = None
    detail: DetailLevel = "full"
    session_id: Annotated[
        SessionId,
        Field(alias="sessionId", description="Records the findings; alone, its sources are checked."),
    ] = None


class AuditBibliographyOutput(Output):
    source: Annotated[
        str, Field(description="Where the entries come from: entries, bibliography with its format, or session.")
    ]
    entry_count: Annotated[int, Field(description="Number of entries checked.")]
    summary: Annotated[Summary, Field(description="Counts over all entries.")]
    entries: Annotated[list[AuditedEntry], Field(description="Results in the order of the bibliography.")]
    checked_at: Annotated[str, Field(description="RFC 3339, UTC.")]
    skipped: Annotated[int | None, Field(description="Number of entries beyond the limit, not checked.")] = None
    skipped_note: Annotated[str | None, Field(description="Which entries were not checked.")] = None
    unread: Annotated[list[str] | None, Field(description="Parts of the document that could not be read.")] = None
    warning: Annotated[str | None, Field(description="What may be wrong with the answer.")] = None
    trust: Trust = TRUST

    def markdown(self) -> str:
        """The counts, then the flagged entries."""
        s = self.summary
        counts = (
            f"{s.total} entries: {s.ok} without flags, {s.retracted} retracted, {s.dead_link} with dead links, "
            f"{s.not_found} not found, {s.mischaracterized} mischaracterized, {s.title_mismatch} with another title, "
            f"{s.unchecked} unchecked; {s.retraction_unchecked} not checked for retraction."
        )
        lines = [counts]
        for each in self.entries:
            if each.flags:
                named = each.title or each.doi or each.url or "an entry without a name"
                lines.append(f"{each.index}. {named[:200]} [{', '.join(each.flags)}] {each.reason or ''}".rstrip())
        lines += filter(None, [self._describe_tiers()])
        lines += [note for note in (self.skipped_note, self.warning) if note]
        return "\n".join([*lines, f"trust: {self.trust}"])

    def sources(self) -> list[Source]:
        """The entries with an address; entries with the same one are a source with several claims."""
        found: dict[str, Source] = {}
        for each in self.entries:
            if (source := _to_source(each, self.checked_at)) is not None:
                known = found.setdefault(source.url, source)
                if known is not source and source.claims:
                    known.claims = [*(known.claims or []), *source.claims]
        return list(found.values())

    def _describe_tiers(self) -> str:
        """Say what compared the claims. A contrast of words is left out: it is a hint, and stands beside the entry."""
        tiers = Counter(each.claim_tier for each in self.entries if each.claim_tier)
        failed = sum(each.claim_tier_failure is not None for each in self.entries)
        counts = ", ".join(f"{count} by tier {tier}" for tier, count in sorted(tiers.items()))
        without = f"; for {failed} a configured model gave no answer" if failed else ""
        return f"Claims compared: {counts}{without}." if counts else ""


def _to_source(each: AuditedEntry, checked_at: str) -> Source | None:
    """The entry as a session records it; None if it has no address."""
    from assay.bibliography.identifiers import build_doi_url

    url = each.url or (build_doi_url(each.doi) if each.doi else "")
    if parse_http_url(url) is None:
        return None
    claim = None
    if each.claim and each.claim_support:
        claim = SourceClaim(
            claim=each.claim,
            support=each.claim_support,
            relation=each.claim_relation,
            tier=each.claim_tier,
            evidence=each.claim_evidence,
        )
    return Source(
        url=url,
        title=each.title,
        relevance="audited",
        doi=each.doi,
        link_outcome=each.link_outcome,
        http_status=each.http_status,
        verified=each.link_live,
        verified_at=checked_at if each.link_outcome else None,
        archived_url=each.archived_url,
        retraction_check=each.retraction_check,
        claims=[claim] if claim else None,
    )


@tool(limit=timedelta(seconds=120), background=True)
async def audit_bibliography(ask: AuditBibliographyInput, ctx: Context) -> AuditBibliographyOutput:
    """Check every reference of a bibliography (up to 200): existence, retraction, title, link and, with a
    claim, whether the source addresses it. Flags are evidence with
    reasons, never verdicts; unchecked does not mean clean."""
    from assay.verification.bibliography_audit import audit_entries as look

    source, entries, total, unread = await gather_entries(ask, ctx)
    found = [to_view(each) for each in await look(ctx, entries, ask.claim_tier)]
    over = total - len(entries)
    at = format_utc(ctx.services.clock())
    return AuditBibliographyOutput(
        source=source,
        entry_count=len(entries),
        summary=summarize(found),
        entries=found,
        checked_at=at,
        skipped=over or None,
        skipped_note=f"Only the first {MAX_ENTRIES} entries were checked; {over} more were left out." if over else None,
        unread=unread or None,
        warning=None
        if any(entry.claim for entry in entries)
        else "No claims were given, so nothing was checked for mischaracterization.",
    )


async def gather_entries(ask: AuditBibliographyInput, ctx: Context) -> tuple[str, list["AuditEntry"], int, list[str]]:
    """Return the source of the entries, the first of them, their total number, and the parts that could not be read."""
    from assay.verification.audit_entries import from_document, from_fields, from_sources

    if ask.entries:
        return "entries", from_fields([entry.model_dump() for entry in ask.entries[:MAX_ENTRIES]]), len(ask.entries), []
    if ask.bibliography or ask.upload_id:
        document = await load_bibliography(ask, ctx)
        read = await asyncio.to_thread(from_document, document, None if ask.format == "auto" else ask.format)
        return f"bibliography:{read.format}", read.entries, read.total, read.unread
    if ask.session_id:
        research = await ctx.own.sessions.read(ask.session_id)
        return "session", from_sources(research.sources[:MAX_ENTRIES]), len(research.sources), []
    raise InvalidInput("audit_bibliography: give entries, bibliography, upload_id or sessionId.", field="bibliography")


async def load_bibliography(ask: AuditBibliographyInput, ctx: Context) -> str:
    """Return the document that was sent with the call or before it. Raises InvalidInput, and the errors of uploads."""
    if ask.upload_id is None:
        return ask.bibliography or ""
    if ask.bibliography:
        raise InvalidInput("Give bibliography or upload_id, not both.", field="upload_id")
    return await ctx.own.uploads.read_text(ask.upload_id, MAX_DOCUMENT_CHARS)
