"""Local search with one provider, sorted by distance if the query has coordinates."""

import math

from assay.models.search_queries import Place, PlaceQuery
from assay.provider_base.provider import Provider
from assay.provider_base.results import Hits
from assay.search.single_query import run_query

EARTH_RADIUS = 6_371_000.0  # mean, in metres


async def search_places(source: Provider, query: PlaceQuery) -> Hits[Place]:
    """The places of `source` inside the radius, nearest first, at most `num_results`."""
    hits = await run_query(source, "local", query)
    found, warnings = list({hit.id: hit for hit in hits}.values()), hits.warnings
    if query.anchor:
        found, outside = _sort_by_distance(found, query.anchor, query.radius)
        if outside:
            warnings.append(f"{outside} place(s) outside the radius, or without coordinates, were left out.")
    elif query.radius:
        warnings.append("radius needs latitude and longitude; it was ignored.")
    return Hits(found[: query.num_results], warnings=warnings)


def measure_distance(start: tuple[float, float], end: tuple[float, float]) -> float:
    """The great-circle distance in metres of two (latitude, longitude) points in degrees, by the haversine formula."""
    (lat1, lon1), (lat2, lon2) = (tuple(map(math.radians, point)) for point in (start, end))
    haversine = math.sin((lat2 - lat1) / 2) ** 2
    haversine += math.cos(lat1) * math.cos(lat2) * math.sin((lon2 - lon1) / 2) ** 2
    return 2 * EARTH_RADIUS * math.asin(min(1.0, math.sqrt(haversine)))


def _sort_by_distance(found: list[Place], anchor: tuple[float, float], radius: float) -> tuple[list[Place], int]:
    """The places by distance, those without coordinates last; and how many are outside the radius."""
    distances = [
        math.inf if place.lat is None or place.lon is None else measure_distance(anchor, (place.lat, place.lon))
        for place in found
    ]
    ranked = sorted(zip(distances, range(len(found)), strict=True))
    inside = [found[number] for distance, number in ranked if not radius or distance <= radius]
    return inside, len(found) - len(inside)
