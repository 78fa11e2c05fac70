"""Mapping of HTTP statuses and tier failures to tool errors."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

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
from assay.net.exceptions import Unreachable
from assay.net.guarded_client import Fetched

WAIT = 60  # seconds, for status 429 without Retry-After
BRIEF = 120  # maximum length of a tier's description
CHALLENGES = {429, *range(500, 600)}  # with a bot check in the body, these statuses mean a refusal

# Which tiers may still succeed: none, third parties with copies, or a browser-like request.
type Escalation = Literal["none", "elsewhere", "again"]


class LoginRequired(AuthRequired):
    """The page shows a login form instead of its content."""

    action = "inform_user"


class Unauthorised(LoginRequired):
    """The server requires authentication of every client."""


class Withheld(Blocked):
    """The server withholds the page from every client."""


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
FINAL = (InvalidInput, NotFound, PaymentRequired, Unauthorised, Withheld)  # no other tier would succeed


@dataclass(frozen=True)
class TierFailure:
    """The failure of one tier; `own` is False for third-party tiers, whose errors do not describe the page."""

    tier: str
    error: ToolError
    own: bool = True

    def describe(self) -> str:
        return f"{self.tier}: {describe_briefly(self.error)}"[:BRIEF]


def add_tier_note[E: ToolError](error: E, note: str) -> E:
    """Attach a short description for the list of tiers."""
    error.add_note(note)
    return error


def describe_briefly(error: ToolError) -> str:
    """A one- or two-word description of the error."""
    if isinstance(error, Unreachable):
        return error.reason
    return next(iter(getattr(error, "__notes__", ())), error.kind.replace("_", " "))


def blocked_error(url: str, note: str = "bot wall") -> Blocked:
    return add_tier_note(
        Blocked(f"Blocked: {url} uses bot detection. Try an alternative source — its content can't be read directly."),
        note,
    )


def login_required(url: str) -> LoginRequired:
    return add_tier_note(LoginRequired(f"Auth required: {url} is behind a login wall."), "login wall")


def empty_error(url: str) -> ContentEmpty:
    return add_tier_note(ContentEmpty(f"No content extracted from {url}. May need browser rendering."), "empty")


def response_error(fetched: Fetched, retry_after: int | None) -> ToolError | None:
    """The error for the response's status with a note, None if the page can be read."""
    error = status_error(fetched.url, fetched.status, retry_after)
    return add_tier_note(error, f"HTTP {fetched.status}") if error else None


def status_error(url: str, status: int, retry_after: int | None = None) -> ToolError | None:
    """The error for an HTTP status; None below 400."""
    if status < 400:
        return None
    if status == 403:
        return blocked_error(url, "HTTP 403")
    if status == 429:
        wait = retry_after or WAIT
        return RateLimited(f"Rate limited on {url}. Retry in {wait} seconds.", retry_after=wait)
    if status >= 500:
        return Network(f"Network error on {url}: HTTP {status}. The site has trouble; call again.", retry_after=5)
    kind, sentence = STATUS_ERRORS.get(status, (ContentEmpty, "No content extracted from {url}: HTTP {status}."))
    return kind(sentence.format(url=url, status=status))


GONE = (NotFound, "Not found: {url} returned {status} — the page does not exist. Check the URL.")
LOGIN = (Unauthorised, "Auth required: {url} is behind a login wall.")
STATUS_ERRORS: Mapping[int, tuple[type[ToolError], str]] = {
    401: LOGIN,
    402: (PaymentRequired, "{url} requires a payment. Try an alternative source."),
    404: GONE,
    407: LOGIN,
    410: GONE,
    451: (Withheld, "Blocked: {url} is withheld for legal reasons (HTTP 451). Try an alternative source."),
}


def choose_escalation(error: ToolError) -> Escalation:
    """Which tiers may still succeed after this failure of one of our own tiers."""
    if isinstance(error, FINAL):
        return "none"
    if isinstance(error, Blocked | LoginRequired | ContentEmpty | BrowserUnavailable):
        return "again"
    if isinstance(error, Unreachable):
        return UNREACHED.get(error.reason, "elsewhere")
    return "elsewhere"


UNREACHED: Mapping[str, Escalation] = {"reset": "again", "tls": "again", "protocol": "again", "dns": "none"}


def combine_failures(failures: Sequence[TierFailure]) -> ToolError:
    """Combine the failures into one error of the most specific type, with a description of each tier."""
    errors = [failure.error for failure in failures if failure.own]
    chosen = next((error for kind in PRIORITY for error in errors if isinstance(error, kind)), errors[-1])
    if isinstance(chosen, BrowserUnavailable):  # does not describe an unreachable server
        chosen = next((error for error in errors if not isinstance(error, PRIORITY)), chosen)
    if len(failures) == 1 or isinstance(chosen, FINAL):
        return chosen
    wider = Blocked if isinstance(chosen, Blocked) else type(chosen)
    if isinstance(chosen, Unreachable):
        wider = Network
    return wider(
        f"{chosen.message} Tried {describe_failures(failures)}.",
        retry_after=chosen.retry_after,
        action=chosen.suggested_action,
    )


def describe_failures(failures: Sequence[TierFailure]) -> str:
    """List the tiers with their errors."""
    return ", ".join(failure.describe() for failure in failures)


def is_challenge(headers: Mapping[str, str]) -> bool:
    """Whether Cloudflare marks the response as a challenge (`cf-mitigated`)."""
    return headers.get("cf-mitigated") == "challenge"
