"""Request bodies of the local server: decoded, limited in size each and all together."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from assay.entrypoints.http.body_decoding import decode_piece, decoder_of
from assay.entrypoints.http.http_errors import ServerBusy, body_too_large

UNAUTHENTICATED_BYTES = 16 * 1024  # limit of a body that is read before the key is checked
FORM_BYTES = (
    256 * 1024
)  # limit of a form of the console, read before the sign-in is checked: it may hold a text to check
IN_FLIGHT_BYTES = 256 * 1024 * 1024  # limit of the bodies of all requests in progress

type Message = MutableMapping[str, Any]
type Receive = Callable[[], Awaitable[Message]]


class BodyMemory:
    """The bytes that the bodies of all requests may occupy at a time."""

    def __init__(self, limit: int = IN_FLIGHT_BYTES) -> None:
        self._left = limit

    def take(self, count: int) -> None:
        """Raises ServerBusy when less than `count` bytes are left."""
        if count > self._left:
            raise ServerBusy("The server has too many requests in progress. Send this one again.", retry_after=1)
        self._left -= count

    def give_back(self, count: int) -> None:
        self._left += count


class RequestBody:
    """Passes a request's body to the application, decoded and at most `limit` bytes.

    `coding` is the request's Content-Encoding. The bytes count in `memory` until `close`, when the response is sent.
    """

    def __init__(self, receive: Receive, memory: BodyMemory, *, limit: int, coding: str) -> None:
        self._receive, self._memory, self._limit = receive, memory, limit
        self._decoder = decoder_of(coding)
        self._held = 0
        self._coded = 0

    async def receive(self) -> Message:
        """The next ASGI message. Raises InvalidInput or ServerBusy; after that, call `receive` no more."""
        message = await self._receive()
        if message["type"] != "http.request":
            return message
        piece = message.get("body", b"")
        self._coded += len(piece)
        if self._coded > self._limit:
            raise body_too_large(self._limit)
        if self._decoder is not None:
            piece = self._decode(piece, last=not message.get("more_body", False))
        if self._held + len(piece) > self._limit:
            raise body_too_large(self._limit)
        self._memory.take(len(piece))
        self._held += len(piece)
        return {**message, "body": piece}

    def close(self) -> None:
        self._memory.give_back(self._held)
        self._held = 0

    def _decode(self, piece: bytes, *, last: bool) -> bytes:
        assert self._decoder is not None
        return decode_piece(self._decoder, piece, last=last, limit=self._limit)
