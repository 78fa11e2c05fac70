"""OECD statistics, by the SDMX REST API.

Documentation: https://www.oecd.org/en/data/insights/data-explainers/2024/09/api.html
Authentication: none.
Limits: answers over 8 MiB are not read.
"""

import re
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

from assay.errors import InvalidInput, NotFound, Refused, ToolError
from assay.models.common import Input
from assay.models.public_records import CatalogueQuery, Observation, ObservationQuery, Series
from assay.net.error_bodies import detect_web_page
from assay.net.provider_body import ResponseTooLarge
from assay.net.provider_client import ProviderResponse
from assay.provider_base.parsing.countries import to_alpha3
from assay.provider_base.parsing.periods import select_period
from assay.provider_base.provider import Provider
from assay.provider_base.results import Hits, get_path, get_rows
from assay.providers.oecd.sdmx_json import Point, SdmxMessage
from assay.text.plain_text import to_plain_text

CAP, CATALOGUE_CAP = 8 * 1024 * 1024, 32 * 1024 * 1024
FLOW = re.compile(r"(?P<agency>[A-Za-z][\w.-]*),(?P<flow>[A-Za-z][\w@$-]*)(?:,(?P<version>\d+(?:\.\d+)*)?)?", re.ASCII)
AREAS = ("REF_AREA", "REFERENCE_AREA", "LOCATION", "COUNTRY", "COU", "GEO")  # names of the country dimension
STRUCTURE = {"Accept": "application/vnd.sdmx.structure+json"}
MESSAGE = {"Accept": "application/vnd.sdmx.data+json;version=2.0.0"}
WEEKS_PER_YEAR = 53
STRUCTURE_TTL = 86_400  # seconds


class Flow(NamedTuple):
    """A dataflow: its agency, its id, and its version ("" for the latest)."""

    agency: str
    flow: str
    version: str


