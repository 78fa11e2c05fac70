"""MediaWiki: Wikipedia in any language, or the wiki at MEDIAWIKI_BASE_URL.

Documentation: https://www.mediawiki.org/wiki/API:Main_page
Authentication: none; the User-Agent carries a contact address.
Limits: 20 extracts a request.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import quote

from assay.errors import UpstreamFailed
from assay.net.agents import add_contact
from assay.net.provider_client import AGENT, ONCE
from assay.provider_base.provider import Provider
from assay.provider_base.results import get_path
from assay.text.url_text import parse_http_url
from assay.text.user_info import remove_url_user_info

MAX_REQUESTS = 5  # the API returns twenty extracts a request
MAX_RESULTS = 10


class WikiArticle(NamedTuple):
    """A page of the wiki; `extract` is its introduction in plain text."""

    title: str
    url: str
    extract: str


class MediaWiki(Provider):
    """`language` is a Wikipedia language code. Callers must validate it, since it becomes part of a host name."""

    name = "mediawiki"
    seconds = 5.0

    def __init__(self, *args: Any, language: str = "en", **seams: Any) -> None:
        super().__init__(*args, **seams)
        self.language = language
        self.base_url = self.base_url or f"https://{language}.wikipedia.org"

    def headers(self) -> Mapping[str, str]:
        return {"User-Agent": add_contact(AGENT, self.settings)}

    async def get_by_titles(self, titles: str, seconds: float = 5.0) -> list[WikiArticle]:
        """The pages of the titles (separated by `|`), sorted; redirects are followed. Missing pages have no extract."""
        params: dict[str, Any] = {
            "action": "query",
            "prop": "extracts",
            "exintro": 1,
            "explaintext": 1,
            "exlimit": "max",
            "redirects": 1,
            "titles": titles,
            "uselang": self.language,
            "format": "json",
        }
        found: dict[str, str] = {}
        for _ in range(MAX_REQUESTS):
            answer = await self._query_api(params, seconds)
            for page in _list_pages(answer):
                title, extract = page.get("title"), page.get("extract")
                if isinstance(title, str):
                    found[title] = extract if isinstance(extract, str) and extract else found.get(title, "")
            continuation = get_path(answer, "continue")
            if not isinstance(continuation, Mapping):
                break
            params |= {str(name): value for name, value in continuation.items() if isinstance(value, str | int)}
        return [WikiArticle(title, self.url_of(title), found[title].strip()) for title in sorted(found)]

    async def search(self, words: str, seconds: float = 5.0) -> list[WikiArticle]:
        """The pages whose titles start with `words`, in the wiki's order, with their descriptions if present."""
        params = {
            "action": "opensearch",
            "search": words,
            "limit": MAX_RESULTS,
            "uselang": self.language,
            "format": "json",
        }
        answer = await self._query_api(params, seconds)
        lists = answer[1:4] if isinstance(answer, list) else []
        if len(lists) < 3 or not all(isinstance(column, list) for column in lists):
            raise UpstreamFailed("unexpected opensearch response", provider=self.name)
        titles, descriptions, urls = lists
        return [
            WikiArticle(title, _get_link(urls, row) or self.url_of(title), _get_text(descriptions, row))
            for row, title in enumerate(titles)
            if isinstance(title, str)
        ]

    async def extracts(self, articles: Sequence[WikiArticle], seconds: float = 5.0) -> list[WikiArticle]:
        """The same articles with their extracts."""
        extracts = {
            article.title: article.extract
            for article in await self.get_by_titles("|".join(a.title for a in articles), seconds)
        }
        return [article._replace(extract=article.extract or extracts.get(article.title, "")) for article in articles]

    def url_of(self, title: str) -> str:
        return f"https://{self.language}.wikipedia.org/wiki/{quote(title.replace(' ', '_'), safe='-_.~$&+=:@')}"

    async def _query_api(self, params: Mapping[str, Any], seconds: float) -> Any:
        response = await self.exchange("GET", "/w/api.php", params=params, seconds=seconds, tries=ONCE, redirects=5)
        return response.body


def _list_pages(answer: Any) -> list[Mapping[str, Any]]:
    """The pages of an answer, which are a list or an object keyed by page id."""
    if not isinstance(answer, Mapping):
        raise TypeError("the answer is not an object")
    pages = get_path(answer, "query", "pages") or []
    listed = pages.values() if isinstance(pages, Mapping) else pages
    return [page for page in listed if isinstance(page, Mapping)]


def _get_link(column: list[Any], row: int) -> str:
    found = parse_http_url(remove_url_user_info(_get_text(column, row)))
    return found.href if found else ""


def _get_text(column: list[Any], row: int) -> str:
    value = column[row] if row < len(column) else ""
    return value if isinstance(value, str) else ""
