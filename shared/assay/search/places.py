"""Places of one provider: the nearest first where it is known from where to measure."""

import math

from assay.models.search_queries import Place, PlaceQuery
from assay.provider_base.provider import Provider
from assay.provider_base.results import Hits
from assay.search.single_query import run_query

EARTH = 6_371_000.0  # metres, its mean radius


async def places(source: Provider, ask: PlaceQuery) -> Hits[Place]:
    """The places of `source`: inside the radius, nearest first, at most as many as asked for."""
    hits = await run_query(source, "local", ask)
    found, warnings = list({hit.id: hit for hit in hits}.values()), hits.warnings
    if ask.anchor:
        found, far = _near(found, ask.anchor, ask.radius)
        if far:
            warnings.append(f"{far} place(s) outside the radius, or of unknown whereabouts, were left out.")
    elif ask.radius:
        warnings.append("radius needs latitude and longitude to measure from; ignored.")
    return Hits(found[: ask.num_results], warnings=warnings)


def metres(here: tuple[float, float], there: tuple[float, float]) -> float:
    """The great-circle distance of two points in degrees."""
    (south, west), (north, east) = (tuple(map(math.radians, point)) for point in (here, there))
    share = math.sin((north - south) / 2) ** 2
    share += math.cos(south) * math.cos(north) * math.sin((east - west) / 2) ** 2
    return 2 * EARTH * math.asin(min(1.0, math.sqrt(share)))


def _near(found: list[Place], anchor: tuple[float, float], radius: float) -> tuple[list[Place], int]:
    """Sorted by distance, the unknown last; and how many were left out for the radius."""
    far = [
        math.inf if place.lat is None or place.lon is None else metres(anchor, (place.lat, place.lon))
        for place in found
    ]
    ranked = sorted(zip(far, range(len(found)), strict=True))
    inside = [found[number] for distance, number in ranked if not radius or distance <= radius]
    return inside, len(found) - len(inside)
