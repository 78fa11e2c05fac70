"""One request and its answer, between the rule that admits it and the engine that carries it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol

from assay.net.exceptions import BodyTooLarge, Unreachable
from assay.net.response_body import Body
from assay.net.urls import ParsedUrl

REDIRECTS = {301, 302, 303, 307, 308}
MOST_HEADERS = 500
MOST_HEADER_BYTES = 96 * 1024

type Items = list[tuple[str, str]]
type Dial = Callable[[str, int], tuple[str, int]]


class Request(NamedTuple):
    """What goes out: connect to one of `addresses`, never to what a resolver says of the place's name."""

    place: ParsedUrl
    addresses: Sequence[str]
    method: str
    headers: Sequence[tuple[str, str]]
    content: bytes | None


@dataclass
class ResponseReader:
    """What comes back, taken from an engine piece by piece."""

    host: str
    method: str
    cap: int
    over_cap: Literal["cut", "refuse"]
    decode: bool = True
    status: int = 0
    headers: Items = field(default_factory=list)
    body: Body | None = None

    def head(self, status: int, items: Items) -> bool:
        """Take status and headers, names in lower case; whether the body is wanted."""
        if len(items) > MOST_HEADERS:
            raise Unreachable(f"{self.host} answers with more than {MOST_HEADERS} headers.", "protocol")
        self.status, self.headers = status, items
        if self.method == "HEAD" or status in {204, 304} or self.location is not None:
            return False
        self._refuse_announced()
        self.body = Body(self.header("content-encoding") if self.decode else "", self.cap)
        return True

    def feed(self, piece: bytes) -> bool:
        """Take a piece of the body as it came over the wire; whether more is wanted."""
        assert self.body is not None
        more = self.body.write(piece)
        if self.body.full and self.over_cap == "refuse":
            raise self._too_large()
        return more

    def end(self, complete: bool) -> None:
        """`complete` is false where the connection broke before the body's end."""
        if self.body is None:
            return
        self.body.end(complete)
        if self.body.full and self.over_cap == "refuse":
            raise self._too_large()

    def header(self, name: str) -> str:
        return ", ".join(value for key, value in self.headers if key == name)

    @property
    def location(self) -> str | None:
        """Where a redirect leads, None if this is none."""
        if self.status not in REDIRECTS:
            return None
        found = next((value for key, value in self.headers if key == "location"), None)
        return _as_utf8(found) if found else None

    def _refuse_announced(self) -> None:
        length = self.header("content-length")
        uncoded = not self.header("content-encoding")
        if self.over_cap == "refuse" and uncoded and length.isdigit() and int(length[:18]) > self.cap:
            raise self._too_large()

    def _too_large(self) -> BodyTooLarge:
        return BodyTooLarge(
            f"What {self.host} sends is larger than {self.cap} bytes, the most that is read here.", field="url"
        )


class Transport(Protocol):
    """Carries one request, without redirects, cookies, proxies or name look-ups of its own."""

    async def exchange(self, request: Request, answer: ResponseReader) -> None:
        """Raises Unreachable where no answer began; a body that breaks off is told to the answer."""

    async def close(self) -> None: ...


def _as_utf8(value: str) -> str:
    """Headers are read as Latin-1; an address in one is UTF-8 more often."""
    try:
        return value.encode("latin-1").decode()
    except UnicodeDecodeError:
        return value
