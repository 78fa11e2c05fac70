"""Web search with one provider, restricted to a lens or a site.

A long list of hosts is split into several requests. Each result is checked against the hosts afterwards.
"""

import asyncio
from collections.abc import Iterable, Iterator
from itertools import chain, islice, zip_longest

from assay.errors import ConfigError, InvalidInput
from assay.models.common import WebHit, WebQuery
from assay.provider_base.provider import FilteredWebQuery, Provider
from assay.provider_base.provider_manifest import describe_provider
from assay.provider_base.results import Hits
from assay.search.lenses import Lens
from assay.search.single_query import deduplicate_hits, warn_unsupported_fields
from assay.settings import Settings
from assay.text.query_operators import include_sites
from assay.text.url_text import is_in_domains, parse_http_url

OVERFETCH = 30  # results requested from a provider that cannot filter by host, to filter here
MIN_SITE_CHARS = 60  # characters of a query that host filters may always use


async def search_web(
    source: Provider, query: WebQuery, lens: Lens | None, *, max_parts: int | None = None
) -> Hits[WebHit]:
    """The results of `source`: without duplicates, inside the lens or the site, at most `num_results`.

    A FilteredWebQuery gets the full page of results, since a result cut off here would appear on no other page.
    `max_parts` limits the requests into which a lens is split; a lens lists its most important hosts first.
    Raises InvalidInput if `site` is not a domain, ConfigError if the provider cannot apply the lens.
    """
    domains = lens.domains if lens else parse_site(query)
    answers = await _run_concurrently(source, list(islice(_build_queries(source, query, lens), max_parts)))
    link_warning = warn_links_only(source, domains) if lens is None else None
    hits, outside = _filter_by_domain(
        deduplicate_hits(_interleave(answers), lambda hit: hit.url), () if link_warning else domains
    )
    warnings = list(
        dict.fromkeys(chain(warn_unsupported_fields(source, query, "web"), *(answer.warnings for answer in answers)))
    )
    if link_warning:
        warnings.append(link_warning)
    if outside:
        warnings.append(f"{outside} result(s) outside {f'the lens {lens.name}' if lens else query.site} were left out.")
    more = any(answer.more for answer in answers) if any(answer.more is not None for answer in answers) else None
    limit = None if isinstance(query, FilteredWebQuery) else query.num_results
    return Hits(hits[:limit], more=more, warnings=warnings)


def warn_links_only(source: Provider, domains: tuple[str, ...]) -> str | None:
    """A warning if the provider's results only link to the site; None if they can be pages of the site."""
    if not domains or not source.own_hosts or source.is_own(domains[0]):
        return None
    return f"{source.name} returns only its own pages: these link to {domains[0]}, or mention it."


def find_required_provider(lens: Lens) -> str:
    """The only provider that can apply a lens without domains."""
    return "google" if lens.cx else "brave"


def find_preferred_provider(lens: Lens, settings: Settings) -> str | None:
    """Google if the lens has a Google engine and Google is configured; None if any provider will do."""
    if lens.cx and describe_provider("google").is_configured(settings):
        return "google"
    return None if lens.domains else find_required_provider(lens)


def parse_site(query: WebQuery) -> tuple[str, ...]:
    """The normalised domain of `site`, or (). Raises InvalidInput if `site` is not a domain."""
    if not query.site:
        return ()
    domain = normalise_domain(query.site)
    if domain is None:
        raise InvalidInput("site is not a domain: write example.org or example.org/path.", field="site")
    return (domain,)


def normalise_domain(name: str) -> str | None:
    """`host` or `host/path` from any common form (`https://www.host/`, `*.host`); None if it is not a domain."""
    name = name.strip().removeprefix("*").lstrip(".")
    at = parse_http_url(name if "://" in name else f"https://{name}")
    return at and at.host.removeprefix("www.") + at.path.rstrip("/").lower()


async def _run_concurrently(source: Provider, queries: list[WebQuery]) -> list[Hits[WebHit]]:
    if len(queries) == 1:
        return [await _run(source, queries[0])]
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(_run(source, query)) for query in queries]
    except BaseExceptionGroup as group_error:
        raise group_error.exceptions[0] from None
    return [task.result() for task in tasks]


async def _run(source: Provider, query: WebQuery) -> Hits[WebHit]:
    await source.wait_for_slot()
    return await source.ask("web", query)


def _build_queries(source: Provider, query: WebQuery, lens: Lens | None) -> Iterator[WebQuery]:
    kind = FilteredWebQuery if isinstance(query, FilteredWebQuery) else WebQuery
    fields = {name: getattr(query, name) for name in kind.model_fields}
    if lens is None:
        yield kind.model_construct(**fields | {"site": next(iter(parse_site(query)), None)})
    elif lens.cx and source.name == "google":
        yield FilteredWebQuery.model_construct(**fields | {"cx": lens.cx})
    elif not lens.domains:
        if source.name != find_required_provider(lens):
            raise ConfigError(
                f"The lens {lens.name} has no domains; only {find_required_provider(lens)} can apply it.",
                field="lens",
                alternatives=[find_required_provider(lens)],
            )
        yield FilteredWebQuery.model_construct(**fields | {"goggle": lens.goggle, "cx": lens.cx})
    elif not source.sites_limit:
        yield kind.model_construct(**fields | {"num_results": OVERFETCH})
    else:
        for sites in _split_domains(source, query, lens.domains):
            yield FilteredWebQuery.model_construct(**fields | {"sites": sites})


def _split_domains(source: Provider, query: WebQuery, domains: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The domains in groups that each fit into one query of this provider."""
    used = len(query.query) + len(query.exact_terms or "") + len(query.exclude_terms or "") * 2 + 8
    available = max(source.max_query_chars - used, source.max_query_chars // 2, MIN_SITE_CHARS)
    part: tuple[str, ...] = ()
    for domain in domains:
        if part and (len(part) >= source.sites_limit or len(include_sites((*part, domain))) > available):
            yield part
            part = ()
        part = (*part, domain)
    yield part


def _interleave(answers: Iterable[Hits[WebHit]]) -> Iterator[WebHit]:
    """The first hit of each answer, then the second of each, and so on."""
    for row in zip_longest(*answers):
        yield from (hit for hit in row if hit is not None)


def _filter_by_domain(hits: Iterable[WebHit], domains: tuple[str, ...]) -> tuple[list[WebHit], int]:
    """The hits inside the domains, and how many others there were."""
    everything = list(hits)
    inside = [hit for hit in everything if not domains or is_in_domains(hit.url, domains)]
    return inside, len(everything) - len(inside)
