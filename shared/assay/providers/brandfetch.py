"""Brandfetch: brand assets of companies, and company search.

Documentation: https://docs.brandfetch.com/reference/brand-api-domain
Authentication: BRANDFETCH_API_KEY as bearer token for brands, BRANDFETCH_CLIENT_ID as parameter for the search.
Limits: by plan; none are applied here.
"""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar
from urllib.parse import quote

from assay.brand.brand_models import Brand, Colors, Face, Identity, Logo, Logos, Social, Swatch, Tone, Typography
from assay.brand.colors import parse_swatch
from assay.models.common import DomainQuery, NameQuery
from assay.net.provider_client import ProviderResponse
from assay.provider_base.provider import Provider
from assay.provider_base.results import Hits, get_path, get_rows
from assay.text.plain_text import to_plain_text
from assay.text.url_text import parse_http_url

CLIENT = "BRANDFETCH_CLIENT_ID"
ROLES = {"brand": "primary"}
SOCIAL = {"twitter": "twitter", "x": "twitter"} | {
    name: name for name in ("linkedin", "github", "youtube", "facebook", "instagram")
}


class Brandfetch(Provider):
    name = "brandfetch"
    address = "https://api.brandfetch.io"
    key_name = "BRANDFETCH_API_KEY"
    variables = ((key_name,), (CLIENT,))
    supported_filters: ClassVar = {
        "brand": frozenset({"domain"}),
        "voice": frozenset({"domain"}),
        "domains": frozenset({"name"}),
    }

    def headers(self) -> Mapping[str, str]:
        return {"Authorization": f"Bearer {self.key}"} if self.key else {}

    async def brand(self, query: DomainQuery) -> Hits[Brand]:
        """Logos, colours, typefaces, social profiles and company data."""
        answer = await self.get(f"/v2/brands/{quote(query.domain, safe='')}")
        self.expect_fields(answer, "name", "domain", "logos", "colors")
        return Hits([_parse_brand(answer)])

    async def voice(self, query: DomainQuery) -> Hits[Brand]:
        """The tagline and the tone of voice."""
        answer = await self.get(f"/v2/context/{quote(query.domain, safe='')}")
        self.expect_fields(answer, "identity", "brand", "meta", "positioning")
        voice = get_path(answer, "brand", "voice")
        values = get_path(voice, "attributes")
        attributes = [text for text in map(to_plain_text, values if isinstance(values, list) else []) if text]
        tone = Tone(summary=to_plain_text(get_path(voice, "summary"), 600) or None, attributes=attributes[:20])
        identity = Identity(tagline=to_plain_text(get_path(answer, "identity", "tagline"), 300) or None)
        return Hits([Brand(identity=identity, tone_of_voice=tone)])

    async def domains(self, query: NameQuery) -> Hits[Identity]:
        """Companies of this name with their domains, best match first."""
        client = self.settings.key(CLIENT)
        response: ProviderResponse = await self.exchange(
            "GET", f"/v2/search/{quote(query.name, safe='')}", params={"c": client}
        )
        if not isinstance(response.body, list):
            raise TypeError("the answer is not a list of companies")
        found = [
            Identity(name=to_plain_text(row.get("name"), 200) or None, domain=at.host)
            for row in get_rows({"found": response.body}, "found")
            if (at := parse_http_url(f"https://{row.get('domain') or ''}"))
        ]
        return Hits(found)


def _parse_brand(answer: Mapping[str, Any]) -> Brand:
    return Brand(
        identity=_parse_identity(answer),
        colors=_parse_colors(get_rows(answer, "colors")),
        logos=_parse_logos(get_rows(answer, "logos"), get_rows(answer, "images")),
        typography=_parse_typography(get_rows(answer, "fonts")),
        social=_parse_social(get_rows(answer, "links")),
    )


def _parse_identity(answer: Mapping[str, Any]) -> Identity:
    founded, place_of = get_path(answer, "company", "foundedYear"), get_path(answer, "company", "location")
    where = [to_plain_text(get_path(place_of, name), 80) for name in ("city", "state", "country")]
    return Identity(
        name=to_plain_text(answer.get("name"), 200) or None,
        description=to_plain_text(answer.get("longDescription") or answer.get("description"), 1_000) or None,
        industry=to_plain_text(get_path(answer, "company", "industries", 0, "name"), 200) or None,
        founded=str(founded) if isinstance(founded, int) and 1000 < founded < 3000 else None,
        location=", ".join(name for name in where if name) or None,
    )


def _parse_colors(found: list[Mapping[str, Any]]) -> Colors:
    palette = list(_parse_swatches(found))
    roles: dict[str, str] = {}
    for one in palette:
        if one.role in ("primary", "accent"):
            roles.setdefault(one.role, one.hex)
    return Colors(**roles, palette=palette)


def _parse_swatches(found: list[Mapping[str, Any]]) -> Iterator[Swatch]:
    for row in found[:60]:
        kind = to_plain_text(row.get("type"), 20)
        one = parse_swatch(to_plain_text(row.get("hex"), 20), role=ROLES.get(kind, kind) or None)
        if one:
            yield one


def _parse_logos(found: list[Mapping[str, Any]], images: list[Mapping[str, Any]]) -> Logos:
    """Logos by use. A logo with the theme `light` is meant for dark backgrounds."""
    logos = [row for row in found if row.get("type") == "logo"]
    symbols = [row for row in found if row.get("type") in ("icon", "symbol")]
    usual = [row for row in logos if row.get("theme") != "light"] or logos
    banner = next((get_path(row, "formats", 0, "src") for row in images if row.get("type") == "banner"), None)
    at = parse_http_url(banner)
    return Logos(
        primary=next(iter(_list_formats(usual)), None),
        dark=next(iter(_list_formats([row for row in logos if row.get("theme") == "light"])), None),
        icon=next(iter(_list_formats(symbols)), None),
        og_image=at.href if at else None,
    )


def _list_formats(found: list[Mapping[str, Any]]) -> list[Logo]:
    """The files of these logos, SVG first."""
    files = [file for row in found for file in get_rows(row, "formats")]
    logos = [
        Logo(
            url=at.href,
            format=to_plain_text(file.get("format"), 10) or None,
            width=_parse_pixels(file.get("width")),
            height=_parse_pixels(file.get("height")),
        )
        for file in files
        if (at := parse_http_url(file.get("src")))
    ]
    return sorted(logos, key=lambda logo: logo.format != "svg")


def _parse_pixels(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 100_000 else None


def _parse_typography(found: list[Mapping[str, Any]]) -> Typography:
    faces: dict[str, Face] = {}
    for row in found:
        use = {"title": "heading", "body": "body"}.get(to_plain_text(row.get("type"), 20))
        family = to_plain_text(row.get("name"), 60)
        values = row.get("weights")
        if use and family:
            weights = [weight for weight in (values if isinstance(values, list) else []) if _parse_pixels(weight)]
            origin, identity = (
                to_plain_text(row.get("origin"), 40) or None,
                to_plain_text(row.get("originId"), 100) or None,
            )
            faces.setdefault(use, Face(family=family, weights=weights, origin=origin, origin_id=identity))
    return Typography(**faces)


def _parse_social(found: list[Mapping[str, Any]]) -> Social:
    links: dict[str, str] = {}
    for row in found:
        name, at = SOCIAL.get(to_plain_text(row.get("name"), 20).lower()), parse_http_url(row.get("url"))
        if name and at:
            links.setdefault(name, at.href)
    return Social(**links)
