"""What a status, or several tiers' failures, mean for the reader."""

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

WAIT = 60  # seconds, where a page says "too often" without saying for how long
BRIEF = 120  # characters of how one tier fared
CHALLENGES = {429, *range(500, 600)}  # with a wall in the body they do not mean what they say

# Where a page may still be had: nowhere, from others who keep copies, or here by a browser's ways.
type Hope = Literal["none", "elsewhere", "again"]


class LoginRequired(AuthRequired):
    """The page shows a login instead of itself."""

    action = "inform_user"


class Unauthorised(LoginRequired):
    """The server wants a login, whoever asks."""


class Withheld(Blocked):
    """The server may not show the page, whoever asks."""


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
FINAL = (InvalidInput, NotFound, PaymentRequired, Unauthorised, Withheld)  # no other tier would fare better


@dataclass(frozen=True)
class TierFailure:
    """How one tier failed. `own` is false where it was a third party's tier: that says nothing of the page."""

    tier: str
    error: ToolError
    own: bool = True

    def describe(self) -> str:
        return f"{self.tier}: {brief(self.error)}"[:BRIEF]


def add_tier_note[E: ToolError](error: E, note: str) -> E:
    """The error with a word for the list of tiers."""
    error.add_note(note)
    return error


def brief(error: ToolError) -> str:
    """The error in a word or two."""
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


def empty(url: str) -> ContentEmpty:
    return add_tier_note(ContentEmpty(f"No content extracted from {url}. May need browser rendering."), "empty")


def refusal(fetched: Fetched, retry_after: int | None) -> ToolError | None:
    """What the status says of the page, None when it can be read."""
    error = of_status(fetched.url, fetched.status, retry_after)
    return add_tier_note(error, f"HTTP {fetched.status}") if error else None


def of_status(url: str, status: int, retry_after: int | None = None) -> ToolError | None:
    """What a status says against reading the page; None where it says nothing against it."""
    if status < 400:
        return None
    if status == 403:
        return blocked_error(url, "HTTP 403")
    if status == 429:
        wait = retry_after or WAIT
        return RateLimited(f"Rate limited on {url}. Retry in {wait} seconds.", retry_after=wait)
    if status >= 500:
        return Network(f"Network error on {url}: HTTP {status}. The site has trouble; call again.", retry_after=5)
    kind, sentence = SAID.get(status, (ContentEmpty, "No content extracted from {url}: HTTP {status}."))
    return kind(sentence.format(url=url, status=status))


GONE = (NotFound, "Not found: {url} returned {status} — the page does not exist. Check the URL.")
LOGIN = (Unauthorised, "Auth required: {url} is behind a login wall.")
SAID: Mapping[int, tuple[type[ToolError], str]] = {
    401: LOGIN,
    402: (PaymentRequired, "{url} wants a payment before it can be read. Try an alternative source."),
    404: GONE,
    407: LOGIN,
    410: GONE,
    451: (Withheld, "Blocked: {url} is withheld for legal reasons (HTTP 451). Try an alternative source."),
}


def escalation(error: ToolError) -> Hope:
    """Where the page may still be had after this failure of one of our own tiers."""
    if isinstance(error, FINAL):
        return "none"
    if isinstance(error, Blocked | LoginRequired | ContentEmpty | BrowserUnavailable):
        return "again"
    if isinstance(error, Unreachable):
        return UNREACHED.get(error.reason, "elsewhere")
    return "elsewhere"


UNREACHED: Mapping[str, Hope] = {"reset": "again", "tls": "again", "protocol": "again", "dns": "none"}


def composite(failures: Sequence[TierFailure]) -> ToolError:
    """One error for all tiers: of the kind that says most of the page, naming how each tier fared."""
    errors = [failure.error for failure in failures if failure.own]
    chosen = next((error for kind in PRIORITY for error in errors if isinstance(error, kind)), errors[-1])
    if isinstance(chosen, BrowserUnavailable):  # which says nothing of a server that could not be heard
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
    return ", ".join(failure.describe() for failure in failures)


def is_challenge(headers: Mapping[str, str]) -> bool:
    """The server itself says that it wants a proof of humanity."""
    return headers.get("cf-mitigated") == "challenge"
