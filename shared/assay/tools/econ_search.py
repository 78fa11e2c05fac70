"""Look up economic statistics."""

from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator, Field, field_validator, model_validator

from assay.context import Context
from assay.models.common import TRUST, Cleared, Input, Output, Query, Trust, ZeroResultHints
from assay.models.public_records import Area, Observation, ObservationQuery, Series, Transform, When
from assay.models.search_queries import validate_order
from assay.toolkit.tool import tool

if TYPE_CHECKING:  # imported by the call, to keep cold starts short
    from assay.search.fallback import SearchResult

NOTES_CHARS = 160  # in the markdown list


def _lower(given: Any) -> Any:
    return given.strip().lower() if isinstance(given, str) else given


class EconSearchInput(Input):
    query: Annotated[Cleared[Query], Field(description="Words in the name of the series to find.")] = None
    series_id: Annotated[
        Cleared[Annotated[str, Field(max_length=200)]],
        Field(description="Series to read: CPIAUCSL, NY.GDP.MKTP.CD, une_rt_m, or agency,dataflow,version."),
    ] = None
    country: Annotated[Area, Field(description="Country code such as USA or DE, for values.")] = None
    date_from: Annotated[When, Field(description="First date of values: YYYY-MM-DD, YYYY-MM or YYYY.")] = None
    date_to: Annotated[When, Field(description="Last date of values, same formats.")] = None
    frequency: Annotated[
        Cleared[Annotated[Literal["d", "w", "m", "q", "a"], BeforeValidator(_lower)]],
        Field(description="FRED only: d daily, w weekly, m monthly, q quarterly, a annual."),
    ] = None
    units: Annotated[
        Transform, Field(description="FRED only: chg change, pch percent change, pc1 percent change from a year ago.")
    ] = None
    num_results: Annotated[
        Cleared[Annotated[int, Field(ge=1, le=200)]],
        Field(description="Maximum number of results; unset: 5 series or 10 values."),
    ] = None
    provider: Annotated[
        Cleared[str], Field(description="fred, worldbank, oecd or eurostat; chosen by series_id if unset.")
    ] = None

    _ordered = field_validator("date_to")(validate_order)

    @model_validator(mode="after")
    def _one_or_the_other(self) -> "EconSearchInput":
        if not self.query and not self.series_id:
            raise ValueError("give query to find series, or series_id for the values of one")
        return self


class EconSearchOutput(Output):
    mode: Annotated[
        Literal["series", "observations"],
        Field(description="series: results are series; observations: results are values."),
    ]
    query: str | None = None
    series_id: Annotated[str | None, Field(description="Series that was read.")] = None
    country: Annotated[str | None, Field(description="Country that was read, World Bank only.")] = None
    results: Annotated[list[Series | Observation], Field(description="Series, or values of one series.")]
    result_count: Annotated[int, Field(description="Number of results in this answer.")]
    provider: Annotated[str, Field(description="Name of the provider that answered.")]
    hints: Annotated[
        ZeroResultHints | None, Field(description="Present if nothing was found: likely reasons and what to try next.")
    ] = None
    warnings: list[str] | None = None
    trust: Trust = TRUST

    def markdown(self) -> str:
        from assay.search.zero_result_hints import format_listing

        asked = self.series_id or self.query
        lines = [f"{self.result_count} {self.mode} of {self.provider} for: {asked}"]
        lines += [_value(one) if isinstance(one, Observation) else _name(one) for one in self.results]
        return format_listing(lines, self)

    def is_empty(self) -> bool:
        return not self.results


@tool(title="Economic statistics search", cache=timedelta(hours=6), toolsets=("research", "records"))
async def econ_search(ask: EconSearchInput, ctx: Context) -> EconSearchOutput:
    """Find series of economic statistics by words (query), or read the values of one exactly as published
    (series_id), from FRED, World Bank, OECD or Eurostat. Values are newest first; oldest first with date_from.
    Untrusted data."""
    from assay.records import economic_series

    name = economic_series.choose_provider(ctx.search.order("observations", ask.provider), ask.series_id)
    return await (_observations if ask.series_id else _series)(ask, name, ctx)


async def _series(ask: EconSearchInput, name: str, ctx: Context) -> EconSearchOutput:
    from assay.records import economic_series
    from assay.search.fallback import SearchResult

    limit = ask.num_results or 5
    economic_series.check_limit(name, "series", limit)
    listed = await economic_series.search_series(ctx.search, ctx.services.catalogues, name, ask.query or "", limit)
    unused = [field for field in FILTERS if getattr(ask, field)]
    if unused:
        listed.warnings.append(f"{', '.join(unused)}: for values alone, not for finding series; ignored.")
    return await _answer(ask, SearchResult(listed.series, name, [name], warnings=listed.warnings), ctx)


async def _observations(ask: EconSearchInput, name: str, ctx: Context) -> EconSearchOutput:
    from assay.records import economic_series
    from assay.search.single_query import warn_unsupported_fields

    question = economic_series.build_observation_query(ask.model_dump(include=set(ObservationQuery.model_fields)))
    economic_series.check_limit(name, "observations", question.num_results)
    found = await ctx.search.run_operation("observations", question, provider=name)
    found.warnings[:0] = warn_unsupported_fields(ctx.search.source(name), question, "observations")
    return await _answer(ask, found, ctx)


FILTERS = ("country", "date_from", "date_to", "frequency", "units")


async def _answer(ask: EconSearchInput, found: "SearchResult[Any]", ctx: Context) -> EconSearchOutput:
    from assay.search.zero_result_hints import find_hints

    ctx.meta |= found.meta()
    applied = {field: getattr(ask, field) for field in FILTERS} if ask.series_id else {}
    return EconSearchOutput(
        mode="observations" if ask.series_id else "series",
        query=ask.query,
        series_id=ask.series_id,
        country=(ask.country or "WLD").upper() if ask.series_id and found.provider == "worldbank" else None,
        results=found.hits,
        result_count=len(found.hits),
        provider=found.provider,
        hints=None if found.hits else await find_hints(ctx.search, "observations", found, applied),
        warnings=found.warnings or None,
    )


def _value(one: Observation) -> str:
    parts = [one.title, one.units, one.notes]
    return f"{one.date}: {one.value if one.available else 'no value'}" + "".join(f" · {part}" for part in parts if part)


def _name(one: Series) -> str:
    notes = one.notes if one.notes is None or len(one.notes) <= NOTES_CHARS else one.notes[:NOTES_CHARS].rstrip() + "…"
    parts = [one.units, one.frequency, f"updated {one.last_updated}" if one.last_updated else None, notes]
    return f"- `{one.series_id}`: {one.title}" + "".join(f" · {part}" for part in parts if part)
