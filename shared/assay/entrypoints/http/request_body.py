"""The body of a request to the local server: counted, decoded, and never more of all of them than fits."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from assay.entrypoints.http.apigateway_event import BODY_BYTES, Busy, UrlTooLong, WrongCoding
from assay.errors import InvalidInput
from assay.net.exceptions import BadCoding
from assay.net.response_body import Body

UNKNOWN_BYTES = 16 * 1024  # of a body whose sender has shown no key, where one is asked for
IN_FLIGHT_BYTES = 256 * 1024 * 1024  # of the bodies of all requests at work
CODINGS = ("gzip", "x-gzip", "deflate", "br", "zstd")

type Message = MutableMapping[str, Any]
type Receive = Callable[[], Awaitable[Message]]


class Room:
    """How many bytes of bodies may be held at a time."""

    def __init__(self, most: int = IN_FLIGHT_BYTES) -> None:
        self._left = most

    def take(self, count: int) -> None:
        """Raises Busy where there is no room."""
        if count > self._left:
            raise Busy("This server holds as many requests as it can. Send this one again.", retry_after=1)
        self._left -= count

    def give_back(self, count: int) -> None:
        self._left += count


class RequestBody:
    """What the application receives: the body decoded, up to a cap; `coding` is the request's Content-Encoding.

    The bytes count as held until `close`, which is when the request has its answer.
    """

    def __init__(self, receive: Receive, room: Room, *, cap: int, coding: str) -> None:
        self._receive, self._room, self._cap = receive, room, cap
        self._decoder = decoder_of(coding)
        self._held = 0
        self._coded = 0

    async def receive(self) -> Message:
        """The next message. Raises InvalidInput or Busy, after which the request has no more to say."""
        message = await self._receive()
        if message["type"] != "http.request":
            return message
        piece = message.get("body", b"")
        self._coded += len(piece)
        if self._coded > self._cap:
            raise too_long(self._cap)
        if self._decoder is not None:
            piece = self._decode(piece, last=not message.get("more_body", False))
        if self._held + len(piece) > self._cap:
            raise too_long(self._cap)
        self._room.take(len(piece))
        self._held += len(piece)
        return {**message, "body": piece}

    def close(self) -> None:
        self._room.give_back(self._held)
        self._held = 0

    def _decode(self, piece: bytes, *, last: bool) -> bytes:
        assert self._decoder is not None
        return decode_piece(self._decoder, piece, last=last, cap=self._cap)


def too_long(cap: int) -> UrlTooLong:
    size = f"{cap // 1024 // 1024} MB" if cap >= 1024 * 1024 else f"{cap // 1024} KB"
    return UrlTooLong(f"The body is over {size}; send less.", field="body")


def decoder_of(coding: str) -> Body | None:
    """What undoes the coding, None where there is none. Raises WrongCoding for one that is not read."""
    coding = coding.strip().lower()
    if coding in ("", "identity"):
        return None
    if coding not in CODINGS:
        raise WrongCoding(
            "This Content-Encoding is not read here. Send the body as it is, or as gzip.", field="Content-Encoding"
        )
    return Body(coding, BODY_BYTES)


def decode_piece(decoder: Body, piece: bytes, *, last: bool, cap: int = BODY_BYTES) -> bytes:
    """The decoded piece of a body. Raises InvalidInput for what is not coded so, or does not end."""
    try:
        if piece:
            decoder.write(piece)
        if last:
            decoder.end(complete=True)
    except BadCoding:
        decoder.cut = True
    if decoder.full:
        raise too_long(cap)
    if decoder.cut:
        raise InvalidInput("The body is not what its Content-Encoding says.", field="body")
    decoded = bytes(decoder.content)
    decoder.content.clear()
    return decoded
