"""The base class of the providers, and their lookup by name."""

import logging
import math
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, ClassVar

from assay.errors import (
    KeyRejected,
    Misconfigured,
    NotFound,
    RateLimited,
    Refused,
    ToolError,
    UpstreamFailed,
)
from assay.models.common import Input, WebQuery
from assay.models.filings import FilingQuery
from assay.models.papers import PaperQuery
from assay.models.patents import PatentQuery
from assay.models.public_records import CaseQuery, ObservationQuery, TrialQuery
from assay.models.search_queries import ImageQuery, NewsQuery, PlaceQuery
from assay.net.error_bodies import parse_refusal
from assay.net.provider_client import ProviderClient, ProviderResponse, rejected_key_error
from assay.net.throttle import QueueTooLong, Throttle
from assay.provider_base.results import Hits
from assay.settings import Requirements, Settings
from assay.state.budget import spending
from assay.text.query_operators import exclude_sites, exclude_terms, fit_query, include_sites, quote_phrase
from assay.text.url_text import is_in_domains

log = logging.getLogger("assay")

QUERY_TYPES: Mapping[str, type[Input]] = {
    "web": WebQuery,
    "images": ImageQuery,
    "news": NewsQuery,
    "local": PlaceQuery,
    "academic": PaperQuery,
    "patents": PatentQuery,
    "filings": FilingQuery,
}
WEB_FIELDS, IMAGE_FIELDS, NEWS_FIELDS, PLACE_FIELDS, PAPER_FIELDS, PATENT_FIELDS, FILING_FIELDS = (
    frozenset(kind.model_fields) - {"query"} for kind in QUERY_TYPES.values()
)
REGISTERS: Mapping[str, type[Input]] = {"observations": ObservationQuery, "trials": TrialQuery, "cases": CaseQuery}
QUERY_TYPES = {**QUERY_TYPES, **REGISTERS}  # each register declares the fields it supports
PAGE_OPERATORS = ("after", "before", "filetype")  # operators that most engines share, of a FilteredWebQuery
DAY = 86_400  # seconds
SECONDS = {"hour": 3_600, "day": 86_400, "week": 7 * 86_400, "month": 30 * 86_400, "year": 365 * 86_400}


class FilteredWebQuery(WebQuery):
    """A web query restricted by a lens: its hosts (at most a provider's `sites_limit`), Brave goggle, Google engine.

    `unwanted` hosts are excluded, `days` is the maximum age, `page` counts pages of `num_results` from 0. Pages must be
    published between the days `after` and `before` (ISO 8601); `filetype` is a file extension such as `pdf`.
    """

    sites: tuple[str, ...] = ()
    goggle: str | None = None
    cx: str | None = None
    unwanted: tuple[str, ...] = ()
    days: int | None = None
    page: int = 0
    after: str | None = None
    before: str | None = None
    filetype: str | None = None


class LocalQueueFull(RateLimited):
    """The local queue for a rate-limited provider is too long; no request was sent."""


