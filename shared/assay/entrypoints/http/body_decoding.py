"""Removes the Content-Encoding of request bodies, within a size limit."""

from assay.entrypoints.http.http_errors import BODY_BYTES, UnsupportedCoding, body_too_large
from assay.errors import InvalidInput
from assay.net.exceptions import BadCoding
from assay.net.response_body import Body

CODINGS = ("gzip", "x-gzip", "deflate", "br", "zstd")


def decoder_of(coding: str) -> Body | None:
    """The decoder of a Content-Encoding; None for `identity`. Raises UnsupportedCoding."""
    coding = coding.strip().lower()
    if coding in ("", "identity"):
        return None
    if coding not in CODINGS:
        raise UnsupportedCoding(
            "This Content-Encoding is not supported. Send the body without one, or as gzip.", field="Content-Encoding"
        )
    return Body(coding, BODY_BYTES)


def decode_piece(decoder: Body, piece: bytes, *, last: bool, limit: int = BODY_BYTES) -> bytes:
    """The decoded bytes of one piece of a body.

    Raises InvalidInput for bytes that do not fit the coding or end too early, RequestBodyTooLarge above `limit` bytes.
    """
    try:
        if piece:
            decoder.write(piece)
        if last:
            decoder.end(complete=True)
    except BadCoding:
        decoder.cut = True
    if decoder.full:
        raise body_too_large(limit)
    if decoder.cut:
        raise InvalidInput("The body does not match its Content-Encoding.", field="body")
    decoded = bytes(decoder.content)
    decoder.content.clear()
    return decoded
