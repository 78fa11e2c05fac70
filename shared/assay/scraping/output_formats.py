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


def build_metadata(snapshot: PageSnapshot, form: Form = "markdown") -> PageMetadata:
    """The page's metadata; without structured data for the JSON form, which includes it in the content."""
    page = snapshot.page
    return PageMetadata(
        description=page.description or None,
        keywords=snapshot.keywords or None,
        images=snapshot.images or None,
        author="; ".join(page.authors) or None,
        publish_date=page.published or None,
        site=page.site or None,
        language=page.language or None,
        canonical_url=page.canonical or None,
        structured_data=_get_embedded_data(snapshot) if form != "json" else None,
    )


def _get_embedded_data(snapshot: PageSnapshot) -> dict[str, Any] | None:
    page = snapshot.page
    return without_repeats(page.structured, page.content, page.content) if page.structured else None


def format_content(snapshot: PageSnapshot, form: Form) -> str:
    """The main content as Markdown, as HTML, or as JSON text of its parts."""
    if form == "markdown":
        return snapshot.page.content
    if form == "html":
        return _render_html_content(snapshot)
    return json.dumps(build_parts(snapshot), ensure_ascii=False, separators=(",", ":"))


def build_parts(snapshot: PageSnapshot) -> dict[str, Any]:
    """`{title, description, headings, text, links, images, openGraph, jsonLd, tables}`."""
    page, found = snapshot.page, extract_outline(snapshot.page.content)
    structured = _get_embedded_data(snapshot) or {}
    return {
        "title": page.title,
        "description": page.description,
        "headings": found["headings"],
        "text": _render_text(snapshot),
        "links": found["links"],
        "images": snapshot.images or [picture["url"] for picture in found["images"]],
        "openGraph": structured.get("openGraph", {}),
        "jsonLd": structured.get("jsonLd", []),
        "tables": found["tables"],
    }


def _render_html_content(snapshot: PageSnapshot) -> str:
    if not snapshot.markup:
        return render_html(snapshot.page.content)
    from assay.html.reader.article import extract_article

    return extract_article(snapshot.markup, snapshot.page.url).html or render_html(snapshot.page.content)


def _render_text(snapshot: PageSnapshot) -> str:
    if not snapshot.markup:
        return "\n".join(strip_markdown(line) for line in snapshot.page.content.split("\n"))
    from assay.html.reader.article import extract_article

    return extract_article(snapshot.markup, snapshot.page.url).text or "\n".join(
        strip_markdown(line) for line in snapshot.page.content.split("\n")
    )
