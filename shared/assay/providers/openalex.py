"""OpenAlex. https://developers.openalex.org"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from assay.errors import AuthRequired, InvalidInput
from assay.net.retry import Tries
from assay.providers import Provider, counted, dug, rows

FIELDS = "display_name,title,doi,publication_year,open_access,authorships,cited_by_count"
PAGE = re.compile(r"page:([1-9]\d{0,3})")  # our cursor where OpenAlex grants none: a page's number
REACH = 10_000  # results that page numbers reach


class Works(NamedTuple):
    """Works as OpenAlex describes them, and where the next ones are; None at the end."""

    rows: list[Mapping[str, Any]]
    next_cursor: str | None


class OpenAlex(Provider):
    name = "openalex"
    address = "https://api.openalex.org"

    @property
    def named(self) -> dict[str, str | None]:
        """Who asks: a key pays for more, an address gets better service; None where the operator gives none."""
        return {
            "api_key": self.settings.key("OPENALEX_API_KEY") or None,
            "mailto": self.settings.key("OPENALEX_EMAIL") or self.settings.key("CROSSREF_MAILTO") or None,
        }

    async def works(
        self,
        query: str,
        *,
        since: str = "",
        until: str = "",
        per_page: int = 10,
        cursor: str = "",
        seconds: float = 8.0,
    ) -> Works:
        """The works that match, from `since` to `until` (YYYY-MM-DD); `cursor` is the `next_cursor` of a former answer.

        OpenAlex may refuse cursors to who has no key: then its pages are counted instead.
        """
        dates = {"from_publication_date": since, "to_publication_date": until}
        asked = {
            "search": query,
            "filter": ",".join(f"{name}:{date}" for name, date in dates.items() if date) or None,
            "per-page": per_page,
            "select": FIELDS,
        }
        if numbered := PAGE.fullmatch(cursor):
            return await self._page(asked, int(numbered[1]), seconds)
        try:
            answer = await self._asked(asked | {"cursor": cursor or "*"}, seconds)
        except AuthRequired:
            if self.named["api_key"] or cursor:
                raise
            return await self._page(asked, 1, seconds)
        onward = dug(answer, "meta", "next_cursor")
        return Works(rows(answer, "results"), onward if isinstance(onward, str) and onward else None)

    async def _page(self, asked: Mapping[str, Any], number: int, seconds: float) -> Works:
        reached = number * asked["per-page"]
        if reached > REACH:
            raise InvalidInput(f"OpenAlex shows {REACH} results without a key; narrow the question.", field="cursor")
        answer = await self._asked({**asked, "page": number}, seconds)
        more = min(counted(dug(answer, "meta", "count")) or 0, REACH) > reached
        return Works(rows(answer, "results"), f"page:{number + 1}" if more else None)

    async def _asked(self, asked: Mapping[str, Any], seconds: float) -> Any:
        tries = Tries(2, each=seconds, late=True)
        sent = {**asked, **self.named}
        return (
            await self.exchange("GET", "/works", params=sent, seconds=2 * seconds + 1, tries=tries, redirects=5)
        ).body
