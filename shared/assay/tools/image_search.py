"""Search for images."""

from datetime import timedelta
from typing import Annotated

from pydantic import Field

from assay.context import Context
from assay.models.common import TRUST, Output, ProviderName, Source, Trust, ZeroResultHints
from assay.models.search_queries import ImageHit, ImageQuery
from assay.search.zero_result_hints import find_hints, format_listing
from assay.toolkit.tool import tool

FILTERS = ("size", "type", "color_type", "dominant_color", "file_type", "country", "language")


class ImageSearchInput(ImageQuery):
    provider: ProviderName = None


class ImageSearchOutput(Output):
    images: list[ImageHit]
    query: str
    result_count: Annotated[int, Field(description="Number of results in this answer.")]
    hints: Annotated[
        ZeroResultHints | None, Field(description="Present if nothing was found: likely reasons and what to try next.")
    ] = None
    warnings: list[str] | None = None
    trust: Trust = TRUST

    def markdown(self) -> str:
        lines = [f"{self.result_count} images for: {self.query}"]
        for number, hit in enumerate(self.images, 1):
            lines += [f"{number}. {hit.title}{_size(hit)}", f"   {hit.link}"]
            lines += [f"   on {hit.context_link}"] if hit.context_link else []
        return format_listing(lines, self)

    def sources(self) -> list[Source]:
        return [Source(url=hit.context_link or hit.link, title=hit.title, relevance="search") for hit in self.images]

    def is_empty(self) -> bool:
        return not self.images


@tool(operation="images", cache=timedelta(minutes=30))
async def image_search(ask: ImageSearchInput, ctx: Context) -> ImageSearchOutput:
    """Search for images: links, sizes, the pages that show them. Warnings name filters that the provider lacks."""
    found = await ctx.search.images(ask, provider=ask.provider)
    ctx.meta |= found.meta()
    filters = {name: getattr(ask, name) for name in FILTERS}
    return ImageSearchOutput(
        images=found.hits,
        query=ask.query,
        result_count=len(found.hits),
        hints=None if found.hits else await find_hints(ctx.search, "images", found, filters),
        warnings=found.warnings or None,
    )


def _size(hit: ImageHit) -> str:
    return f" ({hit.width}x{hit.height})" if hit.width and hit.height else ""
