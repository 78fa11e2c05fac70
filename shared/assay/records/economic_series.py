"""Series of statistics: who is asked for which, and how they are found where nobody searches for us."""

import re
from collections.abc import Sequence
from typing import Any, Protocol

from assay.errors import InvalidInput
from assay.models.common import Input
from assay.models.public_records import CatalogueQuery, ObservationQuery, Series, SeriesQuery
from assay.provider_base.provider_manifest import describe_provider
from assay.records.series_catalogue import CatalogueMatches, CatalogueStore

SERIES_MOST = 25
# Ids that can be only one provider's.
SHAPES = {
    "oecd": re.compile(r"[A-Za-z][\w.-]*,\s*[A-Za-z][\w@$-]*(,.*)?", re.ASCII),
    "worldbank": re.compile(r"[A-Za-z0-9]+(\.[A-Za-z0-9_]+)+", re.ASCII),
    "eurostat": re.compile(r"[a-z][a-z0-9]*(_[a-z0-9$]+)+|t[a-z]{2,4}\d{5}", re.ASCII),
}


class Answered(Protocol):
    """What an asked provider had: its hits, and what there is to say of them."""

    @property
    def hits(self) -> list[Any]: ...

    @property
    def warnings(self) -> list[str]: ...


class Asker(Protocol):
    """Who asks providers for us, and leaves those alone that rest."""

    async def any(self, operation: str, ask: Input, *, provider: str | None = None) -> Answered: ...


def choose_provider(names: Sequence[str], series_id: str | None) -> str:
    """Of those that can be asked the one whose ids look like this one, else the first."""
    alike = [name for name in names if name in SHAPES and series_id and SHAPES[name].fullmatch(series_id)]
    return (alike or list(names))[0]


def check(name: str, mode: str, wanted: int) -> None:
    """Raises InvalidInput for more than the provider gives."""
    most = SERIES_MOST if mode == "series" else describe_provider(name).max_results["observations"]
    if wanted > most:
        raise InvalidInput(f"{name} gives 1 to {most} {mode} at a time.", field="num_results")


async def series(asker: Asker, catalogues: CatalogueStore, name: str, query: str, most: int) -> CatalogueMatches:
    """Series by keyword: by the provider's own search, else in its catalogue."""
    if describe_provider(name).supports("series"):
        found = await asker.any("series", SeriesQuery(query=query, num_results=most), provider=name)
        return CatalogueMatches(found.hits, found.warnings)

    async def whole() -> list[Series]:
        return (await asker.any("catalogue", CatalogueQuery(), provider=name)).hits

    return await catalogues.search(name, query, most, whole)


def question(asked: dict[str, Any]) -> ObservationQuery:
    """What is asked of the series, of what was given."""
    return ObservationQuery.model_validate({name: value for name, value in asked.items() if value is not None})
