"""Extracts data from several pages concurrently, under one budget."""

import asyncio
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from assay.errors import ConfigError, InvalidInput, Network, ToolError
from assay.extraction import page_extraction
from assay.extraction.llm import PROVIDER, model_of
from assay.extraction.page_extraction import ExtractionResult, TokenUsage
from assay.extraction.prompt import PagePrompt
from assay.extraction.target_schema import TargetSchema
from assay.net.urls import canonical
from assay.scraping import batch_scraping, error_mapping
from assay.scraping.snapshot_content import PageSnapshot
from assay.scraping.snapshots import FetchMode
from assay.settings import Settings
from assay.state.budget import MILLION, spending
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
    fate: ExtractionResult | ToolError = field(
        default_factory=lambda: Network("The page was not processed.", retry_after=5)
    )


@dataclass
class ExtractionBatch:
    """The outcomes in the order of the URLs, the model, and the cost."""

    outcomes: list[ExtractionOutcome]
    model: str | None
    used: TokenUsage
    cost: int | None  # micro-dollars; None if unknown


async def extract_many(
    urls: Sequence[str], prompt: str, wanted: TargetSchema | None, mode: FetchMode, ctx: "Context"
) -> ExtractionBatch:
    """Extract the facts of every page; the outcomes are in the order of `urls`.

    Raises InvalidInput or TooDear, before any model request, if pages and prompt exceed the token or cost limit of a
    call, and the extraction's own error if it failed for every page.
    """
    model = model_of(ctx.services)
    outcomes = await _scrape_all(list(dict.fromkeys(urls)), mode, ctx)
    readable = [one for one in outcomes if one.snapshot is not None]
    used = TokenUsage()
    cost: int | None = None
    if model is None:
        await map_concurrently(lambda one: _extract_declared(one, wanted), readable)
    elif readable:
        cost = await _ask_model(readable, prompt, wanted, model, used, ctx)
    _raise_if_all_failed(outcomes, readable)
    found = {one.url: one for one in outcomes}
    return ExtractionBatch([found[url] for url in urls], model.name if model else None, used, cost)


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
        return ExtractionOutcome(url, fate=snapshot)
    failure = error_mapping.status_error(canonical(url), snapshot.status)
    return ExtractionOutcome(url, fate=failure) if failure else ExtractionOutcome(url, snapshot)


async def _extract_declared(one: ExtractionOutcome, wanted: TargetSchema | None) -> None:
    assert one.snapshot is not None
    try:
        one.fate = await asyncio.to_thread(page_extraction.by_declaration, wanted, one.snapshot)
    except ToolError as failure:
        one.fate = failure


async def _ask_model(
    outcomes: Sequence[ExtractionOutcome],
    prompt: str,
    wanted: TargetSchema | None,
    model: Model,
    used: TokenUsage,
    ctx: "Context",
) -> int | None:
    """Send one model request per page, within the limits of the call; return the cost in micro-dollars."""
    settings = ctx.services.settings
    room = settings.llm_room - settings.llm_answer
    questions = [page_extraction.question(prompt, wanted, one.snapshot, room) for one in outcomes if one.snapshot]
    likely = sum(question.tokens for question in questions)
    _within_tokens(likely, len(questions), settings)
    lost: list[PagePrompt] = []

    async def one_page(page: tuple[ExtractionOutcome, PagePrompt]) -> None:
        one, question = page
        assert one.snapshot is not None
        try:
            one.fate = await page_extraction.by_model(
                question,
                wanted,
                one.snapshot,
                model,
                used,
                settings.llm_answer,
                lambda: ctx.time_left() - RESERVE_SECONDS,
            )
        except Network as failure:  # the provider may have billed the request although its answer was lost
            lost.append(question)
            one.fate = failure
        except ToolError as failure:
            one.fate = failure
        await ctx.report_step("The model has answered for a page")

    ctx.plan_steps(len(questions))
    most = _round_price(_price_tokens(likely, len(questions) * settings.llm_answer, settings))
    async with spending(PROVIDER, most) as bill:
        await map_concurrently(one_page, zip(outcomes, questions, strict=True), limit=MAX_CONCURRENT_REQUESTS)
        unheard = sum(question.tokens for question in lost)
        bill.settle(_cost(used, settings, unheard) or 0)
    return _cost(used, settings)


def _within_tokens(likely: int, pages: int, settings: Settings) -> None:
    total = likely + pages * settings.llm_answer
    if total > settings.llm_call:
        raise InvalidInput(
            f"cinder_extract would take about {total} tokens for {pages} page(s); a call may take {settings.llm_call}. "
            "Send fewer urls or a shorter prompt (LLM_CALL_TOKENS sets the limit).",
            field="urls",
        )


def _price_tokens(inputs: int, outputs: int, settings: Settings) -> int:
    """Return the price of the tokens in micro-dollars. Raises ConfigError if a budget is set without a token price."""
    known = settings.llm_input_price is not None and settings.llm_output_price is not None
    if not known and (settings.max_call_cost is not None or settings.daily_budget is not None):
        raise ConfigError(
            "A budget is set, but the price of the model is not: set LLM_INPUT_USD_PER_MILLION "
            "and LLM_OUTPUT_USD_PER_MILLION (0 for a self-hosted model).",
            field="LLM_INPUT_USD_PER_MILLION",
            action="inform_user",
        )
    return math.ceil((inputs * (settings.llm_input_price or 0) + outputs * (settings.llm_output_price or 0)) / MILLION)


def _cost(used: TokenUsage, settings: Settings, unheard: int = 0) -> int | None:
    """Return the cost as the provider reports it, else computed from the token prices; None if neither is known."""
    if used.cost is not None:
        return used.cost
    if settings.llm_input_price is None or settings.llm_output_price is None:
        return None
    return _price_tokens(used.input_tokens + unheard, used.output_tokens, settings)


def _round_price(amount: int) -> int:
    """Round up to two significant digits: the ledger groups its records by price."""
    step: int = 10 ** max(0, len(str(amount)) - 2)
    return -(-amount // step) * step


def _raise_if_all_failed(outcomes: Sequence[ExtractionOutcome], readable: Sequence[ExtractionOutcome]) -> None:
    """Raise the first extraction error if every page failed and at least one page was readable."""
    failures = [one.fate for one in readable if isinstance(one.fate, ToolError)]
    if failures and all(isinstance(one.fate, ToolError) for one in outcomes):
        raise failures[0]
