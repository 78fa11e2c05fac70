"""What an upstream means when it says no in the body of its answer."""

import re
from collections.abc import Mapping
from typing import Any

from assay.errors import AuthRequired, PaymentRequired, RateLimited, Refused, ToolError, UpstreamFailed
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
LEAVE = {401, 402, 404, 410, 429}  # these statuses say it themselves


def refused_in_words(provider: str, got: ProviderResponse) -> ToolError | None:
    """The refusal in an answer's `error`, or None. Only a 4xx or a 200 is read: the words are never passed on."""
    if got.status in LEAVE or got.status >= 500 or not isinstance(got.body, Mapping):
        return None
    error = got.body.get("error") or got.body.get("errors")
    if not error and got.status >= 400:
        error = {name: got.body[name] for name in WORDS if name in got.body}
    if not error:
        return None
    text = " ".join(_texts(error))[:2_000]
    if KEY.search(text):
        return AuthRequired(f"{provider} refuses our key. Check the API key.", provider=provider)
    if LIMIT.search(text):
        return RateLimited(
            f"{provider} wants fewer requests. Wait {WAIT_DEFAULT} seconds, or use another provider.",
            provider=provider,
            retry_after=WAIT_DEFAULT,
        )
    if MONEY.search(text):
        return PaymentRequired(f"{provider} wants payment. Use another provider.", provider=provider)
    if got.status < 300:
        return UpstreamFailed(f"{provider} answered with an error instead of results.", provider=provider)
    return None


def page_instead(provider: str, got: ProviderResponse) -> ToolError | None:
    """A 404 that is a web page: it is the service that is not there, which says nothing of what was sought."""
    if got.status != 404 or not isinstance(got.body, str) or "<html" not in got.body.lower():
        return None
    return Refused(f"{provider} answered with a page instead of its own words (HTTP 404).", provider=provider)


def _texts(error: Any, depth: int = 0) -> list[str]:
    """The words of an error, whatever its shape, without what is nested deeper than errors are."""
    if isinstance(error, str):
        return [error]
    if depth > 4:
        return []
    if isinstance(error, Mapping):
        return [text for name in WORDS for text in _texts(error.get(name), depth + 1)]
    return [text for inner in error[:5] for text in _texts(inner, depth + 1)] if isinstance(error, list) else []
