"""A page that was looked at in the form a caller wants, and what it says of itself."""

import json
from typing import Annotated, Any, Literal

from pydantic import Field

from assay.models.common import Output
from assay.scraping.page_outline import as_html, bare, outline
from assay.scraping.snapshot_content import Look
from assay.text.repeats import without_repeats

type Form = Literal["markdown", "html", "json"]


class PageMetadata(Output):
    """What a page says of itself. `images` are addresses, those it shows of itself elsewhere first."""

    description: str | None = None
    keywords: list[str] | None = None
    images: Annotated[list[str] | None, Field(description="URLs of images that the page declares.")] = None
    author: str | None = None
    publish_date: Annotated[str | None, Field(description="ISO 8601.")] = None
    site: Annotated[str | None, Field(description="Name of the website.")] = None
    language: str | None = None
    canonical_url: Annotated[str | None, Field(description="Address that the page declares as its own.")] = None
    structured_data: Annotated[
        dict[str, Any] | None, Field(description="JSON-LD, OpenGraph and citation metadata of the page.")
    ] = None


def metadata(look: Look, form: Form = "markdown") -> PageMetadata:
    """What the page says of itself. The JSON form of its content has what it embeds for machines in itself."""
    page = look.page
    return PageMetadata(
        description=page.description or None,
        keywords=look.keywords or None,
        images=look.images or None,
        author="; ".join(page.authors) or None,
        publish_date=page.published or None,
        site=page.site or None,
        language=page.language or None,
        canonical_url=page.canonical or None,
        structured_data=_embedded_data(look) if form != "json" else None,
    )


def _embedded_data(look: Look) -> dict[str, Any] | None:
    page = look.page
    return without_repeats(page.structured, page.content, page.content) if page.structured else None


def content(look: Look, form: Form) -> str:
    """The main content: markdown, the same as clean HTML, or a JSON text of its parts."""
    if form == "markdown":
        return look.page.content
    if form == "html":
        return _html(look)
    return json.dumps(parts(look), ensure_ascii=False, separators=(",", ":"))


def parts(look: Look) -> dict[str, Any]:
    """`{title, description, headings, text, links, images, openGraph, jsonLd, tables}`."""
    page, found = look.page, outline(look.page.content)
    structured = _embedded_data(look) or {}
    return {
        "title": page.title,
        "description": page.description,
        "headings": found["headings"],
        "text": _text(look),
        "links": found["links"],
        "images": look.images or [picture["url"] for picture in found["images"]],
        "openGraph": structured.get("openGraph", {}),
        "jsonLd": structured.get("jsonLd", []),
        "tables": found["tables"],
    }


def _html(look: Look) -> str:
    if not look.markup:
        return as_html(look.page.content)
    from assay.html.reader.article import extract_article

    return extract_article(look.markup, look.page.url).html or as_html(look.page.content)


def _text(look: Look) -> str:
    if not look.markup:
        return "\n".join(bare(line) for line in look.page.content.split("\n"))
    from assay.html.reader.article import extract_article

    return extract_article(look.markup, look.page.url).text or "\n".join(
        bare(line) for line in look.page.content.split("\n")
    )
