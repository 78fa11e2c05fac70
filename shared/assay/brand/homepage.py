"""Parses the brand that a homepage declares: meta tags, JSON-LD, icons, typefaces, profiles."""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from assay.brand import profiles, typefaces
from assay.brand.brand_models import Brand, Colors, Identity, Logo, Logos, Swatch
from assay.brand.colors import is_grey, parse_swatch
from assay.html.css import declarations
from assay.html.metadata import jsonld
from assay.html.metadata.structured_data import collect_metas
from assay.html.parser.html_element import HtmlElement
from assay.html.reader.main_content import find_base_url
from assay.text.plain_text import to_plain_text
from assay.text.url_parts import join_url, split_url
from assay.text.url_text import parse_http_url

COMPANY_TYPES = {"corporation", "localbusiness", "brand", "onlinestore", "onlinebusiness", "airline", "ngo", "store"}
ROLES = ("primary", "secondary", "accent", "background", "surface", "text")
MAX_LINKS = 3_000  # examined per page
IMAGE_FORMATS = {"svg", "png", "jpg", "jpeg", "webp", "gif", "ico", "avif"}


def parse_brand(tree: HtmlElement, url: str) -> Brand:
    """Read the brand that the page at `url` declares. Nothing is inferred from its rendering."""
    metas, nodes = collect_metas(tree), jsonld.collect_nodes(jsonld.find_blocks(tree))
    company = _find_company(nodes)
    base = find_base_url(tree, url)
    return Brand(
        identity=_parse_identity(metas, nodes, company),
        colors=_find_colors(tree, metas),
        logos=_find_logos(tree, metas, company, base),
        typography=typefaces.parse_typography(tree),
        social=profiles.find_profiles(_find_declared_profiles(tree, metas, nodes), _find_links(tree, base)),
    )


def _find_company(nodes: Sequence[jsonld.Node]) -> jsonld.Node:
    """Return the JSON-LD node of the organisation, else of the publisher; {} if there is none."""
    found = [node for node in nodes if _is_company(node)]
    publishers = [node.get("publisher") for node in nodes if isinstance(node.get("publisher"), dict)]
    return next(iter(found + [node for node in publishers if isinstance(node, dict) and _is_company(node)]), {})


def _is_company(node: jsonld.Node) -> bool:
    return any(kind.endswith("organization") or kind in COMPANY_TYPES for kind in jsonld.node_types(node))


def _parse_identity(metas: Mapping[str, list[str]], nodes: Sequence[jsonld.Node], company: jsonld.Node) -> Identity:
    sites = [node for node in nodes if "website" in jsonld.node_types(node)]
    names = [
        company.get("name"),
        *_list_values(metas, "og:site_name", "application-name"),
        *(node.get("name") for node in sites),
    ]
    descriptions = [company.get("description"), *_list_values(metas, "description", "og:description")]
    return Identity(
        name=_find_text(names, 200),
        tagline=_find_text([company.get("slogan")], 300),
        description=_find_text(descriptions, 1_000),
        industry=_find_text(jsonld.extract_names(company.get("industry")), 200),
        founded=_find_text([company.get("foundingDate")], 40),
        location=_format_address(company.get("address") or company.get("location")),
    )


def _list_values(metas: Mapping[str, list[str]], *wanted: str) -> list[str]:
    return [text for name in wanted for text in metas.get(name, ())]


def _find_text(values: Sequence[Any], limit: int) -> str | None:
    return next((text for value in values if (text := to_plain_text(value, limit))), None)


def _format_address(value: Any) -> str | None:
    if isinstance(value, list):
        value = value[0] if value else None
    if isinstance(value, dict):
        value = value.get("address") or value
    if isinstance(value, dict):
        parts = [
            jsonld.extract_names(value.get(name)) for name in ("addressLocality", "addressRegion", "addressCountry")
        ]
        value = ", ".join(part[0] for part in parts if part)
    return to_plain_text(value, 200) or None


def _find_colors(tree: HtmlElement, metas: Mapping[str, list[str]]) -> Colors:
    """Collect colours from CSS variables with `brand` and a role in their names, then theme and tile colours.

    The theme colour counts as primary unless it is grey, which is usually the page background.
    """
    variables = _find_color_variables(tree)
    palette = list(variables.values())
    for role, values in (("theme", _find_theme_colors(tree)), ("tile", _list_values(metas, "msapplication-tilecolor"))):
        palette += [found for value in values if (found := parse_swatch(value, role=role))]
    theme = next((found.hex for found in palette if found.role in ("theme", "tile") and not is_grey(found.hex)), None)
    roles = {role: variables[role].hex for role in ROLES if role in variables}
    return Colors(
        **({"primary": theme} | roles), palette=list({found.hex: found for found in reversed(palette)}.values())[::-1]
    )


