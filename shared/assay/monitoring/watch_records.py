"""What is stored of a watch: its definition, and what its checks have found."""

import hmac
import json
import secrets
from collections.abc import Callable
from typing import Any, Literal

from pydantic import AliasChoices, BaseModel, Field

from assay.oauth.secret_values import digest
from assay.state.clock_skew import is_ahead
from assay.state.json_documents import encode
from assay.state.table_rows import hash_names

type WatchKind = Literal["web", "news", "academic", "patent", "filing", "case", "trial", "author", "page"]

MAX_ITEMS, ITEMS_BYTES = 100, 120_000
MAX_SEEN = 2_000
MAX_TEXTS, TEXTS_BYTES = 300, 80_000


class Watch(BaseModel):
    """A watch of one person. Times are epoch seconds; "" is none."""

    id: str
    kind: WatchKind
    query: str  # or the URL of the page
    provider: str = ""
    filters: dict[str, Any] = {}
    every: float
    created: float
    until: float
    days: int
    session: str = ""
    webhook: str = ""  # id of the endpoint that receives new results
    feed: str = ""  # digest of the token of its secret address

    def encode(self) -> bytes:
        return encode(self.model_dump(exclude_defaults=True))

    def is_feed(self, token: str) -> bool:
        """Whether the token is that of the secret address, and not of a former one."""
        return hmac.compare_digest(self.feed, digest(token))


class SeenText(BaseModel):
    """The terms of a result that was seen, to recognize it under another URL."""

    url: str
    terms: str


class FoundItem(BaseModel):
    """A result that was new. `is_unread`: no check has returned it.

    `is_pending`: session and webhook have not received it; those of one `batch` are sent together.
    """

    id: str
    url: str
    title: str = ""
    snippet: str = ""
    author: str = ""
    date: str = ""
    found: float
    diff: str = ""  # of the passages of a page
    change: Literal["", "missing", "back"] = ""  # of a page as a whole
    batch: int = 0
    is_unread: bool = True
    is_pending: bool = True


class PageState(BaseModel):
    """The passages of a page at the last check."""

    read: float  # when the check began
    url: str = ""  # after redirects
    title: str = ""
    quality: str = "complete"
    passages: list[str] = []


class WatchState(BaseModel):
    """What the checks of a watch have found. Lists are in order of age and bounded; the oldest are dropped."""

    checks: int = Field(0, validation_alias=AliasChoices("checks", "looks"))  # `looks` in rows of 0.1.0
    last: float = 0.0  # end of the last check that succeeded
    seen: list[str] = []  # digests of URLs
    texts: list[SeenText] = []
    items: list[FoundItem] = []
    page: PageState | None = None
    missing_since: float = 0.0  # when a check found the page missing that before was there; 0 if it is there
    is_missing: bool = False  # whether a later check found the same, which is an item then
    near_duplicates: int = 0  # results that were seen before under another URL
    dropped: int = 0  # unread items that were dropped

    def encode(self) -> bytes:
        return encode(self.model_dump(exclude_defaults=True))

    def drop_oldest(self) -> "WatchState":
        """Return the state without the oldest entries beyond the limits, so that it fits a row."""
        items = _keep_newest(self.items, MAX_ITEMS, ITEMS_BYTES, lambda item: len(item.model_dump_json().encode()))
        texts = _keep_newest(self.texts, MAX_TEXTS, TEXTS_BYTES, lambda text: len(text.model_dump_json().encode()))
        lost = sum(item.is_unread for item in self.items[: len(self.items) - len(items)])
        changes = {"items": items, "texts": texts, "seen": self.seen[-MAX_SEEN:], "dropped": self.dropped + lost}
        return self.model_copy(update=changes)


def _keep_newest[T](entries: list[T], most: int, most_bytes: int, measure: Callable[[T], int]) -> list[T]:
    kept = 0
    for entry in reversed(entries[-most:]):
        most_bytes -= measure(entry)
        if most_bytes < 0:
            break
        kept += 1
    return entries[len(entries) - kept :]


def build_watch_id(kind: str, query: str, provider: str, filters: dict[str, Any]) -> str:
    """Return the id of a watch among those of a person: equal searches have one watch."""
    words = query if kind == "page" else " ".join(query.casefold().split())
    return hash_names(kind, words, provider, json.dumps(filters, sort_keys=True))[:32]


def choose_last(last: float, now: float) -> float:
    """Return the end of the last check: of checks at the same time the later one."""
    return now if is_ahead(last, now) else max(last, now)


def build_item_id() -> str:
    return secrets.token_hex(8)


def parse_watch(value: bytes) -> Watch:
    return Watch.model_validate_json(value)


def parse_state(value: bytes) -> WatchState:
    return WatchState.model_validate_json(value)
