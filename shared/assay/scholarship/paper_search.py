"""Works that match: from the indexes of works in their order, then from the web where none of them has an answer."""

import asyncio
from collections.abc import Iterable
from dataclasses import replace

from assay.errors import ConfigError, ToolError
from assay.models.papers import Paper, PaperQuery
from assay.provider_base.provider import Provider, find_provider
from assay.provider_base.results import Hits
from assay.scholarship import deduplication, enrichment, publishers
from assay.scholarship.provider_call import call_provider, offers
from assay.scholarship.web_papers import fits, web
from assay.search.fallback import SearchResult
from assay.search.router import Router
from assay.settings import Settings

READ_ANYHOW = 25  # works of a provider that cannot be asked for just these, to choose from
EXAMPLES = "10.5555/"  # DOIs that stand for none
BESIDE = 2  # others who are asked as well where little was found


class Library:
    """The indexes of works as one: asked in order, filtered alike, each work once, with what registries know of it."""

    def __init__(self, router: Router, settings: Settings) -> None:
        self._router, self._settings = router, settings
        self.totals: dict[str, int | None] = {}  # how many matches each provider says it has

    async def search(
        self, ask: PaperQuery, *, provider: str | None = None, pdf_only: bool = False
    ) -> SearchResult[Paper]:
        """At most `num_results` works. Raises the most telling failure where nobody could be asked."""
        if provider and not offers(provider, "academic") and offers(provider, "web"):
            return await web(self._router, self._settings, ask, provider=provider, pdf_only=pdf_only)

        async def asking(source: Provider, ask: PaperQuery) -> Hits[Paper]:
            await source.wait_for_slot()
            return await self._of(source, ask, pdf_only=pdf_only)

        try:
            found: SearchResult[Paper] = await self._router.by("academic", ask, asking, provider=provider)
        except ConfigError:
            raise
        except ToolError as failure:
            if provider:
                raise
            return await self._on_the_web(ask, failure, pdf_only=pdf_only)
        if provider:
            return found
        if not found.hits:
            return await self._on_the_web(ask, found, pdf_only=pdf_only)
        return await self._fuller(found, ask, pdf_only=pdf_only)

    async def _of(self, source: Provider, ask: PaperQuery, *, pdf_only: bool) -> Hits[Paper]:
        """What one provider finds, as it was asked for: what the provider cannot do is done here, and said."""
        question = _question(source, ask, pdf_only=pdf_only)
        hits: Hits[Paper] = await source.ask("academic", question)
        for paper in hits if question.open_access else ():
            if paper.open_access is None:
                paper.open_access = True  # it was asked for such alone
        self.totals[source.name] = hits.total
        papers = deduplication.merge_papers(_matching(source, hits, ask))
        warnings = [*hits.warnings, *_deaf(source, ask)]
        warnings += await enrichment.enrich_papers(self._router, self._settings, papers, whether_open=ask.open_access)
        good = [paper for paper in papers if paper.open_access or not ask.open_access]
        good = [paper for paper in good if paper.pdf_url or not pdf_only]
        if off := len(papers) - len(good):
            warnings.append(f"{off} work(s) without a known open {'PDF' if pdf_only else 'copy'} were left out.")
        deduplication.doubt(good)
        shown = deduplication.sort_papers(good, newest_first=ask.sort_by == "date")
        return Hits(shown[: ask.num_results], warnings=warnings, more=hits.more, total=hits.total)

    async def _fuller(self, found: SearchResult[Paper], ask: PaperQuery, *, pdf_only: bool) -> SearchResult[Paper]:
        """A thin list filled up by others whom the operator has set up, each work still once."""
        if len(found.hits) > self._settings.search_thin_threshold or len(found.hits) >= ask.num_results:
            return found
        others = await self._router.others("academic", found.attempted)
        beside = [name for name in others if self._is_set_up(name)][:BESIDE]
        answers = await asyncio.gather(*(self._beside(name, ask, pdf_only=pdf_only) for name in beside))
        everything = deduplication.merge_papers([*found.hits, *(paper for hits in answers for paper in hits)])
        shown = deduplication.sort_papers(everything, newest_first=ask.sort_by == "date")
        return replace(
            found,
            hits=shown[: ask.num_results],
            attempted=[*found.attempted, *beside],
            warnings=[*found.warnings, *(warning for hits in answers for warning in hits.warnings)],
        )

    async def _beside(self, name: str, ask: PaperQuery, *, pdf_only: bool) -> Hits[Paper]:
        """What one more provider finds; nothing, and why, where it cannot be asked."""
        try:
            return await call_provider(
                self._router, find_provider(name), lambda source: self._of(source, ask, pdf_only=pdf_only)
            )
        except ToolError as failure:
            return Hits(warnings=[f"{name} could not be asked besides ({failure.kind})."])

    def _is_set_up(self, name: str) -> bool:
        """Whether the operator gave a key or an address for it; what all share is not spent on more of the same."""
        kind = find_provider(name)
        return not kind.price and bool(kind.required_setting(self._settings) or self._router.source(name).key)

    async def _on_the_web(
        self, ask: PaperQuery, so_far: SearchResult[Paper] | ToolError, *, pdf_only: bool
    ) -> SearchResult[Paper]:
        """The web's answer to what no index of works has one for; else what there was before.

        After an empty answer one engine is asked, if there is one that may be (see SEARCH_SECOND_OPINION).
        """
        engine = None
        try:
            if isinstance(so_far, SearchResult):
                engine = next(iter(self._router.second_opinions("web")), None)
                if engine is None:
                    return so_far
            found = await web(
                self._router, self._settings, ask, provider=engine, pdf_only=pdf_only, single_pass=engine is not None
            )
        except ToolError as failure:
            if isinstance(so_far, ToolError):
                raise so_far from failure
            warning = f"The web could not be searched besides ({failure.kind})."
            return replace(so_far, warnings=[*so_far.warnings, warning])
        if isinstance(so_far, ToolError):
            if not found.hits:
                raise so_far
            who = so_far.provider or "an index of works"
            why = f"No index of works could be asked ({who}: {so_far.kind}); a web search was."
            return replace(found, fallback=True, warnings=[why, *found.warnings])
        attempted = [*so_far.attempted, *found.attempted]
        if not found.hits:
            return replace(so_far, attempted=attempted, warnings=[*so_far.warnings, *found.warnings])
        why = "No index of works has a match; a web search was made."
        return replace(found, fallback=True, attempted=attempted, warnings=[why, *so_far.warnings, *found.warnings])


