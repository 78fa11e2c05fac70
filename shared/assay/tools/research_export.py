"""Export a research session as a document."""

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from assay.context import Context
from assay.models.common import TRUST, Input, Output, Trust
from assay.sessions import session_report
from assay.sessions.research import Research
from assay.sessions.session_views import format_time
from assay.state.json_documents import Document
from assay.text.digest import Item, build_digest
from assay.toolkit.tool import tool

if TYPE_CHECKING:
    from assay.verification.link_status import Link

RESERVED_SECONDS = 10.0  # for the archive, and as many for the rest


class ResearchExportInput(Input):
    session: Annotated[
        str,
        Field(
            alias="sessionId", min_length=1, max_length=128, description="sessionId that sequential_search returned."
        ),
    ]
    format: Annotated[
        Literal["markdown", "json"], Field(description="Format of the document; markdown is a report.")
    ] = "markdown"
    verify_links: Annotated[
        bool, Field(description="Check every link now and add archived copies of dead ones; slower.")
    ] = False


class ResearchExportOutput(Output):
    session_id: str
    format: Annotated[str, Field(description="Format of document: markdown or json.")]
    research_goal: str
    step_count: int
    source_count: int
    started_at: Annotated[str, Field(description="RFC 3339, UTC.")]
    exported_at: Annotated[str, Field(description="RFC 3339, UTC.")]
    tenant_id: Annotated[str, Field(description="Owner of the session.")]
    document: Annotated[str | dict[str, Any], Field(description="Markdown text, or the session as an object.")]
    unverified_links: Annotated[int | None, Field(description="Number of links left unchecked for lack of time.")] = (
        None
    )
    trust: Trust = TRUST

    def markdown(self) -> str | None:
        return f"{self.document}\ntrust: {self.trust}" if isinstance(self.document, str) else None

    def summarize(self) -> tuple[str, dict[str, Any]]:
        headline = f"Research on {self.research_goal[:200]}: {self.step_count} steps, {self.source_count} sources."
        if isinstance(self.document, str):
            return build_digest([headline], [Item("It begins:", self.document)]), {}
        found = [Item(f"- {one.get('title') or one['url']} {one['url']}") for one in self.document["sources"]]
        return build_digest([headline, str(self.document.get("summary", ""))], found), {}


@tool(heavy=True, open_world=False)
async def research_export(ask: ResearchExportInput, ctx: Context) -> ResearchExportOutput:
    """Export a sequential_search session as a markdown report or JSON, with its sources and open questions.
    Quotes from sources are outside data."""
    research = await ctx.own.sessions.read(ask.session)
    exported = format_time(ctx.services.clock())
    sources, left = (await verify_sources(research.sources, ctx)) if ask.verify_links else (research.sources, 0)
    tenant = ctx.caller.tenant
    return ResearchExportOutput(
        session_id=research.id,
        format=ask.format,
        research_goal=research.goal,
        step_count=len(research.steps),
        source_count=len(research.sources),
        started_at=format_time(research.started),
        exported_at=exported,
        tenant_id=tenant,
        document=render_report(ask, research, sources, exported, tenant),
        unverified_links=left or None,
    )


def render_report(
    ask: ResearchExportInput, research: Research, sources: list[Document], exported: str, tenant: str
) -> str | dict[str, Any]:
    if ask.format == "json":
        return session_report.build_document(research, sources)
    return session_report.render_markdown(research, sources, exported=exported, tenant=tenant)


async def verify_sources(sources: list[Document], ctx: Context) -> tuple[list[Document], int]:
    """Check the sources' links and add copies of dead ones. Returns the sources and the number left unchecked."""
    from assay.verification.archived_copies import find_archived_copies
    from assay.verification.link_status import check_links

    seconds = max(0.1, ctx.time_left() - 2 * RESERVED_SECONDS)
    links = await check_links(ctx, [source["url"] for source in sources], seconds=seconds)
    dead = [url for url, link in links.items() if link.is_dead]
    archived: Mapping[str, str] = {}
    try:
        async with asyncio.timeout(max(0.1, ctx.time_left() - RESERVED_SECONDS / 2)):
            archived = (await find_archived_copies(ctx, dead)).found
    except TimeoutError:
        archived = {}  # dead links are reported without copies
    return [_with(source, links.get(source["url"]), archived) for source in sources], len(sources) - len(links)


def _with(source: Document, link: "Link | None", archived: Mapping[str, str]) -> Document:
    if link is None:
        return source
    found = {
        "linkOutcome": link.outcome,
        "httpStatus": link.status or None,
        "finalUrl": link.final_url if link.final_url != source["url"] else None,
        "verified": link.is_live,
        "verifiedAt": link.checked_at,
        "archivedUrl": archived.get(source["url"]),
    }
    known = {name: value for name, value in source.items() if name not in found or name == "archivedUrl"}
    return known | {name: value for name, value in found.items() if value is not None}
