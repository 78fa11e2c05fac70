"""Compresses JSON responses of Lambda functions for clients that accept gzip: transfer out is paid by size."""

import base64
import gzip
from collections.abc import Mapping
from typing import Any

MIN_BYTES = 1_400  # a smaller body fits one network packet in any case
LEVEL = 6  # the list of tools: 119 KB to 20 KB
# Only JSON: pages of people who are signed in hold tokens beside outside text, whose compressed length would tell
# something about them (BREACH).
CONTENT_TYPES = ("application/json",)


def compress_response(response: dict[str, Any], request_headers: Mapping[str, str]) -> dict[str, Any]:
    """The response (payload 2.0), compressed if worthwhile. Names of `request_headers` are in lower case."""
    headers = {name.lower(): value for name, value in response["headers"].items()}
    body = response.get("body") or ""
    if (
        response.get("isBase64Encoded")
        or len(body) < MIN_BYTES
        or "content-encoding" in headers
        or headers.get("content-type", "").partition(";")[0].strip() not in CONTENT_TYPES
    ):
        return response
    headers["vary"] = ", ".join(filter(None, (headers.get("vary"), "accept-encoding")))
    if not accepts_gzip(request_headers.get("accept-encoding", "")):
        return response | {"headers": headers}
    headers.pop("content-length", None)  # of the uncompressed body, where an application sets it
    compressed = gzip.compress(body.encode(errors="replace"), LEVEL, mtime=0)
    return response | {
        "headers": headers | {"content-encoding": "gzip"},
        "body": base64.b64encode(compressed).decode(),
        "isBase64Encoded": True,
    }


def accepts_gzip(accept_encoding: str) -> bool:
    """Whether the header Accept-Encoding (RFC 9110, 12.5.3) allows gzip. Without the header the answer is no."""
    weights: dict[str, float] = {}
    for part in accept_encoding.split(","):
        coding, _, parameters = part.partition(";")
        name, _, value = parameters.strip().partition("=")
        try:
            weights[coding.strip().lower()] = float(value) if name.strip().lower() == "q" else 1.0
        except ValueError:
            weights[coding.strip().lower()] = 0.0
    return weights.get("gzip", weights.get("*", 0.0)) > 0
