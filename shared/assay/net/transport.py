"""The interface between the guarded client and its transports: request, response reader, transport."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol

from assay.net.exceptions import BodyTooLarge, Unreachable
from assay.net.response_body import Body
from assay.net.urls import ParsedUrl

REDIRECTS = {301, 302, 303, 307, 308}
MAX_HEADERS = 500
MAX_HEADER_BYTES = 96 * 1024

type Items = list[tuple[str, str]]
type Dial = Callable[[str, int], tuple[str, int]]


class Request(NamedTuple):
    """A request. Transports connect to one of `addresses` and never resolve the name again."""

    parsed_url: ParsedUrl
    addresses: Sequence[str]
    method: str
    headers: Sequence[tuple[str, str]]
    content: bytes | None


@dataclass
class ResponseReader:
    """Receives a response from a transport piece by piece, within the limits."""

    host: str
    method: str
    cap: int
    over_cap: Literal["cut", "refuse"]
    decode: bool = True
    status: int = 0
    headers: Items = field(default_factory=list)
    body: Body | None = None

    def receive_head(self, status: int, items: Items) -> bool:
        """Receive status and headers with lower-case names; returns whether to read the body."""
        if len(items) > MAX_HEADERS:
            raise Unreachable(f"{self.host} sent more than {MAX_HEADERS} headers.", "protocol")
        self.status, self.headers = status, items
        if self.method == "HEAD" or status in {204, 304} or self.location is not None:
            return False
        if self.over_cap == "refuse":
            self._check_announced_length()
        self.body = Body(self.header("content-encoding") if self.decode else "", self.cap)
        return True

    def receive_body(self, piece: bytes) -> bool:
        """Receive a piece of the coded body; returns whether to read more."""
        assert self.body is not None
        more = self.body.write(piece)
        if self.body.full and self.over_cap == "refuse":
            raise self._too_large_error()
        return more

    def finish(self, complete: bool) -> None:
        """End the body; `complete` is false if the connection broke before its end."""
        if self.body is None:
            return
        self.body.end(complete)
        if self.body.full and self.over_cap == "refuse":
            raise self._too_large_error()

    def header(self, name: str) -> str:
        """The values of a header, joined by ", "; "" if absent."""
        return ", ".join(value for key, value in self.headers if key == name)

    @property
    def location(self) -> str | None:
        """The target of a redirect; None if the response is not a redirect."""
        if self.status not in REDIRECTS:
            return None
        location = next((value for key, value in self.headers if key == "location"), None)
        return _as_utf8(location) if location else None

    def _check_announced_length(self) -> None:
        length = self.header("content-length")
        is_uncoded = not self.header("content-encoding")
        if is_uncoded and length.isdigit() and int(length[:18]) > self.cap:
            raise self._too_large_error()

    def _too_large_error(self) -> BodyTooLarge:
        return BodyTooLarge(f"The response of {self.host} exceeds the limit of {self.cap} bytes.", field="url")


class Transport(Protocol):
    """Sends one request, without redirects, cookies, proxies or name resolution."""

    async def exchange(self, request: Request, reader: ResponseReader) -> None:
        """Send `request` and pass the response to `reader`. Raises Unreachable if no response begins."""

    async def close(self) -> None: ...


def _as_utf8(value: str) -> str:
    """Decode a Location header as UTF-8 if possible: header bytes are read as Latin-1, servers mostly send UTF-8."""
    try:
        return value.encode("latin-1").decode()
    except UnicodeDecodeError:
        return value
