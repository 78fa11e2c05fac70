"""Statistical series: selection of the provider, and search by keyword in its API or its catalogue."""

import re
from collections.abc import Sequence
from typing import Any, Protocol

from assay.errors import InvalidInput
from assay.models.common import Input
from assay.models.public_records import CatalogueQuery, ObservationQuery, Series, SeriesQuery
from assay.provider_base.provider_manifest import describe_provider
from assay.records.series_catalogue import CatalogueMatches, CatalogueStore

MAX_SERIES = 25
ID_PATTERNS = {  # of ids that only one provider uses
    "oecd": re.compile(r"[A-Za-z][\w.-]*,\s*[A-Za-z][\w@$-]*(,.*)?", re.ASCII),
    "worldbank": re.compile(r"[A-Za-z0-9]+(\.[A-Za-z0-9_]+)+", re.ASCII),
    "eurostat": re.compile(r"[a-z][a-z0-9]*(_[a-z0-9$]+)+|t[a-z]{2,4}\d{5}", re.ASCII),
}


class ProviderAnswer(Protocol):
    """The hits of a provider, and its warnings."""

    @property
    def hits(self) -> list[Any]: ...

    @property
    def warnings(self) -> list[str]: ...


class OperationRunner(Protocol):
    """Runs an operation with a provider; `Router` implements it."""

    async def run_operation(self, operation: str, query: Input, *, provider: str | None = None) -> ProviderAnswer: ...


def choose_provider(names: Sequence[str], series_id: str | None) -> str:
    """The provider whose ids match `series_id`, else the first of `names`."""
    matching = [name for name in names if name in ID_PATTERNS and series_id and ID_PATTERNS[name].fullmatch(series_id)]
    return (matching or list(names))[0]


def check_limit(name: str, mode: str, requested: int) -> None:
    """Raise InvalidInput if more results are requested than the provider returns."""
    limit = MAX_SERIES if mode == "series" else describe_provider(name).max_results["observations"]
    if requested > limit:
        raise InvalidInput(f"{name} returns at most {limit} {mode} at a time.", field="num_results")


async def search_series(
    runner: OperationRunner, catalogues: CatalogueStore, name: str, query: str, limit: int
) -> CatalogueMatches:
    """Series by keyword: with the provider's own search, else in its catalogue. Raises as the router does."""
    if describe_provider(name).supports("series"):
        found = await runner.run_operation("series", SeriesQuery(query=query, num_results=limit), provider=name)
        return CatalogueMatches(found.hits, found.warnings)

    async def fetch() -> list[Series]:
        return (await runner.run_operation("catalogue", CatalogueQuery(), provider=name)).hits

    return await catalogues.search(name, query, limit, fetch)


def build_observation_query(values: dict[str, Any]) -> ObservationQuery:
    """The query for observations, from the values that are set."""
    return ObservationQuery.model_validate({name: value for name, value in values.items() if value is not None})
