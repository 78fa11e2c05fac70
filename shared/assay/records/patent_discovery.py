"""Patents by way of the web: pages of Google Patents that a search engine knows, read for their facts."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Sequence

from assay.errors import RateLimited, ToolError
from assay.models.common import WebHit, WebQuery
from assay.models.patents import Patent, PatentQuery
from assay.provider_base.parsing.patent_fields import filed_within, patent
from assay.provider_base.parsing.patent_numbers import Number, in_path

SITE = "patents.google.com"
MORE, MOST = 5, 10  # hits beyond those wanted, since some will be left out; and at a time
READ_AT_ONCE, SECONDS = 3, 25.0

type Page = Callable[[Number], Awaitable[Patent]]
type Found = tuple[Number, WebHit]


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


async def read(hits: Iterable[WebHit], page: Page, ask: PatentQuery, seconds: float) -> tuple[list[Patent], list[str]]:
    """The patents whose pages were found, in their order, and a word on those that could not be read.

    No more pages are read than are needed for as many as were asked for. One that fails or comes too late leaves what
    the search engine says of it.
    """
    office = "" if ask.patent_office == "all" else ask.patent_office
    numbers = {str(number): (number, hit) for hit in hits if (number := in_path(hit.url))}
    left = deque(found for name, found in numbers.items() if name.startswith(office))
    reader, good = PatentPageReader(page, asyncio.get_running_loop().time() + min(SECONDS, seconds)), list[Patent]()
    while left and len(good) < ask.num_results:
        batch = [left.popleft() for _ in range(min(len(left), ask.num_results - len(good)))]
        good += filed_within(await reader.read(batch), ask.year_from, ask.year_to)
    unread = reader.unread
    return good, [f"{unread} page(s) of patents could not be read: owner and dates are unknown."] if unread else []


class PatentPageReader:
    """Reads pages a few at a time until a moment of the loop's clock; none any more once the host wants fewer."""

    def __init__(self, page: Page, until: float) -> None:
        self.unread = 0
        self._page, self._until = page, until
        self._gate = asyncio.Semaphore(READ_AT_ONCE)
        self._limit: RateLimited | None = None

    async def read(self, found: Sequence[Found]) -> list[Patent]:
        """What the pages tell, in their order."""
        tasks = [asyncio.create_task(self._one(number)) for number, _ in found]
        try:
            await asyncio.wait(tasks, timeout=max(0.0, self._until - asyncio.get_running_loop().time()))
        finally:
            for task in tasks:
                task.cancel()
            outcomes = await asyncio.gather(*tasks, return_exceptions=True)
        told = (self._parse_page(*one, outcome) for one, outcome in zip(found, outcomes, strict=True))
        return [one for one in told if one]

    async def _one(self, number: Number) -> Patent:
        async with self._gate:
            if self._limit:
                raise self._limit
            try:
                return await self._page(number)
            except RateLimited as limit:
                self._limit = limit
                raise

    def _parse_page(self, number: Number, hit: WebHit, outcome: Patent | BaseException) -> Patent | None:
        if isinstance(outcome, Patent):
            return outcome
        if not isinstance(outcome, ToolError | asyncio.CancelledError):
            raise outcome
        self.unread += 1
        return patent(hit.title, number, abstract=hit.snippet)


def _safe(name: str) -> str:
    return " ".join(name.replace('"', " ").split())
