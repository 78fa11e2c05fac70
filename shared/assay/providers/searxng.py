"""SearXNG, an instance of the operator's own. https://docs.searxng.org/dev/search_api.html"""

import re
from base64 import b64encode
from collections.abc import Mapping
from typing import Any, ClassVar

from assay.errors import Blocked, ConfigError, ToolError, UpstreamFailed
from assay.models import WebHit, WebQuery
from assay.net.http import Got, Http
from assay.providers import WEB_FIELDS, Hits, Provider, dug, kept, rows, web_hit
from assay.settings import Settings
from assay.text.dates import rfc3339

SAFE = {"off": 0, "medium": 1, "high": 2}
ENGINE = re.compile(r"[\w .-]{1,30}")


class Searxng(Provider):
    name = "searxng"
    key_name = "SEARXNG_URL"
    honours: ClassVar = {"web": WEB_FIELDS}

    def __init__(self, http: Http, settings: Settings, **seams: Any) -> None:
        super().__init__(http, settings, **seams)
        self.base_url = settings.base_url(self.name, self.key).removesuffix("/search")
        self._headers = _headers(settings)

    def headers(self) -> Mapping[str, str]:
        return self._headers

    def refusal(self, got: Got) -> ToolError | None:
        if got.status == 403:
            return Blocked(
                "searxng refuses us (HTTP 403): enable the json format in its settings.yml, or check its credentials.",
                provider=self.name,
            )
        return super().refusal(got)

    async def web(self, ask: WebQuery) -> Hits[WebHit]:
        query, warnings = self.text(ask)
        if ask.country and not ask.language:
            warnings.append("searxng takes a country only together with a language; it was ignored.")
        answer = await self.get(
            "/search",
            q=query,
            format="json",
            categories="general",
            language=_language(ask),
            time_range=ask.time_range,
            safesearch=SAFE[ask.safe],
            pageno=1,
        )
        return kept((self._hit(row) for row in self._rows(answer)), self.name, warnings=warnings)

    def _rows(self, answer: Any) -> list[Mapping[str, Any]]:
        """The rows. No rows while engines were down is an outage, not an answer."""
        if not answer["results"] and (down := dug(answer, "unresponsive_engines")):
            engines = [engine[0] if isinstance(engine, list) and engine else engine for engine in down]
            said = ", ".join(name for name in engines[:5] if isinstance(name, str) and ENGINE.fullmatch(name))
            raise UpstreamFailed(
                f"searxng found nothing because its engines did not answer ({said or len(engines)}).",
                provider=self.name,
            )
        return rows(answer, "results")

    def _hit(self, row: Mapping[str, Any]) -> WebHit | None:
        published = rfc3339(row.get("publishedDate"), self.clock())
        return web_hit(row.get("title"), row.get("url"), row.get("content"), published_at=published)


def _language(ask: WebQuery) -> str | None:
    """SearXNG's language carries the country: `de`, `de-CH`."""
    if not ask.language:
        return None
    base = ask.language.split("-")[0].lower()
    return f"{base}-{ask.country.upper()}" if ask.country else ask.language


def _printable(text: str) -> bool:
    return text.isascii() and text.isprintable()


def _headers(settings: Settings) -> dict[str, str]:
    """Basic credentials and fixed headers of the instance; an Authorization among the headers wins."""
    headers: dict[str, str] = {}
    if basic := settings.key("SEARXNG_BASIC_AUTH"):
        headers["Authorization"] = "Basic " + b64encode(basic.encode()).decode()
    for pair in filter(str.strip, settings.key("SEARXNG_HEADERS").split(",")):
        name, colon, value = (part.strip() for part in pair.partition(":"))
        if not colon or not name.replace("-", "").replace("_", "").isalnum() or not _printable(name + value):
            raise ConfigError(
                'SEARXNG_HEADERS is not of the form "Name: value, Name2: value2".',
                field="SEARXNG_HEADERS",
                provider="searxng",
                action="inform_user",
            )
        headers[name.title()] = value
    return headers
