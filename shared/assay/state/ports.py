"""Ports: the interfaces of storage, queue, model and browser, which `aws` and `local` implement."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from assay.models.entailment import Entailment

ROW_BYTES = 380_000  # DynamoDB's 400 KB less names and numbers; SQLite has the same limit here


KEY_BYTES, SORT_BYTES, NAME_BYTES = 1024, 900, 512
COUNTER_MARK = "#"  # begins no key, so that a table may put it before the keys of counters
NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*")


class Conflict(Exception):
    """The row is not at the version the writer expected."""


class ValueTooLarge(ValueError):
    """The value does not fit a row; it belongs in the bucket."""


def check_row(key: str, sort: str, value: bytes = b"") -> None:
    """Raises ValueError for an invalid key or sort, ValueTooLarge if names and value exceed a row."""
    key_size, sort_size = len(key.encode()), len(sort.encode())
    if not (0 < key_size <= KEY_BYTES and 0 < sort_size <= SORT_BYTES) or "\0" in key + sort:
        raise ValueError(f"a key has 1 to {KEY_BYTES} bytes, a sort 1 to {SORT_BYTES}, and neither has NUL")
    if key.startswith(COUNTER_MARK):
        raise ValueError(f"a key begins with another character than {COUNTER_MARK}")
    if (size := key_size + sort_size + len(value)) > ROW_BYTES:
        raise ValueTooLarge(f"the row has {size} bytes; {ROW_BYTES} fit")


def check_name(name: str) -> None:
    """Raises ValueError for a bucket name with unsafe characters, empty segments or segments that begin with a dot."""
    if len(name) > NAME_BYTES or not NAME.fullmatch(name):
        raise ValueError(f"a name is a path of letters, digits, `-`, `_` and `.`, no longer than {NAME_BYTES}")


class TableItem(NamedTuple):
    """A row without its key."""

    sort: str
    value: bytes
    version: int


class TablePage(NamedTuple):
    """One page of a query."""

    items: list[TableItem]
    after: str | None  # pass it as `after` to get the next page; None at the end


class TableStore(Protocol):
    """Rows of bytes under (key, sort), with optimistic locking by version.

    `until` is the time of expiry in epoch seconds, rounded up; an expired row counts as absent. Each write gives the
    row a version that it never had before, also across deletes. `check_row` has the limits of names and sizes.
    """

    async def get(self, key: str, sort: str = "-") -> TableItem | None: ...

    async def get_many(self, key: str, sorts: Sequence[str]) -> list[TableItem | None]:
        """Rows of one key, in the order of `sorts`, which differ; None for an absent one. As few requests as can be."""
        ...

    async def put(
        self, key: str, sort: str, value: bytes, *, until: float | None = None, expect: int | None = None
    ) -> int:
        """Write and return the new version.

        `expect` 0 writes only if the row is absent, n only if it has version n; otherwise raises Conflict.
        """
        ...

    async def delete(self, key: str, sort: str = "-", *, expect: int | None = None) -> None: ...

    async def query(
        self, key: str, prefix: str = "", *, after: str | None = None, limit: int = 100, descending: bool = False
    ) -> TablePage:
        """The live rows of `key` whose sort begins with `prefix`, in sort order (by UTF-8 bytes)."""
        ...

    async def add(self, key: str, sort: str, amount: int = 1, *, until: float | None = None) -> int:
        """Add to a counter in one step and return its new value. Counters are not read by `get` or `query`.

        The first `until` applies until it has passed; then the counter restarts at 0.
        """
        ...

    async def close(self) -> None: ...


class Bucket(Protocol):
    """Objects by name. A name is a path of letters, digits and `-_./`."""

    async def put(
        self, name: str, body: bytes, *, content_type: str = "application/octet-stream", until: float | None = None
    ) -> None: ...

    async def get(self, name: str) -> bytes | None: ...

    async def delete(self, name: str) -> None: ...


class UploadAddress(NamedTuple):
    """Where a body is sent with PUT, once, with these headers."""

    url: str
    headers: Mapping[str, str]


class UploadTarget(Protocol):
    """What gives out addresses to which callers send bodies that are too large for a request."""

    part_bytes: int  # a body is stored in objects of at most this size, named NAME/0, NAME/1, …

    async def open(
        self, name: str, *, row: tuple[str, str], size: int, content_type: str, ends: float, until: float
    ) -> UploadAddress:
        """An address that takes one body of this size and type until `ends`; its objects expire at `until`.

        `row` is the key of the row that describes the upload. Without that row the local server takes nothing; S3 does
        not know the row, and what it takes then is read by nobody and expires.
        """
        ...


RECEIVES = 8  # deliveries after which an undeleted message becomes a dead letter


class QueueMessage(NamedTuple):
    """A delivered message. `receipt` belongs to this delivery; `receives` counts the deliveries, including this one."""

    body: str
    receipt: str
    receives: int


class Queue(Protocol):
    """A queue with at-least-once delivery in no guaranteed order. Times are in seconds, rounded up by SQS."""

    async def send(self, body: str, *, delay: float = 0.0) -> None:
        """Send a message that becomes visible after `delay` seconds, 900 at most."""
        ...

    async def receive(self, *, visible: float, wait: float = 0.0, most: int = 1) -> list[QueueMessage]:
        """Up to `most` messages (at most 10), [] if none arrives within `wait` seconds (at most 20).

        Each is hidden for `visible` seconds, then delivered again unless it was deleted.
        """
        ...

    async def extend(self, receipt: str, seconds: float) -> None:
        """Hide the message for `seconds` from now; 0 makes it visible at once. Expired receipts are ignored."""
        ...

    async def delete(self, receipt: str) -> None: ...

    async def dead(self, most: int = 10) -> list[QueueMessage]:
        """Up to `most` dead letters."""
        ...

    async def delete_dead(self, receipt: str) -> None:
        """Delete a dead letter by its receipt from `dead`."""
        ...

    async def close(self) -> None: ...


@dataclass(frozen=True)
class Rendered:
    """A rendered page. Header names are lower case; `screenshot` is a PNG of the top of the page."""

    url: str  # final and canonical
    status: int
    html: str
    headers: Mapping[str, str] = field(default_factory=dict)
    title: str = ""
    links: tuple[str, ...] = ()
    screenshot: bytes | None = None
    console: tuple[str, ...] = ()  # errors, one a line
    truncated: bool = False  # the page exceeded the size limit
    settled: bool = True  # false if the page was still changing


@dataclass(frozen=True)
class Completion:
    """The answer of a model. `cost` is in micro-dollars, if reported; `cut` is true if the token limit ended it."""

    text: str
    input_tokens: int = 0
    output_tokens: int = 0
    cost: int | None = None
    cut: bool = False


class Model(Protocol):
    """A language model, called with temperature 0 and without tools."""

    name: str

    async def complete(self, system: str, turns: Sequence[str], *, tokens: int, seconds: float) -> Completion:
        """The answer to `turns`, alternately of the user and the model, with at most `tokens` tokens.

        Raises a ToolError: ConfigError or AuthRequired for a wrong configuration, RateLimited, Network, UpstreamFailed.
        """
        ...

    async def close(self) -> None: ...


class EmbeddingModel(Protocol):
    """A model that turns texts into vectors whose direction is their meaning."""

    name: str

    async def embed(self, texts: Sequence[str], *, seconds: float, is_query: bool = False) -> list[list[float]]:
        """A vector for each text, all of one dimension. `is_query` is for models that tell questions from documents.

        Raises a ToolError: ConfigError or AuthRequired for a wrong configuration, RateLimited, Network, UpstreamFailed.
        """
        ...

    async def close(self) -> None: ...


class NearestVectors(Protocol):
    """The vectors of one model in a vector index."""

    def list_missing(self, identities: Collection[str]) -> list[str]:
        """Those of the identities that have no vector of this model."""
        ...

    def find_nearest(self, vector: Sequence[float], among: Collection[str], limit: int) -> list[str]:
        """Those of `among` whose vectors are the nearest, the best first. Their order may be approximate."""
        ...


class VectorIndex(Protocol):
    """The vectors of one person's memories, by id. Vectors of different models are never compared."""

    async def load(self, model: str) -> NearestVectors: ...

    async def replace(
        self, model: str, vectors: Mapping[str, tuple[Sequence[float], float] | None], now: float
    ) -> None:
        """Store these vectors of the model with the times when they expire; None deletes one."""
        ...


class InferenceModel(Protocol):
    """A model of natural-language inference."""

    name: str

    async def classify(self, premises: Sequence[str], hypothesis: str, *, seconds: float) -> list[Entailment]:
        """How each premise relates to the hypothesis, in the order of `premises`; long ones are cut.

        Raises a ToolError: ConfigError for a model that cannot be used, Network or UpstreamFailed for one that fails.
        """
        ...

    async def close(self) -> None: ...


class Browser(Protocol):
    """A browser that renders pages: a Lambda function or a local Chromium."""

    async def render(
        self, url: str, *, settle: float, seconds: float, screenshot: bool = False, console: bool = False
    ) -> Rendered:
        """The page once it has not changed for `settle` seconds, or its state when `seconds` are nearly over.

        Raises InvalidInput for a forbidden URL, Network without a response, ContentEmpty if the response is not a
        page, BrowserUnavailable without a browser, UpstreamFailed for a page that crashes the browser.
        """
        ...

    async def close(self) -> None: ...
