"""Eurostat: official European statistics.

Documentation:
https://ec.europa.eu/eurostat/web/user-guides/data-browser/api-data-access/api-detailed-guidelines/api-statistics
Authentication: none.
Limits: large extractions are refused (413) or answered asynchronously; answers over 8 MiB are not read.
"""

import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, ClassVar

from assay.errors import InvalidInput, NotFound, Refused, ToolError
from assay.models.common import Input
from assay.models.public_records import CatalogueQuery, Observation, ObservationQuery, Series
from assay.net.error_bodies import detect_web_page
from assay.net.provider_body import ResponseTooLarge
from assay.net.provider_client import ProviderResponse
from assay.provider_base.parsing.countries import to_alpha2
from assay.provider_base.parsing.periods import (
    Rhythm,
    find_first_day,
    find_last_day,
    format_period,
    parse_span,
    select_period,
)
from assay.provider_base.provider import Provider
from assay.provider_base.results import Hits, get_path
from assay.providers.eurostat.jsonstat import JsonStatCube
from assay.text.plain_text import to_plain_text

CAP, CATALOGUE_CAP = 8 * 1024 * 1024, 32 * 1024 * 1024
CODE = re.compile(r"[A-Za-z0-9_$-]{2,80}", re.ASCII)
DAY = re.compile(r"(\d{2})\.(\d{2})\.(\d{4})", re.ASCII)
COUNTRY_CODES = {"GR": "EL", "GB": "UK"}  # Eurostat's codes that differ from ISO 3166
NO_RESULTS = 100  # the error id of an empty result
TOO_MUCH = "the answer would be too large; name a country or a shorter period"
COLUMNS = {"title", "code", "type"}


