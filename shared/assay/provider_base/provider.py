"""What the providers have in common, and how they are found by name."""

import logging
import math
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from datetime import UTC, datetime
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, ClassVar

from assay.errors import ConfigError, NotFound, RateLimited, Refused, ToolError, UpstreamFailed
from assay.models.common import Input, WebQuery
from assay.models.filings import FilingQuery
from assay.models.papers import PaperQuery
from assay.models.patents import PatentQuery
from assay.models.public_records import CaseQuery, ObservationQuery, TrialQuery
from assay.models.search_queries import ImageQuery, NewsQuery, PlaceQuery
from assay.net.error_bodies import refused_in_words
from assay.net.provider_client import ProviderClient, ProviderResponse
from assay.net.throttle import QueueTooLong, Throttle
from assay.provider_base.results import Hits
from assay.settings import Requirements, Settings
from assay.state.budget import spending
from assay.text.plain_text import to_plain_text
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
QUERY_TYPES = {**QUERY_TYPES, **REGISTERS}  # each register says itself which fields it honours
PAGE_OPERATORS = ("after", "before", "filetype")  # operators that most engines share, of a Sited question
DAY = 86_400  # seconds
SECONDS = {"hour": 3_600, "day": 86_400, "week": 7 * 86_400, "month": 30 * 86_400, "year": 365 * 86_400}


