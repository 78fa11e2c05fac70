"""News of one provider: of the asked outlet alone, and newest first where that is asked."""

from assay.errors import InvalidInput
from assay.models.search_queries import NewsHit, NewsQuery
from assay.provider_base.provider import Provider
from assay.provider_base.results import Hits
from assay.search.filtered_search import links_only
from assay.search.single_query import run_query, unique
from assay.text.url_text import belongs, place

READ_ANYHOW = 30  # articles of a provider that cannot be asked for hosts, to choose from


async def news(source: Provider, ask: NewsQuery) -> Hits[NewsHit]:
    """The articles of `source`: unique, of the outlet, at most as many as asked for."""
    outlet = outlet_of(ask)
    question = ask.model_copy(update={"news_source": outlet})
    if "sort_by" not in source.supported_filters["news"]:
        question = question.model_copy(update={"sort_by": "relevance"})
    if outlet and not source.sites_limit and not source.own_hosts:
        question = question.model_copy(update={"num_results": max(ask.num_results, READ_ANYHOW)})
    hits = await run_query(source, "news", question)
    everything = list(unique(hits, lambda hit: hit.url))
    linked = links_only(source, (outlet,)) if outlet else None
    good = [hit for hit in everything if not outlet or linked or belongs(hit.url, (outlet,))]
    warnings = [*hits.warnings, linked] if linked else hits.warnings
    if off := len(everything) - len(good):
        warnings.append(f"{off} result(s) that are not from {outlet} were left out.")
    if ask.sort_by == "date":
        good = sorted(good, key=lambda hit: hit.published_at or "", reverse=True)
        if "sort_by" not in source.supported_filters["news"]:
            warnings.append(f"{source.name} cannot sort by date; its most relevant results were sorted here.")
    return Hits(good[: ask.num_results], more=hits.more, warnings=warnings)


def outlet_of(ask: NewsQuery) -> str | None:
    """The domain of `news_source`, however it was written; InvalidInput where it is none."""
    if not ask.news_source:
        return None
    name = ask.news_source.removeprefix("*").lstrip(".")
    at = place(name if "://" in name else f"https://{name}")
    if at is None or "." not in at.host:
        raise InvalidInput("news_source is no domain: write example.org.", field="news_source")
    return at.host.removeprefix("www.") + at.path.rstrip("/").lower()