class OECD(Provider):
    name = "oecd"
    address = "https://sdmx.oecd.org/public/rest"
    max_results: ClassVar = {"observations": 200}
    seconds = 20.0
    supported_filters: ClassVar = {
        "catalogue": frozenset(),
        "observations": frozenset({"series_id", "country", "date_from", "date_to", "num_results"}),
    }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._orders: dict[Flow, tuple[float, list[str]]] = {}  # with the time of expiry

    def validate(self, operation: str, query: Input) -> None:
        if operation == "observations" and isinstance(query, ObservationQuery):
            _parse_flow_id(query.series_id)

    def refusal(self, response: ProviderResponse) -> ToolError | None:
        """Errors in a query are explained in plain text."""
        if response.status not in (400, 413, 416, 422) or not isinstance(response.body, str):
            return detect_web_page(self.name, response) or super().refusal(response)
        return Refused(f"oecd: {to_plain_text(response.body, 200) or 'the query was rejected'}", provider=self.name)

    async def catalogue(self, query: CatalogueQuery) -> Hits[Series]:  # noqa: ARG002  # the whole catalogue is fetched
        """Every dataflow, as `agency,dataflow,version`."""
        response = await self.exchange(
            "GET", "/dataflow/all/all/latest", params={"detail": "allstubs"}, headers=STRUCTURE, cap=CATALOGUE_CAP,
            seconds=2 * self.seconds,
        )  # fmt: skip
        listed = get_rows({"found": response.body["data"]["dataflows"]}, "found")
        return Hits({one.series_id: one for row in listed if (one := _parse_series(row))}.values())

    async def observations(self, query: ObservationQuery) -> Hits[Observation]:
        """The newest observations of all series, latest first; with `date_from`, the earliest from that date."""
        flow = _parse_flow_id(query.series_id)
        try:
            key = await self._build_key(flow, query.country)
            message, points, selected = await self._fetch_observations(flow, key, query)
        except NotFound:
            where = f" for {query.country}" if query.country else ""
            warning = f"oecd has no data under {query.series_id!r}{where}; search with query for the id of a flow."
            return Hits(warnings=[warning])
        found = Hits(
            [message.observation(point, query.series_id) for point in selected], more=len(points) > len(selected)
        )
        if (series := message.series(points)) > query.num_results:
            advice = "" if query.country else "; name a country for fewer"
            found.warnings.append(f"The answer of oecd contains {series} different series{advice}.")
        return found

    async def _build_key(self, flow: Flow, country: str | None) -> str:
        """The series key: the country at its position in the flow's structure, wildcards elsewhere."""
        if not country:
            return "all"
        order = await self._fetch_dimension_order(flow)
        area = next((name for name in AREAS if name in order), None)
        if area is None:
            raise InvalidInput(f"This flow of oecd has no country dimension, only {', '.join(order)}.", field="country")
        return ".".join(to_alpha3(country) if name == area else "" for name in order)

    async def _fetch_dimension_order(self, flow: Flow) -> list[str]:
        """The flow's dimensions in the order of its keys, without the time dimension."""
        until, order = self._orders.get(flow, (0.0, []))
        if until > self.clock():
            return order
        path = f"/dataflow/{flow.agency}/{flow.flow}/{flow.version or 'latest'}"
        response = await self.exchange("GET", path, params={"references": "datastructure"}, headers=STRUCTURE)
        listed = get_rows({"found": get_path(response.body, *DIMENSIONS)}, "found")
        if not listed:
            raise TypeError("the structure has no dimensions")
        placed = sorted(enumerate(listed), key=lambda one: _parse_position(one[1], one[0]))
        order = [str(dimension["id"]) for _, dimension in placed]
        self._orders[flow] = self.clock() + STRUCTURE_TTL, order
        return order

    async def _fetch_observations(self, flow: Flow, key: str, query: ObservationQuery) -> "SdmxReading":
        """The observations, fetched with a limit per series first, and without one if that was too low."""
        bounds = {
            "startPeriod": query.date_from and query.date_from[:4],
            "endPeriod": query.date_to and query.date_to[:4],
        }
        # Bounds are whole years, since a finer bound could exclude the year of an annual series.
        spare = WEEKS_PER_YEAR if len((query.date_from or query.date_to) or "") > 4 else 0
        counted = "firstNObservations" if query.date_from else "lastNObservations"
        first = await self._fetch_message(flow, key, bounds | {counted: query.num_results + spare}, query)
        cut_short = spare and len(first.selected) < query.num_results <= len(first.points) - spare
        return await self._fetch_message(flow, key, bounds, query) if cut_short else first

    async def _fetch_message(
        self, flow: Flow, key: str, bounds: Mapping[str, Any], query: ObservationQuery
    ) -> "SdmxReading":
        path = f"/data/{flow.agency},{flow.flow},{flow.version}/{key}"
        params = {"dimensionAtObservation": "TIME_PERIOD", **bounds}
        try:
            response = await self.exchange("GET", path, params=params, headers=MESSAGE, cap=CAP, expect="exact")
        except ResponseTooLarge as large:
            message_text = "oecd: the answer would be too large; name a country or a shorter period."
            raise Refused(message_text, provider=self.name) from large
        message = SdmxMessage(response.body)
        points = list(message.points())
        selected = select_period(
            points, _get_period, since=query.date_from, until=query.date_to, most=query.num_results
        )
        return SdmxReading(message, points, selected)


class SdmxReading(NamedTuple):
    """A message with its observations, and those in the requested period."""

    message: SdmxMessage
    points: list[Point]
    selected: list[Point]


DIMENSIONS = ("data", "dataStructures", 0, "dataStructureComponents", "dimensionList", "dimensions")


def _parse_flow_id(series_id: str) -> Flow:
    found = FLOW.fullmatch(series_id.replace(" ", ""))
    if found is None:
        raise InvalidInput(
            "An oecd series_id has the form agency,dataflow,version; search with query for one.", field="series_id"
        )
    return Flow(found["agency"], found["flow"], found["version"] or "")


def _parse_position(dimension: Mapping[str, Any], place: int) -> int:
    position = dimension.get("position")
    return position if isinstance(position, int) else place


def _get_period(point: Point) -> str:
    return point.period


def _parse_series(row: Mapping[str, Any]) -> Series | None:
    parts = [row.get(name) for name in ("agencyID", "id", "version")]
    title = to_plain_text(get_path(row, "names", "en"), 300) or to_plain_text(row.get("name"), 300)
    series_id = ",".join(part for part in parts if isinstance(part, str))
    return Series(series_id=series_id, title=title) if title and FLOW.fullmatch(series_id) else None