class Eurostat(Provider):
    name = "eurostat"
    address = "https://ec.europa.eu/eurostat/api/dissemination"
    max_results: ClassVar = {"observations": 200}
    seconds = 20.0
    supported_filters: ClassVar = {
        "catalogue": frozenset(),
        "observations": frozenset({"series_id", "country", "date_from", "date_to", "num_results"}),
    }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._rhythms: dict[str, Rhythm] = {}

    def validate(self, operation: str, query: Input) -> None:
        if operation == "observations" and isinstance(query, ObservationQuery) and not CODE.fullmatch(query.series_id):
            raise InvalidInput("A eurostat series_id is a dataset code such as une_rt_m.", field="series_id")

    def refusal(self, response: ProviderResponse) -> ToolError | None:
        """Errors and warnings are in the body, with any status."""
        for kind in ("error", "warning"):
            message = get_path(response.body, kind, 0) or get_path(response.body, kind)
            label = to_plain_text(get_path(message, "label"), 200)
            if get_path(message, "status") == 413 or "ASYNCHRONOUS" in label or "TOO_BIG" in label:
                return TooMuch(f"eurostat: {TOO_MUCH}.", provider=self.name)
            if response.status == 400 and get_path(message, "id") == NO_RESULTS:
                return NoData("eurostat has no values for this.", provider=self.name)
            if label and response.status == 400:
                return Refused(f"eurostat: {label}", provider=self.name)
        if response.status == 413:
            return TooMuch(f"eurostat: {TOO_MUCH}.", provider=self.name)
        return detect_web_page(self.name, response) or super().refusal(response)

    async def catalogue(self, query: CatalogueQuery) -> Hits[Series]:  # noqa: ARG002  # the whole catalogue is fetched
        """Every dataset and table of the table of contents, without duplicates."""
        response = await self.exchange(
            "GET", "/catalogue/toc/txt", params={"lang": "EN"}, cap=CATALOGUE_CAP, expect="text",
            seconds=2 * self.seconds,
        )  # fmt: skip
        head, *lines = response.body.removeprefix("\ufeff").splitlines() or [""]
        columns = [name.lower() for name in _split_fields(head)]
        if not set(columns) >= COLUMNS:
            raise TypeError("the table of contents lacks a required column")
        listed = (_parse_series(dict(zip(columns, _split_fields(line), strict=False))) for line in lines)
        return Hits({one.series_id: one for one in listed if one}.values())

    async def observations(self, query: ObservationQuery) -> Hits[Observation]:
        """The newest observations, latest first; with `date_from`, the earliest from that date, oldest first."""
        self.validate("observations", query)
        geo = COUNTRY_CODES.get(code := to_alpha2(query.country), code) if query.country else None
        try:
            cube = await self._fetch_cube(query, geo)
        except NoData:
            return Hits()
        except NotFound:
            return Hits(
                warnings=[f"eurostat has no dataset {query.series_id!r}; search with query for the code of one."]
            )
        cells = list(cube.cells())
        inside = select_period(
            cells, lambda cell: cell.period, since=query.date_from, until=query.date_to, most=len(cells)
        )
        selected = inside[: query.num_results]
        found = Hits([cube.observation(cell, query.series_id) for cell in selected], more=len(inside) > len(selected))
        if selected and (series := cube.series(cells)) > query.num_results:
            advice = "" if geo else "; name a country for fewer"
            found.warnings.append(f"The answer of eurostat contains {series} different series{advice}.")
        return found

    async def _fetch_cube(self, query: ObservationQuery, geo: str | None) -> JsonStatCube:
        """The dataset in the requested period. The API requires bounds in the dataset's own frequency."""
        if not query.date_from and not query.date_to:
            with suppress(NoData):
                newest = await self._fetch_dataset(query.series_id, geo, lastTimePeriod=query.num_results)
                if any(newest.cells()):
                    return newest
            # A country that no longer reports has no values in the newest periods.
            return await self._fetch_dataset(query.series_id, geo)
        rhythm = await self._detect_frequency(query.series_id, geo)
        if rhythm is None:
            return await self._fetch_dataset(query.series_id, geo)
        since = format_period(find_first_day(query.date_from), rhythm) if query.date_from else None
        until = format_period(find_last_day(query.date_to), rhythm) if query.date_to else None
        try:
            return await self._fetch_dataset(query.series_id, geo, sinceTimePeriod=since, untilTimePeriod=until)
        except TooMuch:
            raise
        except Refused:  # the dataset has several frequencies
            return await self._fetch_dataset(query.series_id, geo)

    async def _detect_frequency(self, code: str, geo: str | None) -> Rhythm | None:
        """The frequency of the dataset, from the notation of its newest period; None if unclear."""
        if code not in self._rhythms:
            try:
                newest = await self._fetch_dataset(code, geo, lastTimePeriod=1)
            except NoData:
                return None
            rhythms = {found.rhythm for period in newest.periods if (found := parse_span(period))}
            if len(rhythms) != 1:
                return None
            self._rhythms[code] = rhythms.pop()
        return self._rhythms[code]

    async def _fetch_dataset(self, code: str, geo: str | None, **bounds: Any) -> JsonStatCube:
        params = {"format": "JSON", "lang": "EN", "geo": geo, **bounds}
        try:
            response = await self.exchange(
                "GET", f"/statistics/1.0/data/{code}", params=params, cap=CAP, expect="exact"
            )
        except ResponseTooLarge as large:
            raise TooMuch(f"eurostat: {TOO_MUCH}.", provider=self.name) from large
        return JsonStatCube(response.body)


class NoData(NotFound):
    """The dataset has no values for the query; Eurostat reports this as an error with status 400."""


class TooMuch(Refused):
    """The answer would exceed Eurostat's limit or ours."""


def _split_fields(line: str) -> list[str]:
    """The fields of a line, without quotes. Titles are indented by their depth."""
    return [field.strip().strip('"').replace('""', '"').strip() for field in line.split("\t")]


def _parse_series(row: Mapping[str, str]) -> Series | None:
    """The series of a line of the table of contents, where dates are written 24.10.2026."""
    code, title = row.get("code", ""), to_plain_text(row.get("title"), 300)
    if row.get("type") not in ("dataset", "table") or not CODE.fullmatch(code) or not title:
        return None
    since, until = to_plain_text(row.get("data start"), 20), to_plain_text(row.get("data end"), 20)
    begins, day = parse_span(since), DAY.fullmatch(row.get("last update of data", ""))
    return Series(
        series_id=code,
        title=title,
        frequency=begins.rhythm if begins else None,
        last_updated=f"{day[3]}-{day[2]}-{day[1]}" if day else None,
        notes=f"{since} to {until}" if since and until else None,
    )
