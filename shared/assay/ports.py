"""What we need of the world; `aws` and `local` give it, under one contract."""

from dataclasses import dataclass
from typing import NamedTuple, Protocol

ROW_BYTES = 380_000  # DynamoDB's 400 KB less names and numbers: the same wall in both worlds


class Conflict(Exception):
    """The row is not at the version the writer expected."""


class TooLarge(ValueError):
    """The value does not fit a row; it belongs in the bucket."""


class Item(NamedTuple):
    sort: str
    value: bytes
    version: int


class Page(NamedTuple):
    items: list[Item]
    after: str | None  # give it back as `after` for the next page; None at the end


class Table(Protocol):
    """Rows of bytes under (key, sort). `until` is the epoch second of expiry; an expired row is as good as absent."""

    async def get(self, key: str, sort: str = "-") -> Item | None: ...

    async def put(
        self, key: str, sort: str, value: bytes, *, until: float | None = None, expect: int | None = None
    ) -> int:
        """Write and return the new version. `expect` 0: only if absent; n: only if at version n; else Conflict."""
        ...

    async def delete(self, key: str, sort: str = "-", *, expect: int | None = None) -> None: ...

    async def query(
        self, key: str, prefix: str = "", *, after: str | None = None, limit: int = 100, descending: bool = False
    ) -> Page:
        """The live rows of `key` whose sort begins with `prefix`, in sort order (by UTF-8 bytes)."""
        ...

    async def add(self, key: str, sort: str, amount: int = 1, *, until: float | None = None) -> int:
        """Add to a counter in one step and return its new value. Counters are not read by `get` or `query`."""
        ...

    async def close(self) -> None: ...


class Bucket(Protocol):
    """Large bodies by name. A name is a path of safe characters: letters, digits, `-_./`."""

    async def put(
        self, name: str, body: bytes, *, content_type: str = "application/octet-stream", until: float | None = None
    ) -> None: ...

    async def get(self, name: str) -> bytes | None: ...

    async def delete(self, name: str) -> None: ...


@dataclass(frozen=True)
class Rendered:
    """A page after its scripts ran."""

    url: str
    status: int
    html: str


class Browser(Protocol):
    """Something that runs a page's scripts: a Lambda image there, a local Chromium here."""

    async def render(self, url: str, *, settle: float, seconds: float) -> Rendered: ...
