"""A trusted upstream's body: bytes as sent become what was expected, within a bound."""

import json
import zlib
from collections.abc import Mapping
from typing import Any, Literal

from assay.errors import Refused, UpstreamFailed
from assay.text.strict_json import refuse_constant

SAID_CAP = 64 * 1024  # of an error's body

type Expect = Literal["json", "text", "bytes", "start", "exact", "nothing"]


def read(provider: str, headers: Mapping[str, str], raw: bytes, expect: Expect, cap: int) -> Any:
    """The body as `expect` says, decoded to `cap` bytes at most; UpstreamFailed where it is something else.

    `start` is the text that the first bytes hold, whatever follows them; `exact` is JSON whose fractions stay the text
    that they were written as, and in which what is no number, as statistics write it, is None.
    """
    if expect == "nothing":
        return None
    if expect == "start":
        return _decode_body(provider, headers, raw, cap, whole=False).decode(errors="replace")
    body = _decode_body(provider, headers, raw, cap)
    if expect == "bytes":
        return body
    if expect == "text":
        return body.decode(errors="replace")
    try:
        return json.loads(body, **(EXACT if expect == "exact" else STRICT))
    except (ValueError, RecursionError):
        raise UpstreamFailed(f"{provider} answered something that is not JSON.", provider=provider) from None


def read_error(headers: Mapping[str, str], raw: bytes) -> Any:
    """An error's body for a provider's own reading: JSON where it is, else text. Never shown to anybody."""
    try:
        body = _decode_body("", headers, raw, SAID_CAP)
        return json.loads(body, parse_constant=refuse_constant)
    except UpstreamFailed:
        return ""
    except (ValueError, RecursionError):
        return body.decode(errors="replace")


class AnswerTooLarge(Refused):
    """An answer with more than is read of it: another question may have a smaller one."""


def too_large(provider: str, cap: int) -> AnswerTooLarge:
    return AnswerTooLarge(f"{provider} answered with more than {cap // 1024} KiB.", provider=provider)


def _decode_body(provider: str, headers: Mapping[str, str], raw: bytes, cap: int, *, whole: bool = True) -> bytes:
    """The body without its content coding. We asked for gzip only, so anything else is not an answer to us."""
    coding = headers.get("content-encoding", "").strip().lower()
    if coding in ("", "identity"):
        return raw
    if coding not in ("gzip", "x-gzip", "deflate"):
        raise UpstreamFailed(f"{provider} answered in a content coding nobody asked for.", provider=provider)
    stream = zlib.decompressobj(47)  # gzip or zlib, as it comes
    try:
        body = stream.decompress(raw, cap + 1)
    except zlib.error:
        raise UpstreamFailed(f"{provider} answered with a broken gzip body.", provider=provider) from None
    if not whole:
        return body[:cap]
    if len(body) > cap:
        raise too_large(provider, cap)
    if not stream.eof:
        raise UpstreamFailed(f"{provider} answered with half a gzip body.", provider=provider)
    return body


STRICT: dict[str, Any] = {"parse_constant": refuse_constant}
EXACT: dict[str, Any] = {"parse_float": str, "parse_constant": lambda _: None}
