"""FRED: economic data of the Federal Reserve Bank of St. Louis.

Documentation: https://fred.stlouisfed.org/docs/api/fred/
Authentication: FRED_API_KEY as query parameter.
Limits: 25 series and 100 observations a request here.
"""

import re
from collections.abc import Mapping
from datetime import date
from typing import Any, ClassVar

from assay.errors import KeyRejected, Refused, ToolError
from assay.models.public_records import Observation, ObservationQuery, Series, SeriesQuery
from assay.net.provider_client import ProviderResponse
from assay.provider_base.parsing.decimal_text import to_decimal_text
from assay.provider_base.parsing.periods import find_first_day, find_last_day
from assay.provider_base.provider import Provider
from assay.provider_base.results import Hits, as_count, get_path, get_rows
from assay.text.plain_text import to_plain_text

OVERFETCH = 5  # times num_results are requested, then ranked by words shared with the title
NOTES = 300  # characters
WORD = re.compile(r"\w{3,}")
UNKNOWN = re.compile(r"series does not exist", re.IGNORECASE)


class Fred(Provider):
    name = "fred"
    address = "https://api.stlouisfed.org"
    key_name = "FRED_API_KEY"
    max_results: ClassVar = {"series": 25, "observations": 100}
    supported_filters: ClassVar = {
        "series": frozenset({"num_results"}),
        "observations": frozenset({"series_id", "date_from", "date_to", "frequency", "units", "num_results"}),
    }

    def refusal(self, response: ProviderResponse) -> ToolError | None:
        """Errors have status 400, invalid keys as well as invalid queries; the message tells them apart."""
        message = get_path(response.body, "error_message")
        if response.status != 400 or not isinstance(message, str):
            return super().refusal(response)
        if "api_key" in message:
            return KeyRejected("fred rejected the key.", provider=self.name)
        reason = to_plain_text(message.replace(self.key, "…"), 200).removeprefix("Bad Request.").strip()
        return NoSeries(reason) if UNKNOWN.search(message) else Refused(f"fred: {reason}", provider=self.name)

    async def series(self, query: SeriesQuery) -> Hits[Series]:
        """Matching series, those whose titles share the most words with the query first."""
        answer = await self._get_json(
            "/fred/series/search",
            search_text=query.query,
            limit=OVERFETCH * query.num_results,
            order_by="popularity",
            sort_order="desc",
        )
        found = [_parse_series(row) for row in get_rows({"found": answer["seriess"]}, "found")]
        words = set(WORD.findall(query.query.casefold()))
        found.sort(key=lambda one: -len(words & set(WORD.findall(one.title.casefold()))))
        return Hits(found[: query.num_results], more=len(found) > query.num_results)

    async def observations(self, query: ObservationQuery) -> Hits[Observation]:
        """The newest observations, latest first; with `date_from`, the earliest from that date, oldest first."""
        try:
            answer = await self._get_json(
                "/fred/series/observations",
                series_id=query.series_id,
                limit=query.num_results,
                observation_start=_format_day(find_first_day(query.date_from)) if query.date_from else None,
                observation_end=_format_day(find_last_day(query.date_to)) if query.date_to else None,
                frequency=query.frequency,
                units=query.units,
                sort_order="asc" if query.date_from else "desc",
            )
        except NoSeries:
            return Hits(warnings=[f"fred has no series {query.series_id!r}; search with query for the id of one."])
        listed = get_rows({"found": answer["observations"]}, "found")
        return Hits([_parse_observation(row, query.series_id) for row in listed[: query.num_results]])

    async def _get_json(self, path: str, **params: Any) -> Any:
        return await self.get(path, **params, api_key=self.key, file_type="json")


class NoSeries(Refused):
    """FRED has no series with this id."""


def _format_day(day: date) -> str:
    return day.isoformat()


def _parse_series(row: Mapping[str, Any]) -> Series:
    if not isinstance(row["id"], str) or not isinstance(row["title"], str):
        raise TypeError("a series lacks its id or title")
    return Series(
        series_id=to_plain_text(row["id"], 100),
        title=to_plain_text(row["title"], 300),
        units=to_plain_text(row.get("units"), 100) or None,
        frequency=to_plain_text(row.get("frequency"), 100) or None,
        last_updated=to_plain_text(row.get("last_updated"), 40) or None,
        notes=to_plain_text(row.get("notes"), NOTES) or None,
        popularity=as_count(row.get("popularity")),
    )


def _parse_observation(row: Mapping[str, Any], series_id: str) -> Observation:
    value = to_decimal_text(row["value"])
    if not isinstance(row["date"], str):
        raise TypeError("an observation lacks its date")
    return Observation(
        series_id=series_id, date=to_plain_text(row["date"], 20), available=value is not None, value=value
    )
