"""API Gateway's events (HTTP API and Function URL, payload 2.0), read the same way by every door on Lambda."""

import base64
import binascii
import json
import re
import time
import uuid
from collections.abc import Callable, Mapping
from typing import Any

from assay.entrypoints.http.http_errors import BODY_BYTES, body_too_large
from assay.entrypoints.http.response_headers import SECURITY_HEADERS
from assay.errors import InvalidInput, ToolError
from assay.text.strict_json import refuse_constant

REQUEST_ID = re.compile(r"[A-Za-z0-9._:-]{1,200}")
MARGIN = 1.0  # seconds kept for the way back
HTTP_API_SECONDS = 29.0  # an HTTP API hangs up at 30

type Event = Mapping[str, Any]


def headers_of(event: Event) -> dict[str, str]:
    """Lower-case names; repeated headers come joined by commas, or not at all."""
    return {str(name).lower(): str(value) for name, value in (event.get("headers") or {}).items()}


def body_of(event: Event) -> bytes:
    """The request's body. Raises InvalidInput when its base64 is broken, or it is over 10 MB."""
    body = event.get("body") or ""
    if len(body) > BODY_BYTES * 4 // 3 + 4:
        raise body_too_large(BODY_BYTES)
    if event.get("isBase64Encoded"):
        try:
            content = base64.b64decode(body, validate=True)
        except (binascii.Error, ValueError):
            raise InvalidInput("The body says it is base64, and is not.", field="body") from None
    else:
        content = body.encode(errors="surrogatepass")
    if len(content) > BODY_BYTES:
        raise body_too_large(BODY_BYTES)
    return decode_whole(content, headers_of(event).get("content-encoding", ""))


def decode_whole(content: bytes, coding: str) -> bytes:
    """The content without its Content-Encoding, 10 MB at most. Raises InvalidInput."""
    if not coding:
        return content
    from assay.entrypoints.http.body_decoding import decode_piece, decoder_of

    decoder = decoder_of(coding)
    return content if decoder is None else decode_piece(decoder, content, last=True)


def json_of(content: bytes) -> Any:
    """The JSON in a body; no body is an empty object. Raises InvalidInput that says what is wrong with it."""
    if not content.strip():
        return {}
    try:
        return json.loads(content.decode(), parse_constant=refuse_constant)
    except UnicodeDecodeError:
        raise InvalidInput("The body is not UTF-8. Send JSON in UTF-8.", field="body") from None
    except RecursionError:
        raise InvalidInput("The body is nested too deeply.", field="body") from None
    except ValueError as wrong:
        reason = str(wrong).split(":")[0] if isinstance(wrong, json.JSONDecodeError) else str(wrong)
        raise InvalidInput(f"The body is not JSON: {reason}. Send one JSON object.", field="body") from None


def request_id_of(event: Event, headers: Mapping[str, str]) -> str:
    shown = headers.get("x-request-id", "")
    if REQUEST_ID.fullmatch(shown):
        return shown
    return str((event.get("requestContext") or {}).get("requestId") or uuid.uuid4())


def seconds_of(event: Event, lambda_context: object, now: Callable[[], float] = time.time) -> float | None:
    """How long the door leaves: what Lambda has left, and no longer than an HTTP API waits. None on a laptop."""
    remaining = getattr(lambda_context, "get_remaining_time_in_millis", None)
    if remaining is None:
        return None
    seconds = float(remaining()) / 1000 - MARGIN
    context = event.get("requestContext") or {}
    if "execute-api" in str(context.get("domainName", "")):
        seconds = min(seconds, HTTP_API_SECONDS - _seconds_waited(context, now()))
    return max(seconds, 0.1)


def _seconds_waited(context: Mapping[str, Any], now: float) -> float:
    """Seconds since the HTTP API took the request, a cold start among them; a clock far off counts for nothing."""
    taken = context.get("timeEpoch")
    waited = now - taken / 1000 if isinstance(taken, int | float) else 0.0
    return waited if 0 <= waited < HTTP_API_SECONDS else 0.0


def respond(status: int, body: Any, request_id: str, headers: Mapping[str, str] | None = None) -> dict[str, Any]:
    """A response in payload 2.0: JSON, never cached by a middleman, never sniffed for something else."""
    return {
        "statusCode": status,
        "headers": {
            "content-type": "application/json",
            "cache-control": "no-store",
            **SECURITY_HEADERS,
            "x-request-id": request_id,
            **(headers or {}),
        },
        "body": json.dumps(body, ensure_ascii=False, separators=(",", ":")),
        "isBase64Encoded": False,
    }


def to_error_response(failure: ToolError, request_id: str) -> dict[str, Any]:
    """A failure as a response; 401 says how to come in, 429 and its like say when."""
    headers = {}
    if failure.status == 401:
        headers["www-authenticate"] = "Bearer"
    if failure.retry_after is not None:
        headers["retry-after"] = str(failure.retry_after)
    return respond(failure.status, failure.wire(), request_id, headers)
