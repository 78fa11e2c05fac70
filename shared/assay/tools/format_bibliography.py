"""Format sources as a bibliography."""

import asyncio
from datetime import UTC, datetime
from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from assay.bibliography.work import CitedWork
from assay.context import Context
from assay.errors import InvalidInput
from assay.models.common import TRUST, Cleared, Input, Output, Trust
from assay.toolkit.tool import tool

MAX_SOURCES = 1_000
type WorkType = Literal[
    "article-journal", "book", "chapter", "dataset", "paper-conference", "report", "software", "thesis", "webpage"
]  # fmt: skip


class FormatBibliographySource(Input):
    model_config = ConfigDict(
        json_schema_extra={"required": ["url"]}
    )  # the contract requires it; a DOI alone also works

    url: Annotated[Cleared[str], Field(description="URL of the source; a DOI alone also works.")] = None
    title: Annotated[Cleared[str], Field(description="Title of the work or page.")] = None
    author: Annotated[Cleared[str], Field(description="Authors, separated by semicolons.")] = None
    site: Annotated[Cleared[str], Field(description="Website or journal.")] = None
    date: Annotated[Cleared[str], Field(description="Date of publication, such as 2021-05-04.")] = None
    doi: Annotated[Cleared[str], Field(description="DOI, such as 10.1000/182.")] = None
    volume: Annotated[Cleared[str], Field(description="Of the journal.")] = None
    issue: Annotated[Cleared[str], Field(description="Of the volume.")] = None
    pages: Annotated[Cleared[str], Field(description="Such as 12-34.")] = None
    publisher: Annotated[Cleared[str], Field(description="Who published a book or report.")] = None
    type: Annotated[
        WorkType | None,
        Field(description="By default article-journal with a DOI, else webpage."),
    ] = None


class FormatBibliographyInput(Input):
    style: Annotated[
        str,
        Field(
            max_length=200,
            description="apa, mla, bibtex, ris, csl-json, or any style of the CSL repository: chicago, ieee, nature, …",
        ),
    ] = "apa"
    locale: Annotated[
        Cleared[Annotated[str, Field(max_length=20)]],
        Field(description="Language of the style's own words, such as de-DE."),
    ] = None
    session: Annotated[
        Cleared[Annotated[str, Field(max_length=128)]],
        Field(alias="sessionId", description="Research session whose sources are formatted."),
    ] = None
    sources: Annotated[
        list[FormatBibliographySource] | None,
        Field(max_length=MAX_SOURCES, description="Sources to format, in place of sessionId."),
    ] = None


class FormatBibliographyOutput(Output):
    style: Annotated[str, Field(description="Style as sent, or the default.")]
    entry_count: Annotated[int, Field(description="Number of sources formatted.")]
    bibliography: Annotated[str, Field(description="The formatted bibliography as text.")]
    session_id: Annotated[str | None, Field(description="Session whose sources were formatted.")] = None
    warnings: list[str] | None = None
    trust: Trust = TRUST

    def markdown(self) -> str:
        warnings = [f"Warning: {warning}" for warning in self.warnings or ()]
        return "\n\n".join([self.bibliography, "\n".join([*warnings, f"trust: {self.trust}"])])


@tool(open_world=False)
async def format_bibliography(ask: FormatBibliographyInput, ctx: Context) -> FormatBibliographyOutput:
    """Format sources (sent, or of a session) in any citation style, or as BibTeX, RIS or CSL-JSON. It looks nothing up:
    verify_citation checks a DOI."""
    from assay.bibliography.source_list import format_bibliography, remove_duplicates

    works = await choose_works(ask, ctx)
    whole = [work for work in works if work.url or work.doi]
    unique = remove_duplicates(whole)
    today = datetime.fromtimestamp(ctx.services.clock(), UTC).date()
    return FormatBibliographyOutput(
        style=ask.style,
        entry_count=len(unique),
        bibliography=await asyncio.to_thread(format_bibliography, unique, ask.style, today, ask.locale or ""),
        session_id=ask.session if not ask.sources else None,
        warnings=format_warnings(works) or None,
    )


async def choose_works(ask: FormatBibliographyInput, ctx: Context) -> list[CitedWork]:
    """Return the sources as works: those sent, or those of the session."""
    from assay.bibliography.source_list import build_source_work

    now = ctx.services.clock()
    if ask.sources:
        given = [one.model_dump() for one in ask.sources]
    elif ask.session:
        given = (await ctx.own.sessions.read(ask.session)).sources
    else:
        raise InvalidInput("Send sources (a list that is not empty), or the sessionId of a research.", field="sources")
    return [
        build_source_work({field: one.get(field) or "" for field in FormatBibliographySource.model_fields}, now)
        for one in given
    ]


def format_warnings(works: list[CitedWork]) -> list[str]:
    """Warnings about sources left out and values not understood."""
    left_out = [str(number) for number, work in enumerate(works, 1) if not work.url and not work.doi]
    warnings = [f"Source {number}: {note}" for number, work in enumerate(works, 1) for note in work.unread][:20]
    if left_out:
        named = ", ".join(left_out[:20]) + (", …" if len(left_out) > 20 else "")
        warnings.append(f"{len(left_out)} left out, with neither a web address nor a DOI: {named}.")
    return warnings