def _find_theme_colors(tree: HtmlElement) -> list[str]:
    """Return the theme colours, the light scheme's first."""
    found = [meta for meta in tree.iter("meta") if (meta.get("name") or "").strip().lower() == "theme-color"]
    found.sort(key=lambda meta: "dark" in (meta.get("media") or "").lower())
    return [meta.get("content") or "" for meta in found[:4]]


def _find_color_variables(tree: HtmlElement) -> dict[str, Swatch]:
    found: dict[str, Swatch] = {}
    for style in tree.iter("style"):
        for _, body, _ in declarations.list_rules(style.text or ""):
            for name, value in declarations.parse_declarations(body).items():
                words = set(name.lower().strip("-").split("-")) if name.startswith("--") else set()
                rest = words - {"brand", "color", "colour", "colors"}
                role = next(iter(rest), "primary")
                if (
                    "brand" in words
                    and len(rest) < 2
                    and role in ROLES
                    and (swatch := parse_swatch(value[0], role=role))
                ):
                    found.setdefault(role, swatch)
    return found


def _find_logos(tree: HtmlElement, metas: Mapping[str, list[str]], company: jsonld.Node, base: str) -> Logos:
    icons = [(set((link.get("rel") or "").lower().split()), link) for link in tree.iter("link")]
    touch = next((link for rel, link in icons if rel & {"apple-touch-icon", "apple-touch-icon-precomposed"}), None)
    vector = next((link for rel, link in icons if "icon" in rel and "svg" in (link.get("type") or "")), None)
    plain_icon = next((link for rel, link in icons if "icon" in rel), None)
    og_image = next(iter(_list_values(metas, "og:image", "og:image:url")), None)
    return Logos(
        primary=_parse_logo(company.get("logo"), base)
        or _parse_logo(next(iter(_list_values(metas, "og:logo")), None), base),
        icon=_parse_icon(touch if touch is not None else vector, base),
        favicon=_resolve_url(plain_icon.get("href"), base) if plain_icon is not None else None,
        og_image=_resolve_url(og_image, base),
    )


def _parse_logo(value: Any, base: str) -> Logo | None:
    """Parse a JSON-LD logo: a URL, an ImageObject, or a list of them."""
    if isinstance(value, list):
        value = value[0] if value else None
    node = value if isinstance(value, dict) else {"url": value}
    url = _resolve_url(node.get("contentUrl") or node.get("url") or node.get("@id"), base)
    if url is None:
        return None
    return Logo(
        url=url,
        format=find_image_format(url),
        width=_parse_pixels(node.get("width")),
        height=_parse_pixels(node.get("height")),
    )


def _parse_icon(link: HtmlElement | None, base: str) -> Logo | None:
    url = _resolve_url(link.get("href"), base) if link is not None else None
    if link is None or url is None:
        return None
    width, _, height = (link.get("sizes") or "").lower().split(" ")[0].partition("x")
    return Logo(url=url, format=find_image_format(url), width=_parse_pixels(width), height=_parse_pixels(height))


def _parse_pixels(value: Any) -> int | None:
    if isinstance(value, dict):
        value = value.get("value")
    digits = str(value).lower().removesuffix("px").strip() if isinstance(value, str | int) else ""
    return int(digits) if digits.isascii() and digits.isdigit() and 0 < len(digits) < 6 else None


def find_image_format(url: str) -> str | None:
    """Return the image format by the file extension."""
    extension = split_url(url).path.rpartition(".")[2].lower()
    return extension if extension in IMAGE_FORMATS else None


def _resolve_url(link: Any, base: str) -> str | None:
    if not isinstance(link, str) or not link.strip():
        return None
    try:
        parsed = parse_http_url(join_url(base, link.strip()))
    except ValueError:
        return None
    return parsed.href if parsed else None


def _find_declared_profiles(
    tree: HtmlElement, metas: Mapping[str, list[str]], nodes: Sequence[jsonld.Node]
) -> list[str]:
    listed = [node.get("sameAs") for node in nodes if _is_company(node) or "website" in jsonld.node_types(node)]
    profile_links = [
        link for one in listed for link in (one if isinstance(one, list) else [one]) if isinstance(link, str)
    ]
    identity_links = [
        link.get("href") or "" for link in tree.iter("a", "link") if "me" in (link.get("rel") or "").lower().split()
    ]
    handles = [handle.lstrip("@") for handle in _list_values(metas, "twitter:site") if handle.startswith("@")]
    return profile_links + identity_links + [f"https://twitter.com/{handle}" for handle in handles]


def _find_links(tree: HtmlElement, base: str) -> list[str]:
    links = (_resolve_url(link.get("href"), base) for link in islice(tree.iter("a"), MAX_LINKS))
    return [link for link in links if link]
