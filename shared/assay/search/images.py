"""Pictures of one provider, each once."""

from assay.providers import Hits, Provider
from assay.queries import ImageHit, ImageQuery
from assay.search.plainly import asked, unique


async def images(source: Provider, ask: ImageQuery) -> Hits[ImageHit]:
    """The pictures of `source`: unique, at most as many as asked for."""
    hits = await asked(source, "images", ask)
    found = list(unique(hits, lambda hit: hit.link))
    return Hits(found[: ask.num_results], more=hits.more, warnings=hits.warnings)
