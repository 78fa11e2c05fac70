"""One work by its name: asked of all who know works by such names at once, their records made one."""

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
from assay.text.homoglyphs import describe_homoglyphs

SECONDS = 8.0  # that one who is asked may take

type Knower = type[OpenAlex | Crossref | PubMed | SemanticScholar]

KNOWERS: dict[Kind, tuple[Knower, ...]] = {  # the fullest record first: the others fill it up
    "doi": (OpenAlex, Crossref, SemanticScholar),
    "arxiv": (OpenAlex, SemanticScholar),
    "pmid": (PubMed, OpenAlex, SemanticScholar),
    "pmcid": (PubMed, OpenAlex, SemanticScholar),
    "openalex": (OpenAlex,),
    "s2": (SemanticScholar,),
}


async def work(
    router: Router, settings: Settings, name: Identifier, *, provider: str | None = None, seconds: float = SECONDS
) -> SearchResult[Paper]:
    """The very work, or nothing where all were asked and none knows it. Raises where none knows it and one is silent.

    `provider` asks only this one. Open copies and retractions are looked up besides.
    """
    found = await record(router, settings, name, provider=provider, seconds=seconds)
    unchecked = "crossref" not in found.attempted or any(warning.startswith("crossref") for warning in found.warnings)
    more = await enrichment.enrich_papers(router, settings, found.hits, integrity=unchecked)
    return replace(found, warnings=[*found.warnings, *more])


async def record(
    router: Router, settings: Settings, name: Identifier, *, provider: str | None = None, seconds: float = SECONDS
) -> SearchResult[Paper]:
    """The same, as those tell it who know works by such names."""
    knowers = whom(settings, name, provider)
    answers = await asyncio.gather(*(_ask_provider(router, kind, name, seconds) for kind in knowers))
    papers = [answer for answer in answers if isinstance(answer, Paper)]
    failures = [answer for answer in answers if isinstance(answer, ToolError) and not isinstance(answer, NotFound)]
    if not papers and failures:
        raise failures[0]
    attempted = [kind.name for kind in knowers]
    warnings = [f"{failure.provider or 'a provider'} could not be asked ({failure.kind})." for failure in failures]
    if name.doi and (told := describe_homoglyphs(name.doi)):
        warnings.append(told)
    found = [deduplication.fill_missing(papers[0], papers[1:])] if papers else []
    return SearchResult(found, found[0].source if found else attempted[0], attempted, warnings=warnings)


def whom(settings: Settings, name: Identifier, provider: str | None) -> Sequence[Knower]:
    """Who knows works by such a name, and may be asked; the one that was named alone."""
    able = KNOWERS[name.kind]
    if provider is None:
        # Crossref answers who says no name, too; Semantic Scholar makes such people queue, and adds little to a DOI.
        usable = [kind for kind in able if kind.is_configured(settings) or kind is Crossref]
        quick = [kind for kind in usable if kind is not SemanticScholar or settings.key(SemanticScholar.key_name)]
        return quick if name.kind == "doi" else usable or able
    named = [kind for kind in able if kind.name == provider.strip().lower()]
    if not named:
        raise ConfigError(
            f"{provider} cannot look up works by {name.kind}; {', '.join(kind.name for kind in able)} can.",
            field="provider",
            alternatives=[kind.name for kind in able],
        )
    return named


async def _ask_provider(router: Router, kind: Knower, name: Identifier, seconds: float) -> Paper | ToolError:
    try:
        async with asyncio.timeout(seconds):
            return await call_provider(router, kind, _question(name))
    except TimeoutError:
        return Network(f"{kind.name} did not answer within {seconds:g} seconds.", provider=kind.name, retry_after=5)
    except ToolError as failure:
        return failure


def _question(name: Identifier) -> Callable[[Any], Awaitable[Paper]]:
    def question(source: OpenAlex | Crossref | PubMed | SemanticScholar) -> Awaitable[Paper]:
        if isinstance(source, Crossref):
            return source.work(name.doi or name.value)
        return source.work(name)

    return question
