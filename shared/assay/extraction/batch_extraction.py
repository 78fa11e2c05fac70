"""Extracts data from several pages concurrently, under one budget."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from assay.errors import InvalidInput, Network, ToolError
from assay.extraction import page_extraction
from assay.extraction.page_extraction import ExtractionResult
from assay.extraction.prompt import PagePrompt
from assay.extraction.target_schema import TargetSchema
from assay.language_models.chat_completions import PROVIDER, create_model
from assay.language_models.token_costs import TokenUsage, compute_cost, price_tokens, round_price
from assay.net.urls import canonicalize_url
from assay.scraping import batch_scraping, error_mapping
from assay.scraping.snapshot_content import PageSnapshot
from assay.scraping.snapshots import FetchMode
from assay.settings import Settings
from assay.state.budget import spending
from assay.state.concurrent_map import map_concurrently
from assay.state.ports import Model

if TYPE_CHECKING:
    from assay.context import Context

MAX_CONCURRENT_REQUESTS = 5  # to the model
READING_SHARE, READING_SECONDS = 0.5, 40.0  # share of the remaining time, and maximum, for fetching the pages
RESERVE_SECONDS = 1.0  # kept for assembling the result


@dataclass
class ExtractionOutcome:
    """The result for one URL: the page and its data, or an error."""

    url: str
    snapshot: PageSnapshot | None = None
    result: ExtractionResult | ToolError = field(
        default_factory=lambda: Network("The page was not processed.", retry_after=5)
    )


@dataclass
class ExtractionBatch:
    """The outcomes in the order of the URLs, the model, and the cost."""

    outcomes: list[ExtractionOutcome]
    model: str | None
    usage: TokenUsage
    cost: int | None  # micro-dollars; None if unknown


async def extract_many(
    urls: Sequence[str], prompt: str, schema: TargetSchema | None, mode: FetchMode, ctx: "Context"
) -> ExtractionBatch:
    """Extract the facts of every page; the outcomes are in the order of `urls`.

    Raises InvalidInput or TooDear, before any model request, if pages and prompt exceed the token or cost limit of a
    call, and the extraction's own error if it failed for every page.
    """
    model = create_model(ctx.services.settings, ctx.services.http, ctx.services.model)
    outcomes = await _scrape_all(list(dict.fromkeys(urls)), mode, ctx)
    readable = [outcome for outcome in outcomes if outcome.snapshot is not None]
    usage = TokenUsage()
    cost: int | None = None
    if model is None:
        await map_concurrently(lambda outcome: _extract_declared(outcome, schema), readable)
    elif readable:
        cost = await ModelRequests(model, schema, ctx, usage).send(readable, prompt)
    _raise_if_all_failed(outcomes, readable)
    by_url = {outcome.url: outcome for outcome in outcomes}
    return ExtractionBatch([by_url[url] for url in urls], model.name if model else None, usage, cost)


async def _scrape_all(urls: Sequence[str], mode: FetchMode, ctx: "Context") -> list[ExtractionOutcome]:
    seconds = min(READING_SECONDS, ctx.time_left() * READING_SHARE)
    ctx.plan_steps(len(urls))
    snapshots = await batch_scraping.scrape_pages(
        lambda url: ctx.child().fetch_snapshot(url, mode, markup=True),
        urls,
        at_once=len(urls),
        seconds=seconds,
        report_step=ctx.report_step,
    )
    return [_outcome(url, snapshot) for url, snapshot in zip(urls, snapshots, strict=True)]


def _outcome(url: str, snapshot: PageSnapshot | ToolError) -> ExtractionOutcome:
    if isinstance(snapshot, ToolError):
        return ExtractionOutcome(url, result=snapshot)
    failure = error_mapping.status_error(canonicalize_url(url), snapshot.status)
    return ExtractionOutcome(url, result=failure) if failure else ExtractionOutcome(url, snapshot)


async def _extract_declared(outcome: ExtractionOutcome, schema: TargetSchema | None) -> None:
    assert outcome.snapshot is not None
    try:
        outcome.result = await asyncio.to_thread(page_extraction.extract_declared, schema, outcome.snapshot)
    except ToolError as failure:
        outcome.result = failure


@dataclass
class ModelRequests:
    """The model requests of one call: their token usage, and the prompts to which no answer came."""

    model: Model
    schema: TargetSchema | None
    ctx: "Context"
    usage: TokenUsage
    unanswered: list[PagePrompt] = field(default_factory=list)

    async def send(self, outcomes: Sequence[ExtractionOutcome], prompt: str) -> int | None:
        """Send one request per page, within the limits of the call; return the cost in micro-dollars."""
        settings = self.ctx.services.settings
        room = settings.llm_room - settings.llm_answer
        pages = [
            (outcome, page_extraction.build_prompt(prompt, self.schema, outcome.snapshot, room))
            for outcome in outcomes
            if outcome.snapshot
        ]
        input_tokens = sum(page_prompt.tokens for _, page_prompt in pages)
        _require_within_limit(input_tokens, len(pages), settings)
        self.ctx.plan_steps(len(pages))
        price = round_price(price_tokens(input_tokens, len(pages) * settings.llm_answer, settings))
        async with spending(PROVIDER, price) as bill:
            await map_concurrently(self._extract, pages, limit=MAX_CONCURRENT_REQUESTS)
            unanswered_tokens = sum(page_prompt.tokens for page_prompt in self.unanswered)
            bill.settle(compute_cost(self.usage, settings, unanswered_tokens) or 0)
        return compute_cost(self.usage, settings)

    async def _extract(self, page: tuple[ExtractionOutcome, PagePrompt]) -> None:
        outcome, page_prompt = page
        assert outcome.snapshot is not None
        try:
            outcome.result = await page_extraction.extract_with_model(
                page_prompt,
                self.schema,
                outcome.snapshot,
                self.model,
                self.usage,
                self.ctx.services.settings.llm_answer,
                lambda: self.ctx.time_left() - RESERVE_SECONDS,
            )
        except Network as failure:  # the provider may have billed the request although its answer was lost
            self.unanswered.append(page_prompt)
            outcome.result = failure
        except ToolError as failure:
            outcome.result = failure
        await self.ctx.report_step("The model has answered for a page")


def _require_within_limit(input_tokens: int, pages: int, settings: Settings) -> None:
    total = input_tokens + pages * settings.llm_answer
    if total > settings.llm_call:
        raise InvalidInput(
            f"cinder_extract would take about {total} tokens for {pages} page(s); a call may take {settings.llm_call}. "
            "Send fewer urls or a shorter prompt (LLM_CALL_TOKENS sets the limit).",
            field="urls",
        )


def _raise_if_all_failed(outcomes: Sequence[ExtractionOutcome], readable: Sequence[ExtractionOutcome]) -> None:
    """Raise the first extraction error if every page failed and at least one page was readable."""
    failures = [outcome.result for outcome in readable if isinstance(outcome.result, ToolError)]
    if failures and all(isinstance(outcome.result, ToolError) for outcome in outcomes):
        raise failures[0]
