"""Search patents."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field, model_validator

from assay.context import Context
from assay.errors import ConfigError, InvalidInput, NotFound, ToolError
from assay.models.common import (
    TRUST,
    Cleared,
    DetailLevel,
    Output,
    SessionId,
    Source,
    SuggestedAction,
    Trust,
    ZeroResultHints,
)
from assay.models.patents import Patent, PatentQuery
from assay.provider_base.parsing.patent_numbers import Number, parse_number
from assay.records.patent_results import LANDSCAPE, Cluster, count_by_owner, filter_patents, search_url
from assay.toolkit.tool import tool

if TYPE_CHECKING:  # imported by the call, to keep cold starts short
    from assay.records.patent_discovery import FetchPage
    from assay.search.fallback import SearchResult

PAGES, DISCOVERY = "google_patents", "web_discovery"
ABSTRACT_CHARS = 200  # in the markdown list


class PatentSearchInput(PatentQuery):
    num_results: Annotated[int, Field(ge=1, le=10, description="Maximum number of results to return.")] = 5
    search_type: Annotated[
        Literal["prior_art", "specific", "landscape"],
        Field(description="prior_art finds similar patents; specific looks up a number; landscape counts owners."),
    ] = "prior_art"
    provider: Annotated[
        Cleared[str],
        Field(description="One provider to use, such as epo, lens, uspto or searchapi; otherwise in configured order."),
    ] = None
    detail: DetailLevel = "full"
    session_id: SessionId = None

    @model_validator(mode="after")
    def _something(self) -> "PatentSearchInput":
        if not (self.query or self.assignee or self.inventor):
            raise ValueError("give query, assignee or inventor")
        return self


class PatentSearchOutput(Output):
    patents: list[Patent]
    query: str
    search_type: Annotated[str, Field(description="As sent, or the default.")]
    result_count: Annotated[int, Field(description="Number of results in this answer.")]
    source: Annotated[str, Field(description="Provider that answered.")]
    search_url: Annotated[str, Field(description="The same search at Google Patents.")]
    assignee_clusters: Annotated[
        list[Cluster] | None, Field(description="Owners by number of patents; landscape only.")
    ] = None
    hints: Annotated[
        ZeroResultHints | None, Field(description="Present if nothing was found: likely reasons and what to try next.")
    ] = None
    warnings: list[str] | None = None
    trust: Trust = TRUST

    def markdown(self) -> str:
        from assay.search.zero_result_hints import format_listing

        lines = [f"{self.result_count} patents of {self.source} for: {self.query or 'the given names'}"]
        for number, one in enumerate(self.patents, 1):
            lines += [f"{number}. {one.number}: {one.title}", *(f"   {line}" for line in _about(one))]
        lines += [f"Holder: {cluster.assignee} ({cluster.count})" for cluster in self.assignee_clusters or ()]
        return format_listing(lines, self, f"More: {self.search_url}")

    def sources(self) -> list[Source]:
        return [
            Source(url=one.url, title=one.title, relevance="patent", author=one.inventor, date=one.granted or one.filed)
            for one in self.patents
        ]

    def is_empty(self) -> bool:
        return not self.patents


class PatentSearchPartialOutput(PatentSearchOutput):
    """An answer that lacks providers which failed. It is not cached."""

    def is_empty(self) -> bool:
        return True


@tool(cache=timedelta(hours=24), toolsets=("research", "records"))
async def patent_search(ask: PatentSearchInput, ctx: Context) -> PatentSearchOutput:
    """Search patents by words, number, assignee, inventor, CPC class and year of filing. Names match in part:
    check the owners. Evidence, not legal advice. Untrusted data."""
    limit = LANDSCAPE if ask.search_type == "landscape" else ask.num_results
    given = ask.model_dump(include=set(PatentQuery.model_fields), exclude_none=True)
    run = PatentSearch(ask, PatentQuery.model_validate(given | {"num_results": limit}), ctx)
    found = await run.search()
    shown = found.hits[: ask.num_results]
    return (PatentSearchPartialOutput if run.failures else PatentSearchOutput)(
        patents=shown,
        query=ask.query or "",
        search_type=ask.search_type,
        result_count=len(shown),
        source=found.provider,
        search_url=search_url(ask),
        assignee_clusters=count_by_owner(found.hits[:limit]) if ask.search_type == "landscape" else None,
        hints=None if shown else await _hints(ask, found, ctx),
        warnings=[*run.failures, *found.warnings] or None,
    )


@dataclass
class PatentSearch:
    """One search: of the named provider, or of the patent's own page, the registers and the web until one has results.

    `failures` are warnings about providers that failed.
    """

    ask: PatentSearchInput
    question: PatentQuery
    ctx: Context
    failures: list[str] = field(default_factory=list)

    async def search(self) -> "SearchResult[Patent]":
        if provider := self.ask.provider:
            return await (self._search_provider if _is_register(provider) else self._search_web)(provider)
        number, registers = parse_number(self.ask.query or ""), _registers(self.ctx)
        page = await self._page(number) if number and (self.ask.search_type == "specific" or not registers) else None
        return page or await self._search_registers_first(registers)

    async def _search_registers_first(self, registers: bool) -> "SearchResult[Patent]":
        """Search the registers; the web if they have nothing or fail."""
        empty: SearchResult[Patent] | None = None
        failure: ToolError | None = None
        try:
            empty = await self._search_provider() if registers else None
        except (ConfigError, InvalidInput):
            raise
        except ToolError as refused:
            failure = refused
            self._record_failure(refused, "A register of patents")
        return empty if empty and empty.hits else await self._search_web_last(empty, failure)

    async def _search_web_last(
        self, empty: "SearchResult[Patent] | None", failure: ToolError | None
    ) -> "SearchResult[Patent]":
        """Search the web last. Raises the first failure if no provider answered: an outage is not an empty result."""
        engine = None
        try:
            if empty is not None:
                engine = next(iter(self.ctx.search.second_opinions("web")), None)
                if engine is None:
                    return empty
            found = await self._search_web(engine, single_pass=engine is not None)
        except ToolError as refused:
            if empty is None:
                raise failure or refused from None
            self._record_failure(refused, "The web", named=False)
            return empty
        if failure and not found.hits:
            raise failure
        if empty is None:
            return found
        warnings = [*empty.warnings, *found.warnings]
        if found.hits:
            return replace(found, warnings=warnings)
        return replace(empty, attempted=[*empty.attempted, *found.attempted], warnings=warnings)

    async def _search_provider(self, provider: str | None = None) -> "SearchResult[Patent]":
        found = await self.ctx.search.run_operation("patents", self.question, provider=provider)
        self.ctx.meta |= found.meta()
        return replace(found, hits=filter_patents(found.hits, self.question))

    async def _page(self, number: Number) -> "SearchResult[Patent] | None":
        """Read the patent's own page. None if there is none, or if it cannot be read, with a warning."""
        from assay.search.fallback import SearchResult

        try:
            return SearchResult([await _pages(self.ctx)(number)], PAGES, [PAGES])
        except NotFound:
            return None
        except ToolError as refused:
            self._record_failure(refused, PAGES)
            return None

    async def _search_web(self, provider: str | None = None, *, single_pass: bool = False) -> "SearchResult[Patent]":
        """Find patents' pages with a search engine."""
        from assay.records import patent_discovery
        from assay.search.fallback import SearchResult

        limit = self.question.num_results
        question = patent_discovery.build_web_query(self.question, limit)
        known = await self.ctx.search.web(question, provider=provider, single_pass=single_pass)
        patents, unread = await patent_discovery.read_patents(
            known.hits, _pages(self.ctx), self.question, self.ctx.time_left() - 1
        )
        self.failures += unread
        shown = filter_patents(patents, self.question)[:limit]
        return SearchResult(shown, self.ask.provider or DISCOVERY, known.attempted, warnings=known.warnings)

    def _record_failure(self, refused: ToolError, who: str, *, named: bool = True) -> None:
        name = (refused.provider if named else None) or who
        self.failures.append(f"{name} failed ({refused.kind}).")


