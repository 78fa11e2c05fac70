"""Eurostat: official European statistics.

Documentation:
https://ec.europa.eu/eurostat/web/user-guides/data-browser/api-data-access/api-detailed-guidelines/api-statistics
Authentication: none.
Limits: large extractions are refused (413) or answered asynchronously; answers over 8 MiB are not read.
"""

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from assay.errors import InvalidInput, NotFound, Refused, ToolError
from assay.models.common import Input
from assay.models.public_records import CatalogueQuery, Observation, ObservationQuery, Series
from assay.net.error_bodies import page_instead
from assay.net.provider_body import AnswerTooLarge
from assay.net.provider_client import ProviderResponse
from assay.provider_base.parsing.countries import two_letters
from assay.provider_base.parsing.periods import Rhythm, first_day, format_period, last_day, span, within
from assay.provider_base.provider import Provider
from assay.provider_base.results import Hits, get_path
from assay.providers.eurostat.jsonstat import JsonStatCube
from assay.text.plain_text import plain

CAP, CATALOGUE_CAP = 8 * 1024 * 1024, 32 * 1024 * 1024
CODE = re.compile(r"[A-Za-z0-9_$-]{2,80}", re.ASCII)
DAY = re.compile(r"(\d{2})\.(\d{2})\.(\d{4})", re.ASCII)
OWN = {"GR": "EL", "GB": "UK"}  # where Eurostat's codes are not ISO's
TOO_MUCH = "it is too much at once; name a country or a shorter time"
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

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._rhythms: dict[str, Rhythm] = {}

    def validate(self, operation: str, query: Input) -> None:
        if operation == "observations" and isinstance(query, ObservationQuery) and not CODE.fullmatch(query.series_id):
            raise InvalidInput("eurostat's datasets have codes such as une_rt_m.", field="series_id")

    def refusal(self, got: ProviderResponse) -> ToolError | None:
        """An error or a warning in a list of its own, whatever the status."""
        for kind in ("error", "warning"):
            said = get_path(got.body, kind, 0) or get_path(got.body, kind)
            label = plain(get_path(said, "label"), 200)
            if get_path(said, "status") == 413 or "ASYNCHRONOUS" in label or "TOO_BIG" in label:
                return TooMuch(f"eurostat: {TOO_MUCH}.", provider=self.name)
            if label and got.status == 400:
                return Refused(f"eurostat: {label}", provider=self.name)
        if got.status == 413:
            return TooMuch(f"eurostat: {TOO_MUCH}.", provider=self.name)
        return page_instead(self.name, got) or super().refusal(got)

    async def catalogue(self, ask: CatalogueQuery) -> Hits[Series]:  # noqa: ARG002  # it has all or nothing
        """Every dataset and table of the table of contents, each once."""
        got = await self.exchange(
            "GET", "/catalogue/toc/txt", params={"lang": "EN"}, cap=CATALOGUE_CAP, expect="text",
            seconds=2 * self.seconds,
        )  # fmt: skip
        head, *lines = got.body.removeprefix("\ufeff").splitlines() or [""]
        columns = [name.lower() for name in _fields(head)]
        if not set(columns) >= COLUMNS:
            raise TypeError("a table of contents without its columns")
        listed = (_series(dict(zip(columns, _fields(line), strict=False))) for line in lines)
        return Hits({one.series_id: one for one in listed if one}.values())

    async def observations(self, ask: ObservationQuery) -> Hits[Observation]:
        """The newest, latest first; with `date_from` the first from there on. Every figure of the cube is a series'."""
        self.validate("observations", ask)
        geo = OWN.get(code := two_letters(ask.country), code) if ask.country else None
        try:
            cube = await self._cube(ask, geo)
        except NotFound:
            return Hits(warnings=[f"eurostat has no dataset {ask.series_id!r}; search with query for the code of one."])
        cells = list(cube.cells())
        inside = within(cells, lambda cell: cell.period, since=ask.date_from, until=ask.date_to, most=len(cells))
        kept = inside[: ask.num_results]
        found = Hits([cube.observation(cell, ask.series_id) for cell in kept], more=len(inside) > len(kept))
        if kept and (series := cube.series(cells)) > ask.num_results:
            told = "" if geo else "; name a country for fewer"
            found.warnings.append(f"{series} series stand in this answer of eurostat's, side by side{told}.")
        return found

    async def _cube(self, ask: ObservationQuery, geo: str | None) -> JsonStatCube:
        """The cube in the time that is asked for. Its bounds must be periods of its own rhythm, or it is refused."""
        if not ask.date_from and not ask.date_to:
            newest = await self._fetch_dataset(ask.series_id, geo, lastTimePeriod=ask.num_results)
            # A country that reports no more has nothing in the newest periods of all.
            return newest if any(newest.cells()) else await self._fetch_dataset(ask.series_id, geo)
        rhythm = await self._rhythm(ask.series_id, geo)
        if rhythm is None:
            return await self._fetch_dataset(ask.series_id, geo)
        since = format_period(first_day(ask.date_from), rhythm) if ask.date_from else None
        until = format_period(last_day(ask.date_to), rhythm) if ask.date_to else None
        try:
            return await self._fetch_dataset(ask.series_id, geo, sinceTimePeriod=since, untilTimePeriod=until)
        except TooMuch:
            raise
        except Refused:  # a set of several rhythms
            return await self._fetch_dataset(ask.series_id, geo)

    async def _rhythm(self, code: str, geo: str | None) -> Rhythm | None:
        """How often the set's figures come, as its newest period is written; None where it cannot be told."""
        if code not in self._rhythms:
            newest = await self._fetch_dataset(code, geo, lastTimePeriod=1)
            rhythms = {found.rhythm for period in newest.periods if (found := span(period))}
            if len(rhythms) != 1:
                return None
            self._rhythms[code] = rhythms.pop()
        return self._rhythms[code]

    async def _fetch_dataset(self, code: str, geo: str | None, **bounds: Any) -> JsonStatCube:
        params = {"format": "JSON", "lang": "EN", "geo": geo, **bounds}
        try:
            got = await self.exchange("GET", f"/statistics/1.0/data/{code}", params=params, cap=CAP, expect="exact")
        except AnswerTooLarge as large:
            raise TooMuch(f"eurostat: {TOO_MUCH}.", provider=self.name) from large
        return JsonStatCube(got.body)


class TooMuch(Refused):
    """The question is for more figures than Eurostat gives or we read at once."""


def _fields(line: str) -> list[str]:
    """The fields of a line, which may stand in quotes; titles are indented by their depth."""
    return [field.strip().strip('"').replace('""', '"').strip() for field in line.split("\t")]


def _series(row: Mapping[str, str]) -> Series | None:
    """A line of the table of contents: dates like 24.10.2026, periods as the set writes them."""
    code, title = row.get("code", ""), plain(row.get("title"), 300)
    if row.get("type") not in ("dataset", "table") or not CODE.fullmatch(code) or not title:
        return None
    since, until = plain(row.get("data start"), 20), plain(row.get("data end"), 20)
    begins, day = span(since), DAY.fullmatch(row.get("last update of data", ""))
    return Series(
        series_id=code,
        title=title,
        frequency=begins.rhythm if begins else None,
        last_updated=f"{day[3]}-{day[2]}-{day[1]}" if day else None,
        notes=f"{since} to {until}" if since and until else None,
    )
