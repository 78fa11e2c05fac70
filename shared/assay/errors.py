"""What can go wrong, in words a caller can act on.

ToolError
├── InvalidInput        the caller's arguments or address
│   └── UnsupportedType the address leads to a file that is not text and is not read
├── Unauthenticated     the caller has shown no key we know
├── Forbidden           the caller's key does not reach this far
├── NotFound            the thing asked for is not there
│   └── SessionNotFound a research session that is unknown, expired or somebody else's
├── ConfigError         what was asked needs configuration that is missing
├── RateLimited         ours or an upstream's
├── AuthRequired        an upstream refuses our key, or a page wants a login
├── PaymentRequired     an upstream wants money
├── Blocked             a page or an upstream refuses robots
├── Network             no answer: DNS, TLS, refusal, time
├── ContentEmpty        an answer with nothing usable in it
├── BrowserUnavailable  no browser to render with
└── UpstreamFailed      an answer we cannot use
    ├── CorruptDocument a file that its reader can make nothing of
    └── Refused         this one question was refused; the upstream is well
"""

import json
import re
from collections.abc import Sequence
from typing import Any, ClassVar, Self

ENVELOPE_BYTES = 1000
SECRETS = re.compile(
    r"AIza[\w-]{35}|\bsk-[\w-]{20,}|\bBSA[\w-]{20,}|(?<=bearer )\S+"
    r"|(?<=api_key=)[^&\s\"]+|(?<=access_token=)[^&\s\"]+|(?<=token=)[^&\s\"]+|(?<=secret=)[^&\s\"]+"
    r"|(?<=password=)[^&\s\"]+|(?<=[?&]key=)[^&\s\"]+|\b[0-9a-fA-F]{64}\b",
    re.IGNORECASE,
)


def mask_credentials(text: str) -> str:
    """The text with everything that looks like a credential replaced."""
    return SECRETS.sub("[REDACTED]", text)


class ToolError(Exception):
    """The root: what the four doors catch, and all they need to know of a failure.

    `retry_after` is in seconds. `status` is the HTTP status of the HTTPS door. `hint` is the way out where the message
    is a fixed string that callers compare.
    """

    kind: ClassVar[str] = "internal"
    status: ClassVar[int] = 500
    retryable: ClassVar[bool] = False
    action: ClassVar[str] = "report_bug"
    out_of_time = False  # whether the caller's deadline caused it: it says nothing to callers who have more time

    def __init__(
        self,
        message: str,
        *,
        provider: str | None = None,
        retry_after: int | None = None,
        alternatives: Sequence[str] = (),
        field: str | None = None,
        action: str | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.provider = provider
        self.retry_after = retry_after
        self.alternatives = tuple(alternatives)
        self.field = field
        self.suggested_action = action or self.action
        self.hint = hint

    def detach(self) -> Self:
        """This error without the traces of where it and its causes were raised.

        They hold the frames of the call, and with them its arguments; a frame that holds the error in turn would keep
        all of it in memory until the garbage collector's next full run.
        """
        self.__traceback__ = self.__context__ = self.__cause__ = None
        return self

    def envelope(self) -> dict[str, Any]:
        """`{"error": {kind, retryable, suggestedAction, …}}`, without the sentence."""
        error: dict[str, Any] = {"kind": self.kind, "retryable": self.retryable}
        if self.retry_after is not None:
            error["retryAfterSeconds"] = self.retry_after
        error["suggestedAction"] = self.suggested_action
        if self.provider:
            error["provider"] = self.provider
        if self.alternatives:
            error["alternatives"] = list(self.alternatives)
        if self.field:
            error["field"] = self.field[:80]
        return {"error": error}

    def sentence(self) -> str:
        """The message on one line, masked, short enough for the whole envelope to stay under 1 KB."""
        said = f"{self.message}: {self.hint}" if self.hint else self.message
        line = " ".join(mask_credentials(said).split())
        room = ENVELOPE_BYTES - len(json.dumps(self.envelope(), separators=(",", ":"))) - 4
        if len(line.encode()) > room:
            line = line.encode()[: room - 3].decode(errors="ignore") + "…"
        return line

    def text(self) -> str:
        """What a model reads: a sentence, an empty line, the envelope."""
        return f"{self.sentence()}\n\n{json.dumps(self.envelope(), separators=(',', ':'), ensure_ascii=False)}"

    def wire(self) -> dict[str, Any]:
        """What the HTTPS door and the command line answer: the envelope with the sentence in it."""
        envelope = self.envelope()
        envelope["error"]["message"] = self.sentence()
        return envelope


class InvalidInput(ToolError):
    kind, status, action = "validation", 400, "inform_user"


class UnsupportedType(InvalidInput):
    pass


class Unauthenticated(ToolError):
    kind, status, action = "auth_required", 401, "inform_user"


class Forbidden(ToolError):
    kind, status, action = "forbidden", 403, "inform_user"


class NotFound(ToolError):
    kind, status, action = "not_found", 404, "inform_user"


class SessionNotFound(NotFound):
    """`last_step` is the step that the caller has behind it, where one is known."""

    kind = "session_not_found"

    def __init__(self, message: str, *, last_step: int | None = None) -> None:
        super().__init__(message, field="sessionId")
        self.last_step = last_step

    def envelope(self) -> dict[str, Any]:
        envelope = super().envelope()
        if self.last_step is not None:
            envelope["error"]["recoveryHint"] = {"lastKnownStep": self.last_step, "canResume": False}
        return envelope


class ConfigError(ToolError):
    kind, status, action = "config", 400, "try_different_provider"


class RateLimited(ToolError):
    kind, status, retryable, action = "rate_limited", 429, True, "retry_after_delay"


class AuthRequired(ToolError):
    kind, status, action = "auth_required", 502, "check_api_key"


class PaymentRequired(ToolError):
    kind, status, action = "payment_required", 502, "try_different_provider"


class Blocked(ToolError):
    kind, status, action = "blocked", 502, "inform_user"


class Network(ToolError):
    kind, status, retryable, action = "network", 504, True, "retry_after_delay"


class ContentEmpty(ToolError):
    kind, status, retryable = "content_empty", 502, True


class BrowserUnavailable(ToolError):
    kind, status = "browser_unavailable", 503


class UpstreamFailed(ToolError):
    kind, status, retryable, action = "upstream_unavailable", 502, True, "try_different_provider"


class CorruptDocument(UpstreamFailed):
    """Kept apart from an upstream that is unwell: asking again brings the same file."""

    retryable, action = False, "inform_user"


class Refused(UpstreamFailed):
    retryable = False
