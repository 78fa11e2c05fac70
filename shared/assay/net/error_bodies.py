"""Classifies errors that a provider describes in the body of its response."""

import re
from collections.abc import Mapping
from typing import Any

from assay.errors import KeyRejected, PaymentRequired, RateLimited, Refused, ToolError, UpstreamFailed
from assay.net.provider_client import WAIT_DEFAULT, ProviderResponse

KEY = re.compile(
    r"(?:api|access|subscription)?[ _-]?(?:key|token)\b.{0,40}\b(?:invalid|missing|expired|not valid|unknown|"
    r"incorrect|required|revoked)|(?:invalid|missing|incorrect|expired|bad|unknown|no).{0,30}\b(?:key|token)\b|"
    r"unauthori[sz]ed|not authenticated|authentication|API_KEY_INVALID",
    re.IGNORECASE,
)
LIMIT = re.compile(
    r"rate.?limit|too many requests|throttl|quota|limit (?:reached|exceeded)|exceeded.{0,30}limit", re.IGNORECASE
)
MONEY = re.compile(
    r"payment|billing|credits?\b|upgrade|subscription (?:expired|required|ended)|insufficient (?:funds|balance)",
    re.IGNORECASE,
)
WORDS = ("message", "detail", "error", "code", "status", "reason", "title", "msg", "type")
CLEAR_STATUSES = {401, 402, 404, 410, 429}  # the status itself says what is wrong


def parse_refusal(provider: str, response: ProviderResponse) -> ToolError | None:
    """The error that the `error` of a 4xx or 2xx response describes, or None. Its text is never passed on."""
    if response.status in CLEAR_STATUSES or response.status >= 500 or not isinstance(response.body, Mapping):
        return None
    error = response.body.get("error") or response.body.get("errors")
    if not error and response.status >= 400:
        error = {name: response.body[name] for name in WORDS if name in response.body}
    if not error:
        return None
    text = " ".join(_collect_texts(error))[:2_000]
    if KEY.search(text):
        return KeyRejected(f"{provider} rejected the configured API key. Check it.", provider=provider)
    if LIMIT.search(text):
        return RateLimited(
            f"{provider} limits the request rate. Wait {WAIT_DEFAULT} seconds, or use another provider.",
            provider=provider,
            retry_after=WAIT_DEFAULT,
        )
    if MONEY.search(text):
        return PaymentRequired(f"{provider} requires payment. Use another provider.", provider=provider)
    if response.status < 300:
        return UpstreamFailed(f"{provider} returned an error instead of results.", provider=provider)
    return None


def detect_web_page(provider: str, response: ProviderResponse) -> ToolError | None:
    """The error for a 404 with an HTML page: the service is missing, which says nothing about the resource."""
    if response.status != 404 or not isinstance(response.body, str) or "<html" not in response.body.lower():
        return None
    return Refused(f"{provider} returned a web page instead of an API response (HTTP 404).", provider=provider)


def _collect_texts(error: Any, depth: int = 0) -> list[str]:
    """The texts in an error value of any shape, down to four levels."""
    if isinstance(error, str):
        return [error]
    if depth > 4:
        return []
    if isinstance(error, Mapping):
        return [text for name in WORDS for text in _collect_texts(error.get(name), depth + 1)]
    return [text for inner in error[:5] for text in _collect_texts(inner, depth + 1)] if isinstance(error, list) else []