def _pages(ctx: Context) -> "FetchPage":
    from assay.providers.google_patents import GooglePatents

    source = ctx.search.source(PAGES)
    assert isinstance(source, GooglePatents)

    async def page(number: Number) -> Patent:
        return await source.readable(source.page(number))

    return page


def _registers(ctx: Context) -> bool:
    """Whether a register is available: one with a key, or one that the operator configured."""
    settings = ctx.services.settings
    return bool(ctx.search.alternatives("patents") or settings.search_routing.get("patents"))


def _is_register(name: str) -> bool:
    """Whether the provider is a register of patents. Raises ConfigError if it is not a search engine either."""
    from assay.provider_base import provider_lookup
    from assay.search.provider_order import KEYLESS, PREFERRED
    from assay.text.plain_text import to_plain_text

    registers, engines = PREFERRED["patents"], (*PREFERRED["web"], KEYLESS["web"])
    if (word := name.strip().lower()) in registers:
        return True
    if word in engines:
        return False
    able: Sequence[str] = list(dict.fromkeys((*registers, *engines)))
    known = "does not support patents" if word in provider_lookup.list_provider_names() else "is not a provider"
    raise ConfigError(
        f"{to_plain_text(name, 40)!r} {known}; use one of {', '.join(able)}.", field="provider", alternatives=able
    )


async def _hints(ask: PatentSearchInput, found: "SearchResult[Patent]", ctx: Context) -> ZeroResultHints:
    """Hints for an empty answer; a register of one office has no patents of another."""
    from assay.search.zero_result_hints import find_hints

    office = None if ask.patent_office == "all" else ask.patent_office
    elsewhere = office not in (None, "US") and set(found.attempted) == {"uspto"}
    return await find_hints(
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
    short = abstract if len(abstract) <= ABSTRACT_CHARS else abstract[:ABSTRACT_CHARS].rstrip() + "…"
    return [line for line in (" · ".join(part for part in parts if part), one.url, short) if line]
