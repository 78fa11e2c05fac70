"""Search patents."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field, model_validator

from assay.context import Context
from assay.errors import ConfigError, InvalidInput, NotFound, ToolError
from assay.models import TRUST, Cleared, Output, SessionId, Source, SuggestedAction, Trust, ZeroResultHints
from assay.patents import Patent, PatentQuery
from assay.records.patents import LANDSCAPE, Cluster, clusters, fitting, search_url
from assay.tool import tool

if TYPE_CHECKING:  # what asks and reads is imported by the call
    from assay.records.discovery import Page
    from assay.search import Found
    from assay.text.patent_numbers import Number

PAGES, DISCOVERY = "google_patents", "web_discovery"
SHORT = 200  # characters of an abstract in the list


class Ask(PatentQuery):
    num_results: Annotated[int, Field(ge=1, le=10)] = 5
    search_type: Literal["prior_art", "specific", "landscape"] = "prior_art"
    provider: Annotated[Cleared[str], Field(description="epo, lens, uspto, searchapi, brave …")] = None
    session_id: SessionId = None

    @model_validator(mode="after")
    def _something(self) -> "Ask":
        if not (self.query or self.assignee or self.inventor):
            raise ValueError("give query, assignee or inventor")
        return self


class Answer(Output):
    patents: list[Patent]
    query: str
    search_type: str
    result_count: int
    source: str
    search_url: str
    assignee_clusters: list[Cluster] | None = None
    hints: ZeroResultHints | None = None
    warnings: list[str] | None = None
    trust: Trust = TRUST

    def markdown(self) -> str:
        from assay.search.hints import told

        lines = [f"{self.result_count} patents of {self.source} for: {self.query or 'the given names'}"]
        for number, one in enumerate(self.patents, 1):
            lines += [f"{number}. {one.number}: {one.title}", *(f"   {line}" for line in _about(one))]
        lines += [f"Holder: {cluster.assignee} ({cluster.count})" for cluster in self.assignee_clusters or ()]
        lines += [*told(self.hints), *(f"Warning: {warning}" for warning in self.warnings or ())]
        return "\n".join([*lines, f"More: {self.search_url}", f"trust: {self.trust}"])

    def sources(self) -> list[Source]:
        return [
            Source(url=one.url, title=one.title, relevance="patent", author=one.inventor, date=one.granted or one.filed)
            for one in self.patents
        ]

    def is_empty(self) -> bool:
        return not self.patents


@tool(cache=timedelta(hours=24), toolsets=("research", "records"))
async def patent_search(ask: Ask, ctx: Context) -> Answer:
    """Search patents by words, number, assignee, inventor, CPC class and year of filing. Names match in part: check
    the owners. landscape counts owners. Evidence, no legal advice. Untrusted data.
    """
    wanted = LANDSCAPE if ask.search_type == "landscape" else ask.num_results
    given = ask.model_dump(include=set(PatentQuery.model_fields), exclude_none=True)
    question = PatentQuery.model_validate(given | {"num_results": wanted})
    found = await _found(ask, question, ctx)
    shown = found.hits[: ask.num_results]
    return Answer(
        patents=shown,
        query=ask.query or "",
        search_type=ask.search_type,
        result_count=len(shown),
        source=found.provider,
        search_url=search_url(ask),
        assignee_clusters=clusters(found.hits[:wanted]) if ask.search_type == "landscape" else None,
        hints=None if shown else await _hints(ask, found, ctx),
        warnings=found.warnings or None,
    )


async def _found(ask: Ask, question: PatentQuery, ctx: Context) -> "Found[Patent]":
    """Of the named provider alone; else of a patent's own page, the registers, the web: the first that has any."""
    if ask.provider:
        return await (_asked if _is_register(ask.provider) else _discovered)(question, ctx, ask.provider)
    warnings: list[str] = []
    number, registers = _number(ask), _registers(ctx)
    if number and (ask.search_type == "specific" or not registers):
        found = await _page(number, ctx, warnings)
        if found and found.hits:
            return found
    empty: Found[Patent] | None = None
    failure: ToolError | None = None
    if registers:
        try:
            empty = await _asked(question, ctx)
        except (ConfigError, InvalidInput):
            raise
        except ToolError as refused:
            failure = refused
            warnings.append(f"{refused.provider or 'A register of patents'} could not be asked ({refused.kind}).")
        if empty and empty.hits:
            return replace(empty, warnings=[*warnings, *empty.warnings])
    return await _last(question, ctx, empty, failure, warnings)


