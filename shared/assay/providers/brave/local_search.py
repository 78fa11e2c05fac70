"""Brave's local search: request headers for the caller's location, and parsing of places."""

from collections.abc import Iterator, Mapping
from typing import Any

from assay.models.search_queries import Place, PlaceQuery
from assay.provider_base.results import as_count, get_path
from assay.text.plain_text import plain
from assay.text.url_text import place


def is_id(value: Any) -> bool:
    """Whether this may be one of Brave's ids, which are opaque."""
    return isinstance(value, str) and 0 < len(value) <= 500 and value.isprintable()


def standing(ask: PlaceQuery) -> dict[str, str | bytes]:
    """Where the asker stands, in Brave's headers: coordinates if there are any, else a name."""
    if ask.anchor:
        return {"X-Loc-Lat": f"{ask.latitude:.6f}", "X-Loc-Long": f"{ask.longitude:.6f}"}
    named = {"X-Loc-City": plain(ask.near).encode(), "X-Loc-Country": (ask.country or "").upper().encode()}
    return {name: value for name, value in named.items() if value}


def place_of(row: Mapping[str, Any], descriptions: Mapping[str, str]) -> Place | None:
    """A place as Brave describes it, or None where it has no id or no name."""
    number, name = row.get("id"), plain(row.get("title") or row.get("name"), 300)
    if not isinstance(number, str) or not number or not name:
        return None
    site = place(row.get("url"))
    categories = row.get("categories")
    return Place(
        id=number,
        name=name,
        address=plain(get_path(row, "postal_address", "displayAddress"), 300) or None,
        lat=_degrees(get_path(row, "coordinates", 0), 90),
        lon=_degrees(get_path(row, "coordinates", 1), 180),
        phone=plain(get_path(row, "contact", "telephone") or row.get("phone"), 60) or None,
        website=site.href if site else None,
        categories=[text for text in map(plain, categories if isinstance(categories, list) else []) if text][:10]
        or None,
        rating=_number(get_path(row, "rating", "ratingValue")),
        rating_count=as_count(get_path(row, "rating", "reviewCount")),
        hours=list(dict.fromkeys(_hours(row.get("opening_hours")))) or None,
        description=descriptions.get(number) or None,
        source="brave",
    )


def _number(value: Any) -> float | None:
    usable = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e6
    return float(value) if usable else None


def _degrees(value: Any, most: float) -> float | None:
    degrees = _number(value)
    return degrees if degrees is not None and abs(degrees) <= most else None


def _hours(given: Any) -> Iterator[str]:
    """`Monday: 09:00-17:00` for each span: today's first, then the other days'."""
    days = get_path(given, "days")
    for day in [get_path(given, "current_day"), *(days if isinstance(days, list) else [])]:
        for span in day if isinstance(day, list) else [day]:
            name, opens, closes = (plain(get_path(span, part), 20) for part in ("full_name", "opens", "closes"))
            if name and opens and closes:
                yield f"{name}: {opens}-{closes}"
