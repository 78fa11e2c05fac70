"""Output formats of a page snapshot (Markdown, HTML, JSON) and its metadata."""

import json
from typing import Annotated, Any, Literal

from pydantic import Field

from assay.models.common import Output
from assay.scraping.page_outline import extract_outline, render_html, strip_markdown
from assay.scraping.snapshot_content import PageSnapshot
from assay.text.repeats import without_repeats

type Form = Literal["markdown", "html", "json"]


class PageMetadata(Output):
    """The metadata that a page declares. `images` are URLs, preview images first."""

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


def metadata(look: PageSnapshot, form: Form = "markdown") -> PageMetadata:
    """The page's metadata; without structured data for the JSON form, which includes it in the content."""
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


def _embedded_data(look: PageSnapshot) -> dict[str, Any] | None:
    page = look.page
    return without_repeats(page.structured, page.content, page.content) if page.structured else None


def content(look: PageSnapshot, form: Form) -> str:
    """The main content as Markdown, as HTML, or as JSON text of its parts."""
    if form == "markdown":
        return look.page.content
    if form == "html":
        return _html(look)
    return json.dumps(parts(look), ensure_ascii=False, separators=(",", ":"))


def parts(look: PageSnapshot) -> dict[str, Any]:
    """`{title, description, headings, text, links, images, openGraph, jsonLd, tables}`."""
    page, found = look.page, extract_outline(look.page.content)
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


def _html(look: PageSnapshot) -> str:
    if not look.markup:
        return render_html(look.page.content)
    from assay.html.reader.article import extract_article

    return extract_article(look.markup, look.page.url).html or render_html(look.page.content)


def _text(look: PageSnapshot) -> str:
    if not look.markup:
        return "\n".join(strip_markdown(line) for line in look.page.content.split("\n"))
    from assay.html.reader.article import extract_article

    return extract_article(look.markup, look.page.url).text or "\n".join(
        strip_markdown(line) for line in look.page.content.split("\n")
    )
