"""Brave's local search: request headers for the caller's location, and parsing of places."""

from collections.abc import Iterator, Mapping
from typing import Any, TypeGuard

from assay.models.search_queries import Place, PlaceQuery
from assay.provider_base.results import as_count, get_path
from assay.text.plain_text import to_plain_text
from assay.text.url_text import parse_http_url


def is_id(value: Any) -> TypeGuard[str]:
    """Whether the value can be one of Brave's opaque place ids; U+FFFD stands for what the answer had broken."""
    return isinstance(value, str) and 0 < len(value) <= 500 and value.isprintable() and "\ufffd" not in value


def location_headers(query: PlaceQuery) -> dict[str, str | bytes]:
    """The location of the search as Brave's X-Loc headers: coordinates if set, else city and country."""
    if query.anchor:
        return {"X-Loc-Lat": f"{query.latitude:.6f}", "X-Loc-Long": f"{query.longitude:.6f}"}
    place_headers = {
        "X-Loc-City": to_plain_text(query.near).encode(),
        "X-Loc-Country": (query.country or "").upper().encode(),
    }
    return {name: value for name, value in place_headers.items() if value}


def parse_place(row: Mapping[str, Any], descriptions: Mapping[str, str]) -> Place | None:
    """The place in a row of Brave's answer; None if it has no id or no name."""
    number, name = row.get("id"), to_plain_text(row.get("title") or row.get("name"), 300)
    if not is_id(number) or not name:
        return None
    site = parse_http_url(row.get("url"))
    categories = row.get("categories")
    return Place(
        id=number,
        name=name,
        address=to_plain_text(get_path(row, "postal_address", "displayAddress"), 300) or None,
        lat=_parse_degrees(get_path(row, "coordinates", 0), 90),
        lon=_parse_degrees(get_path(row, "coordinates", 1), 180),
        phone=to_plain_text(get_path(row, "contact", "telephone") or row.get("phone"), 60) or None,
        website=site.href if site else None,
        categories=[text for text in map(to_plain_text, categories if isinstance(categories, list) else []) if text][
            :10
        ]
        or None,
        rating=_parse_number(get_path(row, "rating", "ratingValue")),
        rating_count=as_count(get_path(row, "rating", "reviewCount")),
        hours=list(dict.fromkeys(_parse_hours(row.get("opening_hours")))) or None,
        description=descriptions.get(number) or None,
        source="brave",
    )


def _parse_number(value: Any) -> float | None:
    usable = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e6
    return float(value) if usable else None


def _parse_degrees(value: Any, most: float) -> float | None:
    degrees = _parse_number(value)
    return degrees if degrees is not None and abs(degrees) <= most else None


def _parse_hours(value: Any) -> Iterator[str]:
    """Opening hours such as `Monday: 09:00-17:00`, today's first."""
    days = get_path(value, "days")
    for day in [get_path(value, "current_day"), *(days if isinstance(days, list) else [])]:
        for span in day if isinstance(day, list) else [day]:
            name, opens, closes = (to_plain_text(get_path(span, part), 20) for part in ("full_name", "opens", "closes"))
            if name and opens and closes:
                yield f"{name}: {opens}-{closes}"
