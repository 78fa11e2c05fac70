"""Image search with one provider, without duplicates."""

from assay.models.search_queries import ImageHit, ImageQuery
from assay.provider_base.provider import Provider
from assay.provider_base.results import Hits
from assay.search.single_query import deduplicate_hits, run_query


async def search_images(source: Provider, query: ImageQuery) -> Hits[ImageHit]:
    """The images of `source` without duplicates, at most `num_results`."""
    hits = await run_query(source, "images", query)
    found = list(deduplicate_hits(hits, lambda hit: hit.link))
    return Hits(found[: query.num_results], more=hits.more, warnings=hits.warnings)