def _question(source: Provider, ask: PaperQuery, *, pdf_only: bool) -> PaperQuery:
    """What this provider can be asked; more works of it where the choice is made here."""
    honoured = source.supported_filters["academic"]
    wants_open = ask.open_access or pdf_only
    chooses = wants_open or not _knows(source, ask.source) or (ask.sort_by == "date" and "sort_by" not in honoured)
    return ask.model_copy(
        update={
            "source": ask.source if ask.source in source.origins else "all",
            "open_access": wants_open and "open_access" in honoured,
            "sort_by": ask.sort_by if "sort_by" in honoured else "relevance",
            "num_results": READ_ANYHOW if chooses else ask.num_results,
        }
    )


def _matching(source: Provider, papers: Iterable[Paper], ask: PaperQuery) -> list[Paper]:
    """Those that are what was asked for, whatever the provider made of it."""
    real = [paper for paper in papers if not (paper.doi or "").startswith(EXAMPLES) and fits(paper, ask)]
    return real if _knows(source, ask.source) else [paper for paper in real if publishers.stands_at(paper, ask.source)]


def _knows(source: Provider, origin: str) -> bool:
    return origin == "all" or origin in source.origins


def _deaf(source: Provider, ask: PaperQuery) -> list[str]:
    """A warning for each wish that the provider cannot be asked for, and how it was met."""
    honoured, warnings = source.supported_filters["academic"], []
    if not _knows(source, ask.source):
        warnings.append(
            f"{source.name} cannot be asked for works of {ask.source}; they were picked from its {READ_ANYHOW} best."
        )
    if ask.sort_by == "date" and "sort_by" not in honoured:
        warnings.append(f"{source.name} cannot sort by date; its most relevant results were sorted here.")
    if ask.open_access and "open_access" not in honoured:
        warnings.append(f"{source.name} cannot be asked for open works; they were picked from its {READ_ANYHOW} best.")
    return warnings