async def _last(
    question: PatentQuery, ctx: Context, empty: "Found[Patent] | None", failure: ToolError | None, warnings: list[str]
) -> "Found[Patent]":
    """What the web knows, where the registers have none. That nobody answered is never told as nothing found."""
    try:
        found = await _discovered(question, ctx)
    except ToolError as refused:
        if empty is None:
            raise failure or refused from None
        warnings.append(f"The web could not be asked besides ({refused.kind}).")
        return replace(empty, warnings=[*warnings, *empty.warnings])
    if failure and not found.hits:
        raise failure
    if empty is None:
        return replace(found, warnings=[*warnings, *found.warnings])
    if not found.hits:
        attempted = [*empty.attempted, *found.attempted]
        return replace(empty, attempted=attempted, warnings=[*warnings, *empty.warnings, *found.warnings])
    return replace(found, warnings=[*warnings, *empty.warnings, *found.warnings])


async def _asked(question: PatentQuery, ctx: Context, provider: str | None = None) -> "Found[Patent]":
    found = await ctx.search.any("patents", question, provider=provider)
    ctx.meta |= found.meta()
    return replace(found, hits=fitting(found.hits, question))


async def _page(number: "Number", ctx: Context, warnings: list[str]) -> "Found[Patent] | None":
    """The patent's own page; None where there is none or where it cannot be read, which is remarked."""
    from assay.search import Found

    try:
        return Found([await _pages(ctx)(number)], PAGES, [PAGES])
    except NotFound:
        return None
    except ToolError as refused:
        warnings.append(f"{PAGES} could not be asked ({refused.kind}).")
        return None


async def _discovered(question: PatentQuery, ctx: Context, provider: str | None = None) -> "Found[Patent]":
    """Pages of patents that a search engine finds."""
    from assay.records import discovery
    from assay.search import Found

    known = await ctx.search.web(discovery.question(question, question.num_results), provider=provider)
    patents, unread = await discovery.read(known.hits, _pages(ctx), ctx.left() - 1)
    shown = fitting(patents, question)[: question.num_results]
    return Found(shown, provider or DISCOVERY, known.attempted, warnings=[*known.warnings, *unread])


def _pages(ctx: Context) -> "Page":
    from assay.providers.google_patents import GooglePatents

    source = ctx.search.source(PAGES)
    assert isinstance(source, GooglePatents)

    async def page(number: "Number") -> Patent:
        return await source.readable(source.page(number))

    return page


def _registers(ctx: Context) -> bool:
    """Whether there is a register to be asked: one with a key, or one that the operator has named."""
    settings = ctx.services.settings
    return bool(ctx.search.alternatives("patents") or settings.search_routing.get("patents"))


def _is_register(name: str) -> bool:
    """Raises ConfigError, with all there are, for what is neither a register of patents nor a search engine."""
    from assay import providers
    from assay.search.order import KEYLESS, PREFERRED
    from assay.text.plain import plain

    registers, engines = PREFERRED["patents"], (*PREFERRED["web"], KEYLESS["web"])
    if (word := name.strip().lower()) in registers:
        return True
    if word in engines:
        return False
    able: Sequence[str] = list(dict.fromkeys((*registers, *engines)))
    known = "cannot be asked for patents" if word in providers.names() else "is no provider"
    raise ConfigError(f"{plain(name, 40)!r} {known}; there are {', '.join(able)}.", field="provider", alternatives=able)


def _number(ask: PatentQuery) -> "Number | None":
    from assay.text.patent_numbers import read

    return read(ask.query or "")


async def _hints(ask: Ask, found: "Found[Patent]", ctx: Context) -> ZeroResultHints:
    """Why there may be none. A register of one office has nothing of another."""
    from assay.search.hints import hints

    office = None if ask.patent_office == "all" else ask.patent_office
    elsewhere = office not in (None, "US") and set(found.attempted) == {"uspto"}
    return await hints(
        ctx.search,
        "patents",
        found,
        {"patent_office": office, "year_from": ask.year_from, "year_to": ask.year_to},
        instead={"patent_office": ALL_OFFICES if office else None},
        reason="coverage_miss" if elsewhere else None,
    )


ALL_OFFICES = SuggestedAction(action="remove_filter", parameter="patent_office", value="all")


def _about(one: Patent) -> list[str]:
    days = (("filed", one.filed), ("published", one.published), ("granted", one.granted))
    parts = [one.assignee, one.inventor, *(f"{what} {day}" for what, day in days if day), one.status]
    abstract = one.abstract or ""
    short = abstract if len(abstract) <= SHORT else abstract[:SHORT].rstrip() + "…"
    return [line for line in (" · ".join(part for part in parts if part), one.url, short) if line]
