"""News search with one provider: filtered by outlet, and sorted by date on request."""

from assay.errors import InvalidInput
from assay.models.search_queries import NewsHit, NewsQuery
from assay.provider_base.provider import Provider
from assay.provider_base.results import Hits
from assay.search.filtered_search import warn_links_only
from assay.search.single_query import deduplicate_hits, run_query
from assay.text.url_text import is_in_domains, parse_http_url

OVERFETCH = 30  # articles requested from a provider that cannot filter by host, to filter here


async def search_news(source: Provider, query: NewsQuery) -> Hits[NewsHit]:
    """The articles of `source` without duplicates, from the outlet, at most `num_results`."""
    outlet = parse_outlet(query)
    query_text = query.model_copy(update={"news_source": outlet})
    if "sort_by" not in source.supported_filters["news"]:
        query_text = query_text.model_copy(update={"sort_by": "relevance"})
    if outlet and not source.sites_limit and not source.own_hosts:
        query_text = query_text.model_copy(update={"num_results": max(query.num_results, OVERFETCH)})
    hits = await run_query(source, "news", query_text)
    articles = list(deduplicate_hits(hits, lambda hit: hit.url))
    link_warning = warn_links_only(source, (outlet,)) if outlet else None
    good = [hit for hit in articles if not outlet or link_warning or is_in_domains(hit.url, (outlet,))]
    warnings = [*hits.warnings, link_warning] if link_warning else hits.warnings
    if others := len(articles) - len(good):
        warnings.append(f"{others} result(s) that are not from {outlet} were left out.")
    if query.sort_by == "date":
        good = sorted(good, key=lambda hit: hit.published_at or "", reverse=True)
        if "sort_by" not in source.supported_filters["news"]:
            warnings.append(
                f"{source.name} cannot sort by date; its most relevant results were sorted by date afterwards."
            )
    return Hits(good[: query.num_results], more=hits.more, warnings=warnings)


def parse_outlet(query: NewsQuery) -> str | None:
    """The normalised domain of `news_source`, None if unset. Raises InvalidInput if it is not a domain."""
    if not query.news_source:
        return None
    name = query.news_source.removeprefix("*").lstrip(".")
    at = parse_http_url(name if "://" in name else f"https://{name}")
    if at is None or "." not in at.host:
        raise InvalidInput("news_source is not a domain: write example.org.", field="news_source")
    return at.host.removeprefix("www.") + at.path.rstrip("/").lower()
