"""Search for places."""

from datetime import timedelta
from typing import Annotated

from pydantic import Field

from assay.context import Context
from assay.models.common import TRUST, Output, ProviderName, SessionId, Source, Trust, ZeroResultHints
from assay.models.search_queries import Place, PlaceQuery
from assay.search.zero_result_hints import find_hints, format_listing
from assay.toolkit.tool import tool

NO_LOCATION = "No location was given: name a city in `near`, or send `latitude` and `longitude`."


class LocalSearchInput(PlaceQuery):
    provider: ProviderName = None
    session_id: SessionId = None


class LocalSearchOutput(Output):
    places: list[Place]
    query: str
    result_count: Annotated[int, Field(description="Number of results in this answer.")]
    provider: Annotated[str, Field(description="Name of the provider that answered.")]
    hints: Annotated[
        ZeroResultHints | None, Field(description="Present if nothing was found: likely reasons and what to try next.")
    ] = None
    warnings: list[str] | None = None
    trust: Trust = TRUST

    def markdown(self) -> str:
        lines = [f"{self.result_count} places for: {self.query} (from {self.provider})"]
        for number, place in enumerate(self.places, 1):
            lines += [f"{number}. {place.name}{_format_rating(place)}", *(f"   {detail}" for detail in _details(place))]
        return format_listing(lines, self)

    def sources(self) -> list[Source]:
        return [
            Source(url=place.website, title=place.name, relevance="local") for place in self.places if place.website
        ]

    def is_empty(self) -> bool:
        return not self.places


@tool(operation="local", cache=timedelta(hours=6))
async def local_search(ask: LocalSearchInput, ctx: Context) -> LocalSearchOutput:
    """Find places (shops, restaurants, services): address, phone, hours, rating; nearest first with coordinates."""
    found = await ctx.search.local(ask, provider=ask.provider)
    anchored = bool(ask.anchor or ask.near or ask.country)
    warnings = [*found.warnings, *([] if found.hits or anchored else [NO_LOCATION])]
    return LocalSearchOutput(
        places=found.hits,
        query=ask.query,
        result_count=len(found.hits),
        provider=found.provider,
        hints=None
        if found.hits
        else await find_hints(
            ctx.search,
            "local",
            found,
            {"radius": ask.radius if ask.anchor else None, "country": ask.country},
            reason=None if anchored else "missing_location_anchor",
        ),
        warnings=warnings or None,
    )


def _format_rating(place: Place) -> str:
    if place.rating is None:
        return ""
    return f" ({place.rating:g}{f' of {place.rating_count} ratings' if place.rating_count else ''})"


def _details(place: Place) -> list[str]:
    at = f"{place.lat:.5f}, {place.lon:.5f}" if place.lat is not None and place.lon is not None else ""
    details = (place.address, at, place.phone, place.website, "; ".join((place.hours or [])[:1]), place.description)
    return [detail for detail in details if detail]
