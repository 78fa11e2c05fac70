"""Make a bibliography of sources."""

from datetime import UTC, datetime
from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from assay.context import Context
from assay.errors import InvalidInput
from assay.models import TRUST, Cleared, Input, Output, Trust
from assay.text.bibliography.work import Work
from assay.tool import tool

MOST = 1_000  # sources


class Source(Input):
    model_config = ConfigDict(json_schema_extra={"required": ["url"]})  # asked for; a DOI alone is taken, too

    url: Cleared[str] = None
    title: Cleared[str] = None
    author: Cleared[str] = None
    site: Cleared[str] = None
    date: Cleared[str] = None
    doi: Cleared[str] = None


class Ask(Input):
    style: Literal["apa", "mla", "bibtex", "ris", "csl-json"] = "apa"
    session: Annotated[Cleared[Annotated[str, Field(max_length=128)]], Field(alias="sessionId")] = None
    sources: Annotated[list[Source] | None, Field(max_length=MOST, description="Instead of sessionId.")] = None


class Answer(Output):
    style: str
    entry_count: int
    bibliography: str
    session_id: str | None = None
    warnings: list[str] | None = None
    trust: Trust = TRUST

    def markdown(self) -> str:
        told = [f"Warning: {warning}" for warning in self.warnings or ()]
        return "\n\n".join([self.bibliography, "\n".join([*told, f"trust: {self.trust}"])])


@tool(open_world=False)
async def format_bibliography(ask: Ask, ctx: Context) -> Answer:
    """Format sources, given or of a session, as APA or MLA, or as BibTeX, RIS or CSL-JSON for Zotero and others.
    Nothing is looked up: verify_citation checks a DOI."""
    from assay.text.bibliography.listing import distinct, listed

    works = await chosen(ask, ctx)
    whole = [work for work in works if work.url or work.doi]
    unique = distinct(whole)
    today = datetime.fromtimestamp(ctx.services.clock(), UTC).date()
    return Answer(
        style=ask.style,
        entry_count=len(unique),
        bibliography=listed(unique, ask.style, today),
        session_id=ask.session if not ask.sources else None,
        warnings=told(works) or None,
    )


async def chosen(ask: Ask, ctx: Context) -> list[Work]:
    """The sources as works: those given, else those of the session."""
    from assay.text.bibliography.listing import source_work

    now = ctx.services.clock()
    if ask.sources:
        given = [one.model_dump() for one in ask.sources]
    elif ask.session:
        given = (await ctx.sessions.read(ask.session)).sources
    else:
        raise InvalidInput("Send sources (a list that is not empty), or the sessionId of a research.", field="sources")
    return [source_work({field: one.get(field) or "" for field in Source.model_fields}, now) for one in given]


def told(works: list[Work]) -> list[str]:
    """What was left out, and what was not understood."""
    left_out = [str(number) for number, work in enumerate(works, 1) if not work.url and not work.doi]
    warnings = [f"Source {number}: {note}" for number, work in enumerate(works, 1) for note in work.unread][:20]
    if left_out:
        named = ", ".join(left_out[:20]) + (", …" if len(left_out) > 20 else "")
        warnings.append(f"{len(left_out)} left out, with neither a web address nor a DOI: {named}.")
    return warnings
