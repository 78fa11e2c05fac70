"""Patents by way of the web: pages of Google Patents that a search engine knows, read for their facts."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from assay.errors import RateLimited, ToolError
from assay.models import WebHit, WebQuery
from assay.patents import Patent, PatentQuery
from assay.text.patent_numbers import Number, in_path
from assay.text.patent_rows import patent

SITE = "patents.google.com"
MORE, MOST = 5, 10  # hits beyond those wanted, since some will be left out; and at a time
READ_AT_ONCE, SECONDS = 3, 25.0

type Page = Callable[[Number], Awaitable[Patent]]


def question(ask: PatentQuery, wanted: int) -> WebQuery:
    """The same question for a search engine: what it cannot filter by stands among its words."""
    words = (
        ask.query,
        f'"{_safe(ask.assignee)}"' if ask.assignee else "",
        f'inventor:"{_safe(ask.inventor)}"' if ask.inventor else "",
        f"CPC={ask.cpc_code}" if ask.cpc_code else "",
        "" if ask.patent_office == "all" else ask.patent_office,
        str(ask.year_from or ""),
        str(ask.year_to or ""),
    )
    text = " ".join(word for word in words if word)[:500]
    return WebQuery(query=text, site=SITE, num_results=min(MOST, wanted + MORE))


async def read(hits: Iterable[WebHit], page: Page, seconds: float) -> tuple[list[Patent], list[str]]:
    """The patents whose pages were found, in their order, and a word on those that could not be read.

    A page that fails or comes too late leaves what the search engine says of it.
    """
    numbers = {str(number): (number, hit) for hit in reversed(list(hits)) if (number := in_path(hit.url))}
    found = list(reversed(numbers.values()))
    gate = asyncio.Semaphore(READ_AT_ONCE)

    limited: list[RateLimited] = []

    async def one(number: Number) -> Patent:
        async with gate:
            if limited:
                raise limited[0]
            try:
                return await page(number)
            except RateLimited as limit:
                limited.append(limit)  # who wants fewer requests gets no more of them
                raise

    tasks = [asyncio.create_task(one(number)) for number, _ in found]
    try:
        if tasks:
            await asyncio.wait(tasks, timeout=min(SECONDS, seconds))
    finally:
        for task in tasks:
            task.cancel()
        outcomes: list[Any] = await asyncio.gather(*tasks, return_exceptions=True)
    return _told(found, outcomes)


def _told(found: list[tuple[Number, WebHit]], outcomes: list[Any]) -> tuple[list[Patent], list[str]]:
    patents, unread = [], 0
    for (number, hit), outcome in zip(found, outcomes, strict=True):
        if isinstance(outcome, Patent):
            patents.append(outcome)
            continue
        if not isinstance(outcome, ToolError | asyncio.CancelledError):
            raise outcome
        unread += 1
        if short := patent(hit.title, number, abstract=hit.snippet):
            patents.append(short)
    return patents, [f"{unread} page(s) of patents could not be read: owner and dates are unknown."] if unread else []


def _safe(name: str) -> str:
    return " ".join(name.replace('"', " ").split())
