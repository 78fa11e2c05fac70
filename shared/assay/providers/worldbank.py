"""World Bank Open Data: statistical indicators by country.

Documentation: https://datahelpdesk.worldbank.org/knowledgebase/articles/889392
Authentication: none.
Limits: 2,000 indicators a page here. Errors have status 200.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, ClassVar

from assay.errors import InvalidInput, Refused, ToolError, UpstreamFailed
from assay.models.common import Input
from assay.models.public_records import CatalogueQuery, Observation, ObservationQuery, Series
from assay.net.provider_client import ProviderResponse
from assay.provider_base.parsing.decimal_text import to_decimal_text
from assay.provider_base.parsing.periods import select_period
from assay.provider_base.provider import Provider
from assay.provider_base.results import Hits, as_count, get_path, get_rows
from assay.state.concurrent_map import map_concurrently
from assay.text.plain_text import to_plain_text

WDI = 2  # the source of the World Development Indicators
PAGE, PAGES = 2_000, 20  # of indicators
ROWS = 1_000  # of one series: eighty years of months
NOTES = 300  # characters
CATALOGUE_CAP = 16 * 1024 * 1024
ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*", re.ASCII)
MISTAKEN = {"120", "175"}  # invalid value; deleted indicator
OUTAGES = {"105", "111", "199", "200"}
WORLD = "WLD"


class WorldBank(Provider):
    name = "worldbank"
    address = "https://api.worldbank.org"
    max_results: ClassVar = {"observations": 100}
    supported_filters: ClassVar = {
        "catalogue": frozenset(),
        "observations": frozenset({"series_id", "country", "date_from", "date_to", "num_results"}),
    }

    def validate(self, operation: str, query: Input) -> None:
        if operation == "observations" and isinstance(query, ObservationQuery):
            if not ID.fullmatch(query.series_id):
                raise InvalidInput("A worldbank series_id is an indicator such as NY.GDP.MKTP.CD.", field="series_id")
            if (query.country or "").lower() == "all":
                raise InvalidInput("Name one country or region, such as DEU or WLD.", field="country")

    def refusal(self, response: ProviderResponse) -> ToolError | None:
        """Errors have status 200; the body is a list with a message."""
        message = get_path(response.body, 0, "message", 0)
        if message is None:
            return super().refusal(response)
        number, reason = str(get_path(message, "id")), to_plain_text(get_path(message, "value"), 200)
        if number in MISTAKEN:
            return UnknownSeries(reason or "a value is not valid", provider=self.name)
        kind = UpstreamFailed if number in OUTAGES else Refused
        return kind(f"worldbank: {reason or 'the query was rejected'}", provider=self.name)

    async def catalogue(self, query: CatalogueQuery) -> Hits[Series]:  # noqa: ARG002  # the whole catalogue is fetched
        """Every World Development Indicator."""
        first, pages = await self._fetch_page(1)
        others = await map_concurrently(self._fetch_page, range(2, min(pages, PAGES) + 1))
        listed = [*first, *(row for page, _ in others for row in page)]
        return Hits([one for row in listed if (one := _parse_series(row))])

    async def _fetch_page(self, number: int) -> tuple[list[Mapping[str, Any]], int]:
        params = {"format": "json", "source": WDI, "per_page": PAGE, "page": number if number > 1 else None}
        response = await self.exchange(
            "GET", "/v2/indicator", params=params, seconds=2 * self.seconds, cap=CATALOGUE_CAP, expect="exact"
        )
        header, listed = _split_answer(response.body)
        return listed, as_count(header.get("pages")) or 1

    async def observations(self, query: ObservationQuery) -> Hits[Observation]:
        """The newest observations, latest first; with `date_from`, the earliest from that date. Default: the world."""
        self.validate("observations", query)
        country = (query.country or WORLD).upper()
        params = {
            "format": "json",
            "per_page": ROWS if self._format_years(query) else query.num_results,
            "date": self._format_years(query),
        }
        try:
            response = await self.exchange(
                "GET", f"/v2/country/{country}/indicator/{query.series_id}", params=params, expect="exact"
            )
        except UnknownSeries:
            warning = f"worldbank has no series {query.series_id!r} for {country}; search with query for the id of one."
            return Hits(warnings=[warning])
        _, listed = _split_answer(response.body)
        found = [_parse_observation(row, query.series_id) for row in listed]
        return Hits(
            select_period(
                found, lambda one: one.date, since=query.date_from, until=query.date_to, most=query.num_results
            )
        )

    def _format_years(self, query: ObservationQuery) -> str | None:
        """`2010:2020`; whole years, since most series are annual."""
        if not query.date_from and not query.date_to:
            return None
        this_year = datetime.fromtimestamp(self.clock(), UTC).year
        return f"{(query.date_from or '1900')[:4]}:{(query.date_to or str(this_year))[:4]}"


class UnknownSeries(Refused):
    """The World Bank has no such series or country."""


def _split_answer(answer: Any) -> tuple[Mapping[str, Any], list[Mapping[str, Any]]]:
    """The header and the rows; the API returns null instead of an empty list."""
    header = get_path(answer, 0)
    if not isinstance(header, Mapping) or "total" not in header:
        raise TypeError("the answer has no header")
    return header, get_rows({"found": get_path(answer, 1)}, "found")


def _parse_series(row: Mapping[str, Any]) -> Series | None:
    name, title = to_plain_text(row.get("id"), 100), to_plain_text(row.get("name"), 300)
    if not name or not title:
        return None
    units, notes = to_plain_text(row.get("unit"), 100), to_plain_text(row.get("sourceNote"), NOTES)
    return Series(series_id=name, title=title, units=units or None, notes=notes or None)


def _parse_observation(row: Mapping[str, Any], series_id: str) -> Observation:
    value = to_decimal_text(row.get("value"))
    if not isinstance(row["date"], str):
        raise TypeError("an observation lacks its date")
    status = to_plain_text(row.get("obs_status"), 100)
    return Observation(
        series_id=series_id,
        date=to_plain_text(row["date"], 20),
        available=value is not None,
        value=value,
        notes=status or None,
    )