class FilteredWebQuery(WebQuery):
    """A question inside a lens: its hosts (at most a provider's `sites_limit`), its Brave goggle, its Google engine.

    `unwanted` hosts are kept out, `days` is the greatest age, `page` counts pages of `num_results` from 0. `after` and
    `before` are days (ISO 8601) between which a page was published, `filetype` is an ending such as `pdf`.
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
    """Our own queue for a paced provider is too long; the provider has not been asked."""


class Provider:
    """An upstream. A public method named after an operation (`web`, `news`, `papers`, …) is an offer.

    `honours` names, per operation, the fields of the question that the upstream can honour; `most` how many results
    it gives at a time, where that is fewer than may be asked for; `shortest` its shortest window of time.
    """

    name: ClassVar[str]
    address: ClassVar[str] = ""
    key_name: ClassVar[str] = ""
    variables: ClassVar[Requirements | None] = None  # where `key_name` is not all that makes it usable
    supported_filters: ClassVar[Mapping[str, frozenset[str]]] = {}
    max_results: ClassVar[Mapping[str, int]] = {}
    min_time_range: ClassVar[str] = "day"
    reports_rate_limit: ClassVar[bool] = False  # its answers say how many requests a second it takes
    max_query_chars: ClassVar[int] = 2_000  # of a question
    max_query_words: ClassVar[int] = 0  # of a question; 0 is no limit
    sites_limit: ClassVar[int] = 10
    own_hosts: ClassVar[tuple[str, ...]] = ()  # where all its results are; another site is one that they link to
    page_size: ClassVar[int] = 10  # web results that a request may ask for, at the price of one request
    max_pages: ClassVar[int] = 1  # of web results, one after the other
    supports_max_age: ClassVar[bool] = False  # it takes an age in days, not only its windows of time
    origins: ClassVar[frozenset[str]] = frozenset()  # of works: the `source`s it can be asked for
    price: ClassVar[int] = 0  # micro-dollars of a request, at the list price of who pays as he goes
    prices: ClassVar[Mapping[str, int]] = {}  # of operations that cost otherwise
    seconds: float = 10.0
    queue_seconds: float = 5.0  # who would wait longer for a paced provider is told so instead

    def __init__(self, http: ProviderClient, settings: Settings, *, clock: Callable[[], float] = time.time) -> None:
        self.http, self.settings, self.clock = http, settings, clock
        self.base_url = settings.base_url(self.name, self.address)
        self.key = settings.key(self.key_name) if self.key_name else ""
        self.pace = Throttle(told=not self.reports_rate_limit)

    @property
    def min_interval(self) -> float:
        """Seconds from one request to the next; 0 is no limit."""
        return self.pace.interval

    @min_interval.setter
    def min_interval(self, seconds: float) -> None:
        self.pace.interval = seconds

    @classmethod
    def requirements(cls) -> Requirements:
        """The sets of variables of which one makes the provider usable; none where it needs nothing."""
        if cls.variables is not None:
            return cls.variables
        return ((cls.key_name,),) if cls.key_name else ()

    @classmethod
    def is_configured(cls, settings: Settings) -> bool:
        return settings.meets(cls.requirements())

    @classmethod
    def required_setting(cls, settings: Settings) -> str:
        """The variable to set so that the provider can be asked; "" where it needs none."""
        return first_missing_setting(cls.requirements(), settings)

    @classmethod
    def supports(cls, operation: str) -> bool:
        return operation in cls.supported_filters

    def headers(self) -> Mapping[str, str]:
        return {}

    def refusal(self, got: ProviderResponse) -> ToolError | None:
        """The provider's own way of saying no, whatever the status; None leaves it to the status."""
        return refused_in_words(self.name, got)

    def actual_cost(self, got: ProviderResponse) -> int | None:  # noqa: ARG002  # some say
        """What the answer says it has cost, in micro-dollars."""
        return None

    def validate(self, operation: str, query: Input) -> None:
        """Raises InvalidInput for what the upstream is known to refuse, before it is asked and paid."""

    async def get(self, path: str, **params: Any) -> Any:
        """The JSON at `path`; what is None is not asked."""
        return (await self.exchange("GET", path, params=params)).body

    async def post(self, path: str, body: Mapping[str, Any], **given: Any) -> Any:
        """The JSON that answers the JSON `body`; what is None is not sent."""
        sent = {name: value for name, value in body.items() if value is not None}
        return (await self.exchange("POST", path, json=sent, **given)).body

    async def exchange(
        self, method: str, path: str, *, price: int | None = None, base: str | None = None, **given: Any
    ) -> ProviderResponse:
        """One request, paid by the call it belongs to at `price`, or the usual one, until the answer says otherwise.

        `base` is another host of the same upstream.
        """
        headers = {**self.headers(), **(given.pop("headers", None) or {})}
        price = self.price if price is None else price
        async with spending(self.name, price) as bill:
            got = await self.http.request(
                self.name,
                method,
                (base or self.base_url) + path,
                headers=headers,
                repeated=lambda: bill.add_failed_try(price),
                **{"seconds": self.seconds, "refusal": self.refusal, **given},
            )
            bill.settle(self.actual_cost(got))
        return got

    async def ask(self, operation: str, query: Input) -> Hits[Any]:
        """The hits of one operation. An answer that cannot be read is UpstreamFailed, like any other outage: so is a
        search that is not there, which says nothing of what was sought.
        """
        try:
            hits = await self.readable(getattr(self, operation)(query))
        except NotFound as missing:
            sentence = f"{self.name} has nothing at the address that it is asked at (HTTP 404)."
            raise Refused(sentence, provider=self.name) from missing
        return hits if isinstance(hits, Hits) else Hits(hits)

    async def readable[T](self, answer: Awaitable[T]) -> T:
        """What an operation found. An answer that cannot be read is UpstreamFailed, like any other outage."""
        try:
            return await answer
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as wrong:
            log.info("%s answered in a shape that cannot be read", self.name, exc_info=True)
            raise UpstreamFailed(f"{self.name} answered in a shape that cannot be read.", provider=self.name) from wrong

    @staticmethod
    def expect_fields(answer: Any, *names: str) -> None:
        """Raise TypeError unless the answer is a JSON object with at least one of the fields `names`.

        An answer without any of them is not a search with no results, so it must not be reported as one.
        """
        if not isinstance(answer, Mapping) or not set(names) & set(answer):
            raise TypeError(f"the answer has none of the fields {', '.join(names)}")

    async def wait_for_slot(self) -> None:
        """Wait for a turn at a paced provider; Queued when the queue is too long."""
        try:
            await self.pace.wait(self.queue_seconds)
        except QueueTooLong as queue:
            raise LocalQueueFull(
                f"{self.name} takes one request every {self.min_interval:g} seconds and others wait already.",
                provider=self.name,
                retry_after=math.ceil(queue.seconds),
            ) from None

    def count(self, operation: str, ask: Input) -> int:
        """How many results to ask for: as many as are wanted and can be had."""
        wanted = int(getattr(ask, "num_results", 10))
        return min(wanted, self.max_results.get(operation, wanted))

    def window(self, ask: NewsQuery, warnings: list[str]) -> str:
        """The window of time to ask for; a warning where the upstream knows no hours."""
        if ask.time_range != "hour" or self.min_time_range == "hour":
            return ask.time_range
        warnings.append(f"{self.name} knows no window shorter than a day; the last day was asked for.")
        return "day"

    def since(self, ask: Input) -> str | None:
        """The first day (ISO 8601) of those that the question reaches back; None where it names no age in days."""
        days = getattr(ask, "days", None)
        return None if days is None else datetime.fromtimestamp(self.clock() - days * DAY, UTC).date().isoformat()

    def hosts(self, ask: Input) -> list[str] | None:
        """The hosts of the site or of the lens, for engines that take them in a parameter; paths are left to us."""
        return list(dict.fromkeys(site.partition("/")[0] for site in _sites(ask))) or None

    def site(self, ask: Input) -> tuple[str, str]:
        """Host and path of the one site that is asked for; "" where there is none."""
        one = getattr(ask, "site", None) or getattr(ask, "news_source", None) or ""
        host, _, path = one.partition("/")
        return host, path

    @classmethod
    def is_own(cls, site: str) -> bool:
        """Whether the site (`host` or `host/path`) holds this provider's own pages."""
        return is_in_domains(f"https://{site}", cls.own_hosts)

    def build_query(
        self, ask: WebQuery | NewsQuery | ImageQuery | PlaceQuery, *, native: Iterable[str] = ()
    ) -> tuple[str, list[str]]:
        """The question as this engine's search text, and a warning where it had to be cut.

        `native` names the fields that go in parameters of their own.
        """
        native = set(native)
        operators = (
            quote_phrase(getattr(ask, "exact_terms", None)) if "exact_terms" not in native else "",
            exclude_terms(getattr(ask, "exclude_terms", None)) if "exclude_terms" not in native else "",
            include_sites(_sites(ask)) if "site" not in native else "",
            exclude_sites(getattr(ask, "unwanted", ()), self.max_query_chars // 4) if "site" not in native else "",
            *(
                f"{name}:{value}"
                for name in PAGE_OPERATORS
                if name not in native and (value := getattr(ask, name, None))
            ),
        )
        query, cut = fit_query(ask.query, operators, characters=self.max_query_chars, words=self.max_query_words)
        return query, [f"{self.name} takes shorter questions; its end was cut off."] if cut else []


def _sites(ask: Input) -> tuple[str, ...]:
    one = getattr(ask, "site", None) or getattr(ask, "news_source", None)
    return getattr(ask, "sites", ()) or ((one,) if one else ())


@cache
def provider_names() -> tuple[str, ...]:
    modules = iter_modules(import_module("assay.providers").__path__)
    return tuple(sorted(module.name for module in modules))


def first_missing_setting(requirements: Requirements, settings: Settings) -> str:
    """The first unset variable of the first set of variables, its last where all are set; "" without requirements."""
    names = requirements[0] if requirements else ("",)
    return next((name for name in names[:-1] if not settings.key(name)), names[-1])


def check_known(name: str) -> None:
    """Raises ConfigError that lists all providers for a name that is none."""
    known = provider_names()
    if name not in known:
        raise ConfigError(
            f"There is no provider called {to_plain_text(name, 40)!r}; there are {', '.join(known)}.",
            field="provider",
            alternatives=known,
        )


@cache
def find_provider(name: str) -> type[Provider]:
    """Import one provider, and only that one. Raises ConfigError that lists them all."""
    check_known(name)
    module = import_module(f"assay.providers.{name}")
    found = [
        kind for kind in vars(module).values() if isinstance(kind, type) and issubclass(kind, Provider)
        and f"{kind.__module__}.".startswith(f"{module.__name__}.") and kind.name == name
    ]  # fmt: skip
    return found[0]
