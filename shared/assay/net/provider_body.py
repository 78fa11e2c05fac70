"""Decodes response bodies of providers to JSON, text or bytes, within a size limit."""

import json
import zlib
from collections.abc import Mapping
from typing import Any, Literal

from assay.errors import Refused, UpstreamFailed
from assay.text.strict_json import refuse_constant
from assay.text.surrogates import may_have_surrogates, replace_surrogates

ERROR_CAP = 64 * 1024  # bytes of an error body that are read

type Expect = Literal["json", "text", "bytes", "start", "exact"]


def read_body(provider: str, headers: Mapping[str, str], raw: bytes, expect: Expect, cap: int) -> Any:
    """The body as `expect` says, at most `cap` decoded bytes. Raises UpstreamFailed for another content.

    `start` is the text of the first bytes; `exact` is JSON with fractions as text, to keep their digits, and with
    NaN and Infinity, which statistics services send, as None. Lone surrogates, which no answer of ours could be
    written with, become U+FFFD.
    """
    if expect == "start":
        return _decode_body(provider, headers, raw, cap, whole=False).decode(errors="replace")
    body = _decode_body(provider, headers, raw, cap)
    if expect == "bytes":
        return body
    if expect == "text":
        return body.decode(errors="replace")
    try:
        document = json.loads(body, **(EXACT if expect == "exact" else STRICT))
        return replace_surrogates(document) if may_have_surrogates(body) else document
    except (ValueError, RecursionError):
        raise UpstreamFailed(f"{provider} returned something that is not JSON.", provider=provider) from None


def read_error(headers: Mapping[str, str], raw: bytes) -> Any:
    """The body of an error response: JSON if it parses, else text. For classification only, never shown to callers."""
    try:
        body = _decode_body("", headers, raw, ERROR_CAP)
        return json.loads(body, parse_constant=refuse_constant)
    except UpstreamFailed:
        return ""
    except (ValueError, RecursionError):
        return body.decode(errors="replace")


class ResponseTooLarge(Refused):
    """The response exceeds the size limit. Not an outage: another request may have a smaller response."""


def too_large_error(provider: str, cap: int) -> ResponseTooLarge:
    return ResponseTooLarge(f"{provider} returned more than {cap // 1024} KiB.", provider=provider)


def _decode_body(provider: str, headers: Mapping[str, str], raw: bytes, cap: int, *, whole: bool = True) -> bytes:
    """Decode the Content-Encoding. Requests accept gzip only, so other codings are errors."""
    coding = headers.get("content-encoding", "").strip().lower()
    if coding in ("", "identity"):
        return raw
    if coding not in ("gzip", "x-gzip", "deflate"):
        raise UpstreamFailed(f"{provider} used a Content-Encoding that was not requested.", provider=provider)
    stream = zlib.decompressobj(47)  # gzip or zlib, as it comes
    try:
        body = stream.decompress(raw, cap + 1)
    except zlib.error:
        raise UpstreamFailed(f"{provider} returned a damaged gzip body.", provider=provider) from None
    if not whole:
        return body[:cap]
    if len(body) > cap:
        raise too_large_error(provider, cap)
    if not stream.eof:
        raise UpstreamFailed(f"{provider} returned an incomplete gzip body.", provider=provider)
    return body


STRICT: dict[str, Any] = {"parse_constant": refuse_constant}
EXACT: dict[str, Any] = {"parse_float": str, "parse_constant": lambda _: None}
