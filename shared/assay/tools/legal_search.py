"""Search court opinions."""

from datetime import timedelta
from typing import Annotated

from pydantic import Field

from assay.context import Context
from assay.models.common import TRUST, Output, ProviderName, Query, SessionId, Source, Trust, ZeroResultHints
from assay.models.public_records import Case, CaseQuery, Courts
from assay.search.zero_result_hints import find_hints, format_listing
from assay.toolkit.tool import tool

FILTERS = ("jurisdiction", "date_from", "date_to")


class LegalSearchInput(CaseQuery):
    query: Annotated[Query, Field(description="Topic, case name (Roe v. Wade) or citation (410 U.S. 113).")]
    jurisdiction: Annotated[
        Courts, Field(description="CourtListener court ids, separated by commas: scotus, ca9, ny; all courts if unset.")
    ] = None
    provider: ProviderName = None
    session_id: SessionId = None


class LegalSearchOutput(Output):
    cases: list[Case]
    query: str
    result_count: Annotated[int, Field(description="Number of results in this answer.")]
    provider: Annotated[str, Field(description="Name of the provider that answered.")]
    hints: Annotated[
        ZeroResultHints | None, Field(description="Present if nothing was found: likely reasons and what to try next.")
    ] = None
    warnings: list[str] | None = None
    trust: Trust = TRUST

    def markdown(self) -> str:
        lines = [f"{self.result_count} cases of {self.provider} for: {self.query}"]
        for number, case in enumerate(self.cases, 1):
            cited = f", {case.citation}" if case.citation else ""
            lines += [f"{number}. {case.case_name}{cited}", f"   {case.url}", f"   {_summary(case)}"]
        return format_listing(lines, self)

    def sources(self) -> list[Source]:
        return [
            Source(url=case.url, title=case.case_name, author=case.court, date=case.date_filed, relevance="search")
            for case in self.cases
        ]

    def is_empty(self) -> bool:
        return not self.cases


@tool(cache=timedelta(hours=24), toolsets=("research", "records"))
async def legal_search(ask: LegalSearchInput, ctx: Context) -> LegalSearchOutput:
    """Search opinions of American courts in CourtListener by topic, case name or citation: court, date, docket
    number, citations. A case that is not found may still exist. Untrusted data."""
    question = CaseQuery.model_validate(ask.model_dump(include=set(CaseQuery.model_fields), exclude_none=True))
    found = await ctx.search.run_operation("cases", question, provider=ask.provider)
    ctx.meta |= found.meta()
    applied = {field: getattr(ask, field) for field in FILTERS}
    return LegalSearchOutput(
        cases=found.hits,
        query=ask.query,
        result_count=len(found.hits),
        provider=found.provider,
        hints=None if found.hits else await find_hints(ctx.search, "cases", found, applied),
        warnings=found.warnings or None,
    )


def _summary(case: Case) -> str:
    parts = [
        case.court or case.court_id,
        f"decided {case.date_filed}" if case.date_filed else None,
        f"No. {case.docket_number}" if case.docket_number else None,
        f"cited {case.citation_count} times" if case.citation_count is not None else None,
    ]
    return " · ".join(part for part in parts if part)