class Provider:
    """The client of one upstream. It offers an operation (`web`, `news`, `academic`, …) by a method of that name.

    `supported_filters` has, per operation, the query fields that the upstream supports; `max_results` the most results
    it returns at a time, where the tools allow more; `min_time_range` its shortest time range.
    """

    name: ClassVar[str]
    address: ClassVar[str] = ""
    key_name: ClassVar[str] = ""
    credential_name: ClassVar[str] = ""  # the variable of its optional key, if that is not `key_name`
    variables: ClassVar[Requirements | None] = None  # if it needs more or other settings than `key_name`
    supported_filters: ClassVar[Mapping[str, frozenset[str]]] = {}
    max_results: ClassVar[Mapping[str, int]] = {}
    min_time_range: ClassVar[str] = "day"
    reports_rate_limit: ClassVar[bool] = False  # its responses state how many requests a second it accepts
    max_query_chars: ClassVar[int] = 2_000
    max_query_words: ClassVar[int] = 0  # 0 is no limit
    sites_limit: ClassVar[int] = 10
    own_hosts: ClassVar[tuple[str, ...]] = ()  # hosts of all its results; a query for another site finds links to it
    page_size: ClassVar[int] = 10  # web results per request, at the price of one request
    max_pages: ClassVar[int] = 1  # pages of web results that can be requested
    supports_max_age: ClassVar[bool] = False  # it accepts an age in days, not only time ranges
    origins: ClassVar[frozenset[str]] = frozenset()  # of works: the `source` values it can search
    price: ClassVar[int] = 0  # micro-dollars per request, at the pay-as-you-go list price
    prices: ClassVar[Mapping[str, int]] = {}  # of operations with another price
    seconds: float = 10.0
    queue_seconds: float = 5.0  # a longer wait for a turn raises LocalQueueFull instead

    def __init__(self, http: ProviderClient, settings: Settings, *, clock: Callable[[], float] = time.time) -> None:
        self.http, self.settings, self.clock = http, settings, clock
        self.base_url = settings.base_url(self.name, self.address)
        self.key = settings.key(self.key_name) if self.key_name else ""
        self.throttle = Throttle(interval_known=not self.reports_rate_limit)

    @property
    def min_interval(self) -> float:
        """Minimum seconds between two requests; 0 is no limit."""
        return self.throttle.interval

    @min_interval.setter
    def min_interval(self, seconds: float) -> None:
        self.throttle.interval = seconds

    @classmethod
    def requirements(cls) -> Requirements:
        """Alternative sets of variables: the provider is usable if one set is complete. Empty if it needs none."""
        if cls.variables is not None:
            return cls.variables
        return ((cls.key_name,),) if cls.key_name else ()

    @classmethod
    def is_configured(cls, settings: Settings) -> bool:
        return settings.meets(cls.requirements())

    @classmethod
    def required_setting(cls, settings: Settings) -> str:
        """The variable to set to make the provider usable; "" if it needs none."""
        return first_missing_setting(cls.requirements(), settings)

    @classmethod
    def supports(cls, operation: str) -> bool:
        return operation in cls.supported_filters

    def headers(self) -> Mapping[str, str]:
        return {}

    def refusal(self, response: ProviderResponse) -> ToolError | None:
        """The error that the response body describes, whatever the status; None if only the status counts."""
        return parse_refusal(self.name, response)

    def actual_cost(self, response: ProviderResponse) -> int | None:  # noqa: ARG002  # overridden where responses state their cost
        """The cost that the response states, in micro-dollars; None if it states none."""
        return None

    def validate(self, operation: str, query: Input) -> None:
        """Raise InvalidInput for a query that the upstream is known to reject, before a paid request is sent."""

    async def get(self, path: str, **params: Any) -> Any:
        """Return the JSON at `path`; parameters that are None are left out."""
        return (await self.exchange("GET", path, params=params)).body

    async def post(self, path: str, body: Mapping[str, Any], **options: Any) -> Any:
        """Post the JSON `body` without its None fields, and return the JSON of the response."""
        fields = {name: value for name, value in body.items() if value is not None}
        return (await self.exchange("POST", path, json=fields, **options)).body

    async def exchange(
        self, method: str, path: str, *, price: int | None = None, base: str | None = None, **options: Any
    ) -> ProviderResponse:
        """Send one request and charge it to the current call: at `price`, by default the provider's.

        The operator's own price replaces both, and the cost that the response states replaces any price. `base` is
        another host of the same upstream.
        """
        url = (base or self.base_url) + path
        self._check_address(url)
        headers = {**self.headers(), **(options.pop("headers", None) or {})}
        price = self.settings.provider_prices.get(self.name, self.price if price is None else price)
        async with spending(self.name, price) as bill:
            try:
                response = await self.http.request(
                    self.name,
                    method,
                    url,
                    headers=headers,
                    repeated=lambda: bill.add_failed_try(price),
                    **{"seconds": self.seconds, "refusal": self.refusal, **options},
                )
            except KeyRejected as rejected:
                variable = self.credential_name or self.key_name
                raise rejected_key_error(self.name, variable, self.settings) from rejected
            bill.settle(self.actual_cost(response))
        return response

    def _check_address(self, url: str) -> None:
        """Raise Misconfigured, which names the variable, unless the URL begins as one of HTTP."""
        if not url[:8].lower().startswith(("http://", "https://")):
            own = self.key_name if self.key_name.endswith("_URL") and self.key else ""
            variable = own or f"{self.name.upper()}_BASE_URL"
            sentence = f"The address of {self.name} must begin with http:// or https://. Correct {variable}."
            raise Misconfigured(sentence, provider=self.name, field=variable)

    async def ask(self, operation: str, query: Input) -> Hits[Any]:
        """Return the hits of one operation. Raises as `readable_search`."""
        hits = await self.readable_search(getattr(self, operation)(query))
        return hits if isinstance(hits, Hits) else Hits(hits)

    async def readable_search[T](self, answer: Awaitable[T]) -> T:
        """Await the result of a search or look-up. Raises UpstreamFailed for an unreadable response.

        Raises Refused if the endpoint itself answers 404, which does not mean that there are no results.
        """
        try:
            return await self.readable(answer)
        except NotFound as missing:
            sentence = f"The search endpoint of {self.name} does not exist."
            raise Refused(sentence, provider=self.name) from missing

    async def readable[T](self, answer: Awaitable[T]) -> T:
        """Await an operation's result. Raises UpstreamFailed for an unreadable response."""
        try:
            return await answer
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as wrong:
            log.info("the response of %s has an unexpected structure", self.name, exc_info=True)
            raise UpstreamFailed(
                f"The response of {self.name} has an unexpected structure.", provider=self.name
            ) from wrong

    @staticmethod
    def expect_fields(answer: Any, *names: str) -> None:
        """Raise TypeError unless the answer is a JSON object with at least one of the fields `names`.

        An answer without any of them is not a search with no results, so it must not be reported as one.
        """
        if not isinstance(answer, Mapping) or not set(names) & set(answer):
            raise TypeError(f"the answer has none of the fields {', '.join(names)}")

    async def wait_for_slot(self) -> None:
        """Wait for a turn at a rate-limited provider. Raises LocalQueueFull if the queue is too long."""
        try:
            await self.throttle.wait(self.queue_seconds)
        except QueueTooLong as queue:
            raise LocalQueueFull(
                f"{self.name} accepts one request every {self.min_interval:g} seconds, and other requests are waiting.",
                provider=self.name,
                retry_after=math.ceil(queue.seconds),
            ) from None

    def count(self, operation: str, query: Input) -> int:
        """The number of results to request: those wanted, up to the provider's maximum."""
        requested = int(getattr(query, "num_results", 10))
        return min(requested, self.max_results.get(operation, requested))

    def window(self, query: NewsQuery, warnings: list[str]) -> str:
        """The time range to request; adds a warning if the upstream does not support hours."""
        if query.time_range != "hour" or self.min_time_range == "hour":
            return query.time_range
        warnings.append(f"{self.name} supports no time range shorter than a day; the last day was searched.")
        return "day"

    def since(self, query: Input) -> str | None:
        """The earliest day (ISO 8601) of a query with a maximum age in days; else None."""
        days = getattr(query, "days", None)
        return None if days is None else datetime.fromtimestamp(self.clock() - days * DAY, UTC).date().isoformat()

    def hosts(self, query: Input) -> list[str] | None:
        """The hosts of the site or the lens, for engines with a parameter for hosts. Paths are filtered later."""
        return list(dict.fromkeys(site.partition("/")[0] for site in _list_sites(query))) or None

    def site(self, query: Input) -> tuple[str, str]:
        """Host and path of the query's site; each "" if there is none."""
        name = getattr(query, "site", None) or getattr(query, "news_source", None) or ""
        host, _, path = name.partition("/")
        return host, path

    @classmethod
    def is_own(cls, site: str) -> bool:
        """Whether the site (`host` or `host/path`) holds this provider's own pages."""
        return is_in_domains(f"https://{site}", cls.own_hosts)

    def build_query(
        self, query: WebQuery | NewsQuery | ImageQuery | PlaceQuery, *, native: Iterable[str] = ()
    ) -> tuple[str, list[str]]:
        """The query as this engine's search text, and a warning if it was shortened.

        `native` names the fields that are sent as parameters of their own.
        """
        native = set(native)
        operators = (
            quote_phrase(getattr(query, "exact_terms", None)) if "exact_terms" not in native else "",
            exclude_terms(getattr(query, "exclude_terms", None)) if "exclude_terms" not in native else "",
            include_sites(_list_sites(query)) if "site" not in native else "",
            exclude_sites(getattr(query, "unwanted", ()), self.max_query_chars // 4) if "site" not in native else "",
            *(
                f"{name}:{value}"
                for name in PAGE_OPERATORS
                if name not in native and (value := getattr(query, name, None))
            ),
        )
        query_text, cut = fit_query(query.query, operators, characters=self.max_query_chars, words=self.max_query_words)
        return query_text, [f"The query is too long for {self.name}; its end was cut off."] if cut else []


def _list_sites(query: Input) -> tuple[str, ...]:
    name = getattr(query, "site", None) or getattr(query, "news_source", None)
    return getattr(query, "sites", ()) or ((name,) if name else ())


def first_missing_setting(requirements: Requirements, settings: Settings) -> str:
    """The first unset variable of the first set, or its last if all are set; "" without requirements."""
    names = requirements[0] if requirements else ("",)
    return next((name for name in names[:-1] if not settings.key(name)), names[-1])
