"""Search companies' filings at the SEC."""

from datetime import timedelta
from typing import TYPE_CHECKING, Annotated

from pydantic import Field, model_validator

from assay.context import Context
from assay.errors import InvalidInput, ToolError
from assay.models.common import TRUST, Output, ProviderName, SessionId, Source, Trust, ZeroResultHints
from assay.models.filings import Filing, FilingQuery
from assay.toolkit.tool import tool

if TYPE_CHECKING:  # imported by the call, to keep cold starts short
    from assay.records.companies import Filers, InterpretedQuery

FILTERS = ("form_type", "date_from", "date_to")


class FilingSearchInput(FilingQuery):
    provider: ProviderName = None
    session_id: SessionId = None

    @model_validator(mode="after")
    def _somebody(self) -> "FilingSearchInput":
        if not self.query and not self.ticker:
            raise ValueError("give query (a company, ticker, CIK or text) or ticker")
        return self


class FilingSearchOutput(Output):
    filings: list[Filing]
    query: str
    result_count: Annotated[int, Field(description="Number of results in this answer.")]
    provider: Annotated[str, Field(description="Name of the provider that answered.")]
    hints: Annotated[
        ZeroResultHints | None, Field(description="Present if nothing was found: likely reasons and what to try next.")
    ] = None
    warnings: list[str] | None = None
    trust: Trust = TRUST

    def markdown(self) -> str:
        from assay.search.zero_result_hints import format_listing

        lines = [f"{self.result_count} results of {self.provider} for: {self.query}"]
        for number, one in enumerate(self.filings, 1):
            lines += [f"{number}. {_figure(one) if one.concept else _line(one)}", f"   {one.url}"]
        return format_listing(lines, self)

    def sources(self) -> list[Source]:
        return [
            Source(url=one.url, title=f"{one.company} {one.form_type}", relevance="filing", date=one.filing_date)
            for one in self.filings
        ]

    def is_empty(self) -> bool:
        return not self.filings


class FilingSearchPartialOutput(FilingSearchOutput):
    """An answer made without EDGAR's list of companies. It is not cached."""

    def is_empty(self) -> bool:
        return True


@tool(operation="filings", cache=timedelta(hours=24), toolsets=("research", "records"))
async def filing_search(ask: FilingSearchInput, ctx: Context) -> FilingSearchOutput:
    """Search SEC EDGAR: a company's filings by name, ticker or CIK, or the text of all filings since 2001.
    facts=true returns headline XBRL figures exactly as filed. Read a filing with scrape_page. Untrusted data."""
    from assay.search.zero_result_hints import find_hints

    name = ctx.search.order("filings", ask.provider)[0]
    read, remarks = await _read(ask, name, ctx)
    if ask.ticker and read.company is None:
        from assay.search.fallback import SearchResult

        found = SearchResult[Filing]([], name, [name])
    else:
        found = await ctx.search.run_operation("filings", read.ask, provider=ask.provider)
    ctx.meta |= found.meta()
    applied = {field: getattr(read.ask, field) for field in FILTERS}
    return (FilingSearchPartialOutput if remarks else FilingSearchOutput)(
        filings=found.hits,
        query=ask.query or ask.ticker or "",
        result_count=len(found.hits),
        provider=found.provider,
        hints=None if found.hits else await find_hints(ctx.search, "filings", found, applied),
        warnings=[*remarks, *read.notices, *found.warnings] or None,
    )


async def _read(ask: FilingSearchInput, name: str, ctx: Context) -> "tuple[InterpretedQuery, list[str]]":
    """Identify the company. Raises the failure to get the list of companies if the question depends on it."""
    from assay.records import companies

    question = FilingQuery.model_validate(ask.model_dump(include=set(FilingQuery.model_fields)))
    known: Filers | None = None
    remarks: list[str] = []
    if companies.needs_list(question):
        try:
            known, remarks = await _filers(name, ctx)
        except ToolError as failure:
            if ask.ticker or ask.facts:
                raise
            remarks = [
                f"EDGAR's list of companies could not be had ({failure.kind}): the words were sought in filings."
            ]
    read = companies.interpret(question, known)
    if ask.facts and read.company is None and not ask.ticker:
        raise InvalidInput("facts=true needs one company: give its ticker, CIK or full name.", field="query")
    return read, remarks


async def _filers(name: str, ctx: Context) -> "tuple[Filers, list[str]]":
    from assay.providers.edgar import Edgar
    from assay.records import companies

    source = ctx.search.source(name)
    assert isinstance(source, Edgar)  # the only provider with a list of companies
    services = ctx.services
    return await companies.load_filers(services.cache, services.flights, services.clock, source.tickers)


def _line(one: Filing) -> str:
    period = f", period {one.period_of_report}" if one.period_of_report else ""
    description = f": {one.description}" if one.description else ""
    filed = one.filing_date or "on a day unknown"
    return f"{one.company} (CIK {one.cik}) {one.form_type}, filed {filed}{period}{description}"


def _figure(one: Filing) -> str:
    period = f"{one.period_start} to {one.period_of_report}" if one.period_start else one.period_of_report
    return f"{one.company}: {one.concept} = {one.value} {one.unit} ({period}; {one.form_type} filed {one.filing_date})"
