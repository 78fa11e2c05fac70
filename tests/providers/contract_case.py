"""One thing that a provider can be asked, and what it ordinarily says: all that the contract needs to know of it."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from assay.errors import ToolError
from assay.models.common import Input
from assay.provider_base import provider_lookup
from assay.settings import Settings

KEY = "sooo-secret-123"
TOKEN = {"access_token": "lent-token-456", "expires_in": "1200", "token_type": "BearerToken"}
MAIL = "ada@brook.example"
KEYS = {
    provider_lookup.find_provider(name).key_name: KEY
    for name in provider_lookup.list_provider_names()
    if provider_lookup.find_provider(name).key_name
}
KEYS |= {
    "BRANDFETCH_CLIENT_ID": KEY,
    "COURTLISTENER_API_TOKEN": KEY,
    "EDGAR_CONTACT_EMAIL": MAIL,
    "EPO_OPS_CONSUMER_KEY": KEY,
    "EPO_OPS_CONSUMER_SECRET": KEY,
    "IA_ACCESS_KEY": KEY,
    "IA_SECRET_KEY": KEY,
    "OPENALEX_EMAIL": MAIL,
    "SEMANTIC_SCHOLAR_API_KEY": KEY,
}
UNSAID: Any = object()


@dataclass(frozen=True)
class Offer:
    """`ask` puts the question to the provider; `tells` is something of `sample` that an answer must still show."""

    name: str
    operation: str
    ask: Callable[[Any], Awaitable[Any]]
    sample: Any
    tells: str
    nothing: Any = UNSAID  # what is said where nothing is found
    count: int = 1  # of results in `sample`
    requests: int = 1
    token: Any = None  # said before anything else
    in_json: bool = True  # so an error may be told in it
    method: str = "GET"
    agent: str = "Assay/"
    hurried: bool = False  # asks once more, a second later, who wants fewer questions
    raw: bool = False  # gives rows as they are said, for whoever asked to read
    heeds_body: bool = True  # where not, any answer means that it is done
    reads: frozenset[str] = frozenset()  # of what is no answer of others
    refusals: Mapping[int, type[ToolError]] = field(default_factory=dict)  # what a status means here alone
    sound: Callable[[Any], None] = lambda _: None  # what is true of each result of an answer however broken
    question: Input | None = None

    def __str__(self) -> str:
        return f"{self.name}-{self.operation}"


def offer(name: str, question: Input, operation: str, sample: Any, tells: str, **more: Any) -> Offer:
    """What is asked as an operation that the provider honours."""
    return Offer(
        name, operation, lambda source: source.ask(operation, question), sample, tells, question=question, **more
    )


def method(name: str, called: str, ask: Callable[[Any], Awaitable[Any]], sample: Any, tells: str, **more: Any) -> Offer:
    """What is asked by a method of the provider's own."""
    return Offer(name, called, lambda source: source.readable(ask(source)), sample, tells, **more)


def build_provider(name: str, http: Any, url: str, **seams: Any) -> Any:
    """The provider, with all keys there are, at `url`."""
    return provider_lookup.find_provider(name)(
        http, Settings(environ=KEYS | {f"{name.upper()}_BASE_URL": url}), **seams
    )
