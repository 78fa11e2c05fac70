"""Lookup of one work by its identifier in all suitable providers at once; their records are merged."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any

from assay.bibliography.identifiers import Identifier, Kind
from assay.errors import ConfigError, Network, NotFound, ToolError
from assay.models.papers import Paper
from assay.providers.crossref import Crossref
from assay.providers.openalex import OpenAlex
from assay.providers.pubmed import PubMed
from assay.providers.semanticscholar import SemanticScholar
from assay.scholarship import deduplication, enrichment
from assay.scholarship.provider_call import call_provider
from assay.search.fallback import SearchResult
from assay.search.router import Router
from assay.settings import Settings
from assay.state.concurrent_map import map_concurrently
from assay.text.homoglyphs import describe_homoglyphs

SECONDS = 8.0  # for each provider

type LookupProvider = type[OpenAlex | Crossref | PubMed | SemanticScholar]

# By kind of identifier; the provider with the fullest records comes first, the others fill its gaps.
LOOKUP_PROVIDERS: dict[Kind, tuple[LookupProvider, ...]] = {
    "doi": (OpenAlex, Crossref, SemanticScholar),
    "arxiv": (OpenAlex, SemanticScholar),
    "pmid": (PubMed, OpenAlex, SemanticScholar),
    "pmcid": (PubMed, OpenAlex, SemanticScholar),
    "openalex": (OpenAlex,),
    "s2": (SemanticScholar,),
}


async def look_up(
    router: Router, settings: Settings, name: Identifier, *, provider: str | None = None, seconds: float = SECONDS
) -> SearchResult[Paper]:
    """The work with its open copies and retraction notices; no hits if no provider has it.

    `provider` restricts the lookup to one provider. Raises the first failure if no provider has the work and at
    least one failed, ConfigError if `provider` cannot look up this kind of identifier.
    """
    found = await fetch_record(router, settings, name, provider=provider, seconds=seconds)
    unchecked = "crossref" not in found.attempted or any(warning.startswith("crossref") for warning in found.warnings)
    more = await enrichment.enrich_papers(router, settings, found.hits, integrity=unchecked)
    return replace(found, warnings=[*found.warnings, *more])


async def fetch_record(
    router: Router, settings: Settings, name: Identifier, *, provider: str | None = None, seconds: float = SECONDS
) -> SearchResult[Paper]:
    """The merged record of the work, without the lookups of open copies and retractions. Raises as `look_up`."""
    providers = select_providers(settings, name, provider)
    answers = await map_concurrently(lambda kind: _ask_provider(router, kind, name, seconds), providers)
    papers = [answer for answer in answers if isinstance(answer, Paper)]
    failures = [answer for answer in answers if isinstance(answer, ToolError) and not isinstance(answer, NotFound)]
    if not papers and failures:
        raise failures[0]
    attempted = [kind.name for kind in providers]
    warnings = [f"{failure.provider or 'a provider'} failed ({failure.kind})." for failure in failures]
    if name.doi and (homoglyphs := describe_homoglyphs(name.doi)):
        warnings.append(homoglyphs)
    found = [deduplication.fill_missing(papers[0], papers[1:])] if papers else []
    return SearchResult(found, found[0].source if found else attempted[0], attempted, warnings=warnings)


def select_providers(settings: Settings, name: Identifier, provider: str | None) -> Sequence[LookupProvider]:
    """The configured providers that can look up this kind of identifier, or only the named one."""
    able = LOOKUP_PROVIDERS[name.kind]
    if provider is None:
        # Crossref also serves anonymous clients. Semantic Scholar throttles clients without a key, and adds little
        # to the record of a DOI.
        usable = [kind for kind in able if kind.is_configured(settings) or kind is Crossref]
        fast = [kind for kind in usable if kind is not SemanticScholar or settings.key(SemanticScholar.key_name)]
        return fast if name.kind == "doi" else usable or able
    matching = [kind for kind in able if kind.name == provider.strip().lower()]
    if not matching:
        raise ConfigError(
            f"{provider} cannot look up works by {name.kind}; {', '.join(kind.name for kind in able)} can.",
            field="provider",
            alternatives=[kind.name for kind in able],
        )
    return matching


async def _ask_provider(router: Router, kind: LookupProvider, name: Identifier, seconds: float) -> Paper | ToolError:
    try:
        async with asyncio.timeout(seconds):
            return await call_provider(router, kind, _build_call(name))
    except TimeoutError:
        return Network(f"{kind.name} did not answer within {seconds:g} seconds.", provider=kind.name, retry_after=5)
    except ToolError as failure:
        return failure


def _build_call(name: Identifier) -> Callable[[Any], Awaitable[Paper]]:
    def call(source: OpenAlex | Crossref | PubMed | SemanticScholar) -> Awaitable[Paper]:
        if isinstance(source, Crossref):
            return source.work(name.doi or name.value)
        return source.work(name)

    return call
