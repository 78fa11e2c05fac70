"""What a status, or several tiers' failures, mean for the reader."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.errors import (
    AuthRequired,
    Blocked,
    BrowserUnavailable,
    ContentEmpty,
    InvalidInput,
    Network,
    NotFound,
    PaymentRequired,
    RateLimited,
    ToolError,
)
from assay.net.web import Fetched

WAIT = 60  # seconds, where a page says "too often" without saying for how long
PRIORITY = (
    InvalidInput,
    NotFound,
    AuthRequired,
    PaymentRequired,
    RateLimited,
    Blocked,
    BrowserUnavailable,
    ContentEmpty,
)
FINAL = (InvalidInput, NotFound, PaymentRequired)  # no other tier would fare better


@dataclass(frozen=True)
class Failure:
    """How one tier failed."""

    tier: str
    error: ToolError

    def told(self) -> str:
        return f"{self.tier}: {self.error.message}"[:120]


class LoginRequired(AuthRequired):
    action = "inform_user"


def blocked(url: str) -> Blocked:
    return Blocked(
        f"Blocked: {url} uses bot detection. Try an alternative source — its content can't be read directly."
    )


def login_required(url: str) -> LoginRequired:
    return LoginRequired(f"Auth required: {url} is behind a login wall.")


def empty(url: str) -> ContentEmpty:
    return ContentEmpty(f"No content extracted from {url}. May need browser rendering.")


def refusal(fetched: Fetched, retry_after: int | None) -> ToolError | None:
    """What the status says of the page, None when it can be read."""
    url, status = fetched.url, fetched.status
    if status < 400:
        return None
    if status in (404, 410):
        return NotFound(f"Not found: {url} returned {status} — the page does not exist. Check the URL.")
    if status in (401, 407):
        return login_required(url)
    if status == 402:
        return PaymentRequired(f"{url} wants a payment before it can be read. Try an alternative source.")
    if status == 429:
        wait = retry_after or WAIT
        return RateLimited(f"Rate limited on {url}. Retry in {wait} seconds.", retry_after=wait)
    if status in (403, 451):
        return blocked(url)
    if status >= 500:
        return Network(f"Network error on {url}: HTTP {status}. The site has trouble; call again.", retry_after=5)
    return ContentEmpty(f"No content extracted from {url}: HTTP {status}.")


def composite(failures: Sequence[Failure]) -> ToolError:
    """One error for all tiers: of the kind that says most, naming how each tier fared."""
    errors = [failure.error for failure in failures]
    if len(errors) == 1:
        return errors[0]
    chosen = next((error for kind in PRIORITY for error in errors if isinstance(error, kind)), errors[-1])
    if isinstance(chosen, FINAL):
        return chosen
    tried = ", ".join(f"{failure.tier}: {_brief(failure.error)}" for failure in failures)
    return type(chosen)(
        f"{chosen.message} Tried {tried}.", retry_after=chosen.retry_after, action=chosen.suggested_action
    )


def _brief(error: ToolError) -> str:
    return error.kind.replace("_", " ")


def challenged(headers: Mapping[str, str]) -> bool:
    """The server itself says that it wants a proof of humanity."""
    return headers.get("cf-mitigated") == "challenge"
