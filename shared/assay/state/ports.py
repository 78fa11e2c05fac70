"""What we need of the world; `aws` and `local` give it, under one contract."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

ROW_BYTES = 380_000  # DynamoDB's 400 KB less names and numbers: the same wall in both worlds


KEY_BYTES, SORT_BYTES, NAME_BYTES = 1024, 900, 512
NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*")


class Conflict(Exception):
    """The row is not at the version the writer expected."""


class ValueTooLarge(ValueError):
    """The value does not fit a row; it belongs in the bucket."""


def check_row(key: str, sort: str, value: bytes = b"") -> None:
    """Raises ValueError for names no world takes, TooLarge (in bytes of value and names) for what no row holds."""
    sizes = len(key.encode()), len(sort.encode())
    if not (0 < sizes[0] <= KEY_BYTES and 0 < sizes[1] <= SORT_BYTES) or "\0" in key + sort:
        raise ValueError(f"a key has 1 to {KEY_BYTES} bytes, a sort 1 to {SORT_BYTES}, and neither has NUL")
    if sum(sizes) + len(value) > ROW_BYTES:
        raise ValueTooLarge(f"the row has {sum(sizes) + len(value)} bytes; {ROW_BYTES} fit")


def check_name(name: str) -> None:
    """Raises ValueError for a body's name with unsafe characters, empty segments or ones that begin with a dot."""
    if len(name) > NAME_BYTES or not NAME.fullmatch(name):
        raise ValueError(f"a name is a path of letters, digits, `-`, `_` and `.`, no longer than {NAME_BYTES}")


class TableItem(NamedTuple):
    sort: str
    value: bytes
    version: int


class TablePage(NamedTuple):
    items: list[TableItem]
    after: str | None  # give it back as `after` for the next page; None at the end


class TableStore(Protocol):
    """Rows of bytes under (key, sort). `until` is the epoch second of expiry, rounded up; an expired row is as good as
    absent. A version is one this place never had before, also before a delete. Names and sizes: `check_row`.
    """

    async def get(self, key: str, sort: str = "-") -> TableItem | None: ...

    async def put(
        self, key: str, sort: str, value: bytes, *, until: float | None = None, expect: int | None = None
    ) -> int:
        """Write and return the new version. `expect` 0: only if absent; n: only if at version n; else Conflict."""
        ...

    async def delete(self, key: str, sort: str = "-", *, expect: int | None = None) -> None: ...

    async def query(
        self, key: str, prefix: str = "", *, after: str | None = None, limit: int = 100, descending: bool = False
    ) -> TablePage:
        """The live rows of `key` whose sort begins with `prefix`, in sort order (by UTF-8 bytes)."""
        ...

    async def add(self, key: str, sort: str, amount: int = 1, *, until: float | None = None) -> int:
        """Add to a counter in one step and return its new value. Counters are not read by `get` or `query`.

        The first `until` holds until it is past; then the counter begins again.
        """
        ...

    async def close(self) -> None: ...


class Bucket(Protocol):
    """Large bodies by name. A name is a path of safe characters: letters, digits, `-_./`."""

    async def put(
        self, name: str, body: bytes, *, content_type: str = "application/octet-stream", until: float | None = None
    ) -> None: ...

    async def get(self, name: str) -> bytes | None: ...

    async def delete(self, name: str) -> None: ...


RECEIVES = 8  # deliveries after which a message that nobody deleted is a dead letter


class QueueMessage(NamedTuple):
    """A delivery. `receipt` is this delivery's own; `receives` counts the deliveries so far, this one among them."""

    body: str
    receipt: str
    receives: int


class Queue(Protocol):
    """Messages delivered at least once, in no promised order. Times are in seconds, which SQS rounds up."""

    async def send(self, body: str, *, delay: float = 0.0) -> None:
        """`delay` hides the message at first, 900 seconds at most."""
        ...

    async def receive(self, *, visible: float, wait: float = 0.0, most: int = 1) -> list[QueueMessage]:
        """Up to `most` (10) messages, [] when none came within `wait` (20). Each is hidden for `visible`, and
        delivered again where it was not deleted by then.
        """
        ...

    async def extend(self, receipt: str, seconds: float) -> None:
        """Hide the message from now on for `seconds`; 0 gives it back. A receipt that is past changes nothing."""
        ...

    async def delete(self, receipt: str) -> None: ...

    async def dead(self, most: int = 10) -> list[QueueMessage]:
        """Some of the messages that were delivered too often to be delivered again."""
        ...

    async def close(self) -> None: ...


@dataclass(frozen=True)
class Rendered:
    """A page after its scripts ran. Header names are lower case; `screenshot` is a PNG of its beginning."""

    url: str  # final and canonical
    status: int
    html: str
    headers: Mapping[str, str] = field(default_factory=dict)
    title: str = ""
    links: tuple[str, ...] = ()
    screenshot: bytes | None = None
    console: tuple[str, ...] = ()  # errors, one a line
    truncated: bool = False  # the page was larger than a page may be
    settled: bool = True  # false where the page was still at work when it was read


@dataclass(frozen=True)
class Completion:
    """What a model answered. `cost` is in micro-dollars, where the upstream tells it; `cut`: it had no room to end."""

    text: str
    input_tokens: int = 0
    output_tokens: int = 0
    cost: int | None = None
    cut: bool = False


class Model(Protocol):
    """A language model, asked at temperature 0 and given no tools."""

    name: str

    async def say(self, system: str, turns: Sequence[str], *, tokens: int, seconds: float) -> Completion:
        """What it answers to `turns`, the user's and its own by turns, in at most `tokens` tokens.

        Raises a ToolError: ConfigError or AuthRequired where it cannot be asked, RateLimited, Network, UpstreamFailed.
        """
        ...

    async def close(self) -> None: ...


class Browser(Protocol):
    """Something that runs a page's scripts: a Lambda image there, a local Chromium here."""

    async def render(
        self, url: str, *, settle: float, seconds: float, screenshot: bool = False, console: bool = False
    ) -> Rendered:
        """The page once nothing in it has changed for `settle` seconds, or as it is when `seconds` are nearly up.

        Raises InvalidInput for what may not be fetched, Network where no answer came, ContentEmpty for what is no
        page, BrowserUnavailable where nothing can render it, UpstreamFailed for a page that breaks its browser.
        """
        ...

    async def close(self) -> None: ...
