"""Patent search without a patent API: a web search for Google Patents pages, whose metadata is then read."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Sequence

from assay.errors import RateLimited, ToolError
from assay.models.common import WebHit, WebQuery
from assay.models.patents import Patent, PatentQuery
from assay.provider_base.parsing.patent_fields import build_patent, filter_by_filing_year
from assay.provider_base.parsing.patent_numbers import Number, find_in_path
from assay.state.concurrent_map import Unfinished, map_until

SITE = "patents.google.com"
EXTRA_HITS, MAX_HITS = 5, 10  # extra ones, because filters will drop some; and the limit of one web search
MAX_CONCURRENT, SECONDS = 3, 25.0

type FetchPage = Callable[[Number], Awaitable[Patent]]
type NumberedHit = tuple[Number, WebHit]


def build_web_query(query: PatentQuery, count: int) -> WebQuery:
    """The patent query as a web query; filters become words of the query."""
    words = (
        query.query,
        f'"{_clean_name(query.assignee)}"' if query.assignee else "",
        f'inventor:"{_clean_name(query.inventor)}"' if query.inventor else "",
        f"CPC={query.cpc_code}" if query.cpc_code else "",
        "" if query.patent_office == "all" else query.patent_office,
        str(query.year_from or ""),
        str(query.year_to or ""),
    )
    text = " ".join(word for word in words if word)[:500]
    return WebQuery(query=text, site=SITE, num_results=min(MAX_HITS, count + EXTRA_HITS))


async def read_patents(
    hits: Iterable[WebHit], page: FetchPage, query: PatentQuery, seconds: float
) -> tuple[list[Patent], list[str]]:
    """The patents of the hits, in order, and a warning about pages that could not be read.

    Only as many pages are read as needed for `num_results`. If a page fails or is late, the patent has only the
    title and the snippet of its hit.
    """
    office = "" if query.patent_office == "all" else query.patent_office
    numbers = {str(number): (number, hit) for hit in hits if (number := find_in_path(hit.url))}
    remaining = deque(found for name, found in numbers.items() if name.startswith(office))
    reader, good = PatentPageReader(page, asyncio.get_running_loop().time() + min(SECONDS, seconds)), list[Patent]()
    while remaining and len(good) < query.num_results:
        batch = [remaining.popleft() for _ in range(min(len(remaining), query.num_results - len(good)))]
        good += filter_by_filing_year(await reader.read(batch), query.year_from, query.year_to)
    unread = reader.unread
    return good, [f"{unread} patent page(s) could not be read; their owners and dates are unknown."] if unread else []


class PatentPageReader:
    """Reads pages, a few at a time, until a deadline on the event loop's clock; stops at the first rate limit."""

    def __init__(self, page: FetchPage, until: float) -> None:
        self.unread = 0
        self._page, self._until = page, until
        self._is_limited = False

    async def read(self, found: Sequence[NumberedHit]) -> list[Patent]:
        """The patents of the pages, in order."""
        seconds = self._until - asyncio.get_running_loop().time()
        numbers = [number for number, _ in found]
        outcomes = await map_until(self._fetch, numbers, seconds=seconds, limit=MAX_CONCURRENT)
        patents = (self._to_patent(*one, outcome) for one, outcome in zip(found, outcomes, strict=True))
        return [one for one in patents if one]

    async def _fetch(self, number: Number) -> Patent | None:
        """The patent, None if its page cannot be read."""
        if self._is_limited:
            return None
        try:
            return await self._page(number)
        except ToolError as failure:
            self._is_limited |= isinstance(failure, RateLimited)
            return None

    def _to_patent(self, number: Number, hit: WebHit, outcome: Patent | Unfinished | None) -> Patent | None:
        if isinstance(outcome, Patent):
            return outcome
        self.unread += 1
        return build_patent(hit.title, number, abstract=hit.snippet)


def _clean_name(name: str) -> str:
    return " ".join(name.replace('"', " ").split())
