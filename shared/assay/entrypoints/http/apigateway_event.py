"""Reads events and builds responses of API Gateway HTTP APIs and Lambda Function URLs (payload format 2.0)."""

import base64
import binascii
import re
import time
import uuid
from collections.abc import Callable, Mapping
from typing import Any

from assay.entrypoints.http.http_errors import BODY_BYTES, HttpMethodNotAllowed, body_too_large
from assay.entrypoints.http.security_headers import SECURITY_HEADERS
from assay.errors import InvalidInput, ToolError
from assay.text.json_encoding import encode_json
from assay.text.strict_json import parse_strict

REQUEST_ID = re.compile(r"[A-Za-z0-9._:-]{1,200}")
MARGIN = 1.0  # seconds reserved for sending the response
FUNCTION_URL = ".lambda-url."  # in the domain name of every Function URL
HTTP_API_SECONDS = 29.0  # HTTP APIs have an integration time-out of 30 seconds

type Event = Mapping[str, Any]


def headers_of(event: Event) -> dict[str, str]:
    """The headers with lower-case names. API Gateway joins repeated headers with commas."""
    return {str(name).lower(): str(value) for name, value in (event.get("headers") or {}).items()}


def body_of(event: Event) -> bytes:
    """The decoded request body. Raises InvalidInput for invalid base64 or coding, RequestBodyTooLarge above 10 MB."""
    body = event.get("body") or ""
    if len(body) > BODY_BYTES * 4 // 3 + 4:
        raise body_too_large(BODY_BYTES)
    if event.get("isBase64Encoded"):
        try:
            content = base64.b64decode(body, validate=True)
        except (binascii.Error, ValueError):
            raise InvalidInput("The body is marked as base64 and is not valid base64.", field="body") from None
    else:
        content = body.encode(errors="surrogatepass")
    if len(content) > BODY_BYTES:
        raise body_too_large(BODY_BYTES)
    return decode_body(content, headers_of(event).get("content-encoding", ""))


def decode_body(content: bytes, coding: str) -> bytes:
    """Decode the Content-Encoding of a complete body, 10 MB at most. Raises InvalidInput."""
    if not coding:
        return content
    from assay.entrypoints.http.body_decoding import decode_piece, decoder_of

    decoder = decoder_of(coding)
    return content if decoder is None else decode_piece(decoder, content, last=True)


def json_of(content: bytes, name: str = "body") -> Any:
    """The JSON value of a body; an empty body is an empty object. Raises InvalidInput with the reason and the name."""
    if not content.strip():
        return {}
    try:
        return parse_strict(content.decode())
    except UnicodeDecodeError:
        raise InvalidInput(f"The {name} cannot be read as UTF-8. Send JSON in UTF-8.", field=name) from None
    except ValueError as wrong:
        raise InvalidInput(f"The {name} cannot be read as JSON: {wrong}. Send one JSON object.", field=name) from None


def request_id_of(event: Event, headers: Mapping[str, str]) -> str:
    """The caller's X-Request-Id if it is valid, else that of API Gateway, else a new one."""
    sent = headers.get("x-request-id", "")
    if REQUEST_ID.fullmatch(sent):
        return sent
    return str((event.get("requestContext") or {}).get("requestId") or uuid.uuid4())


def seconds_of(event: Event, lambda_context: object, now: Callable[[], float] = time.time) -> float | None:
    """Seconds left for the call: the remaining time of Lambda, and of the HTTP API. None outside Lambda."""
    remaining = getattr(lambda_context, "get_remaining_time_in_millis", None)
    if remaining is None:
        return None
    seconds = float(remaining()) / 1000 - MARGIN
    context = event.get("requestContext") or {}
    domain = str(context.get("domainName") or "")
    if domain and FUNCTION_URL not in domain:  # of the HTTP API, which may have a domain of the operator's
        seconds = min(seconds, HTTP_API_SECONDS - _seconds_waited(context, now()))
    return max(seconds, 0.1)


def _seconds_waited(context: Mapping[str, Any], now: float) -> float:
    """Seconds since the HTTP API received the request, including a cold start; 0 if the clocks disagree."""
    received = context.get("timeEpoch")
    waited = now - received / 1000 if isinstance(received, int | float) else 0.0
    return waited if 0 <= waited < HTTP_API_SECONDS else 0.0


def respond(status: int, body: Any, request_id: str, headers: Mapping[str, str] | None = None) -> dict[str, Any]:
    """A JSON response in payload 2.0, with `cache-control: no-store` and the security headers."""
    return {
        "statusCode": status,
        "headers": {
            "content-type": "application/json",
            "cache-control": "no-store",
            **SECURITY_HEADERS,
            "x-request-id": request_id,
            **(headers or {}),
        },
        "body": encode_json(body, errors="replace").decode(),
        "isBase64Encoded": False,
    }


def to_error_response(failure: ToolError, request_id: str) -> dict[str, Any]:
    """An error as a response: 401 with WWW-Authenticate, 405 with Allow, and Retry-After if the error has a delay."""
    headers = {"allow": failure.allowed} if isinstance(failure, HttpMethodNotAllowed) else {}
    if failure.challenge or failure.status == 401:
        headers["www-authenticate"] = failure.challenge or "Bearer"
    if failure.retry_after is not None:
        headers["retry-after"] = str(failure.retry_after)
    return respond(failure.status, failure.wire(), request_id, headers)
