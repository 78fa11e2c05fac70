"""The errors that callers see. Each has a kind, an HTTP status and a suggested action.

ToolError
├── InvalidInput        the caller's arguments or URL are invalid
│   └── UnsupportedType the URL leads to a file type that is not supported
├── Unauthenticated     the caller sent no valid key
├── Forbidden           the caller's key does not allow this
│   └── InsufficientScope the caller's scopes do not cover the call
├── NotFound            the resource does not exist
│   └── SessionNotFound the research session is unknown, expired or another caller's
├── ConfigError         the request needs configuration that is missing or wrong
│   └── Misconfigured   the deployment's own configuration is missing or wrong
├── RateLimited         a limit of this service or of an upstream
│   └── QuotaExceeded   a limit of this service
├── AuthRequired        an upstream rejects the configured key, or a page requires a login
│   └── KeyRejected     an upstream rejects the configured key, or asks for one
├── PaymentRequired     an upstream requires payment
├── Blocked             a page or an upstream refuses automated access
├── Network             no response: DNS, TLS, refused connection, time-out
│   └── DependencyUnavailable  a service that this one runs on is busy or failing
├── CallContinues       the answer is not ready; the call goes on in the background
├── ContentEmpty        a response without usable content
├── BrowserUnavailable  no browser is available
└── UpstreamFailed      an upstream failed, or its response is unusable
    ├── CorruptDocument the file is damaged and cannot be parsed
    └── Refused         the upstream refused this request but works otherwise
"""

import json
import re
from collections.abc import Sequence
from typing import Any, ClassVar, Self

ENVELOPE_BYTES = 1000
# What looks like a credential, by a text in lower case that is part of it or stands before it.
CREDENTIALS = {
    "assay": r"assay(?:at|rt|ac|dc|bs|wf|key)?_[\w.-]{20,}",
    "whsec_": r"\bwhsec_[\w+/=-]{20,}",
    "aiza": r"AIza[\w-]{35}",
    "sk-": r"\bsk-[\w-]{20,}",
    "bsa": r"\bBSA[\w-]{20,}",
    "bearer ": r"(?<=bearer )\S+",
    "basic ": r"(?<=basic )[\w+/=-]{12,}",
    "authorization: ": r"(?<=authorization: )[^\s,]+(?: \S+)?",
    "x-api-key: ": r"(?<=x-api-key: )\S+",
    "x-admin-key: ": r"(?<=x-admin-key: )\S+",
    "x-subscription-token: ": r"(?<=x-subscription-token: )\S+",
    "api_key=": r"(?<=api_key=)[^&\s\"]+",
    "token=": r"(?<=token=)[^&\s\"]+",
    "secret=": r"(?<=secret=)[^&\s\"]+",
    "password=": r"(?<=password=)[^&\s\"]+",
    "passwd=": r"(?<=passwd=)[^&\s\"]+",
    "pwd=": r"(?<=pwd=)[^&\s\"]+",
    "key=": r"(?<=[?&]key=)[^&\s\"]+",
}
DIGEST_LENGTH = 64
SECRETS = re.compile("|".join((*CREDENTIALS.values(), rf"\b[0-9a-fA-F]{{{DIGEST_LENGTH}}}\b")), re.IGNORECASE)


def mask_credentials(text: str) -> str:
    """The text with everything that looks like a credential replaced by [REDACTED]."""
    return SECRETS.sub("[REDACTED]", text) if may_have_credentials([text]) else text


def may_have_credentials(texts: Sequence[str]) -> bool:
    """Whether any of the texts may have something that looks like a credential. If not, none of them has."""
    # The pattern takes six times as long as these searches, and each call has its texts masked for the audit.
    # Beyond ASCII, it ignores more differences than those between capital and small letters.
    together = "\n".join(texts)
    if not together.isascii() or max(map(len, texts), default=0) >= DIGEST_LENGTH:
        return True
    small = together.lower()
    return any(part in small for part in CREDENTIALS)


class ToolError(Exception):
    """Base class of the errors that entry points report to callers.

    `retry_after` is in seconds. `status` is the HTTP status. `hint` says what to do where the message is a fixed
    string that callers compare.
    """

    kind: ClassVar[str] = "internal"
    status: ClassVar[int] = 500
    retryable: ClassVar[bool] = False
    action: ClassVar[str] = "report_bug"
    challenge: str | None = None  # of the header WWW-Authenticate, where an entry point knows what a client can do
    out_of_time = False  # whether the caller's deadline caused it; it then does not apply to callers with more time

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
        """Remove the traceback, the context and the cause, and return this error.

        They reference the frames of the call and its arguments; a frame that references the error in turn would keep
        all of them in memory until the next full garbage collection.
        """
        self.__traceback__ = self.__context__ = self.__cause__ = None
        return self

    def envelope(self) -> dict[str, Any]:
        """`{"error": {kind, retryable, suggestedAction, …}}`, without the message."""
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
        """The message on one line, with credentials masked, cut so that the envelope stays under 1 KB."""
        message = f"{self.message}: {self.hint}" if self.hint else self.message
        line = " ".join(mask_credentials(message).split())
        line = line.encode(errors="backslashreplace").decode()  # names of files may hold halves of surrogate pairs
        room = ENVELOPE_BYTES - len(json.dumps(self.envelope(), separators=(",", ":"))) - 4
        if len(line.encode()) > room:
            line = line.encode()[: room - 3].decode(errors="ignore") + "…"
        return line

    def text(self) -> str:
        """The error for a model: the message, an empty line, the envelope."""
        return f"{self.sentence()}\n\n{json.dumps(self.envelope(), separators=(',', ':'), ensure_ascii=False)}"

    def wire(self) -> dict[str, Any]:
        """The error for HTTP and the command line: the envelope with the message in it."""
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


class InsufficientScope(Forbidden):
    """`scopes` are all that the call needs, so that a client can ask for them at once."""

    def __init__(self, message: str, *, scopes: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.scopes = tuple(scopes)


class NotFound(ToolError):
    kind, status, action = "not_found", 404, "inform_user"


class SessionNotFound(NotFound):
    """`last_step` is the number of the caller's last completed step, if known."""

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
    """Without another provider to try, the operator has to act."""

    kind, status, action = "config", 400, "inform_user"

    def __init__(self, message: str, **more: Any) -> None:
        super().__init__(message, **more)
        if (self.alternatives or self.field == "provider") and not more.get("action"):
            self.suggested_action = "try_different_provider"


class Misconfigured(ConfigError):
    """The deployment's own configuration is missing or wrong, so that no request can succeed."""

    status = 500


class RateLimited(ToolError):
    kind, status, retryable, action = "rate_limited", 429, True, "retry_after_delay"


class QuotaExceeded(RateLimited):
    """`limit` names the limit, such as `tenant-minute`; `resets_at` is when its window ends (ISO 8601)."""

    def __init__(self, message: str, *, retry_after: int, limit: str, resets_at: str) -> None:
        super().__init__(message, retry_after=retry_after)
        self.limit, self.resets_at = limit, resets_at

    def envelope(self) -> dict[str, Any]:
        envelope = super().envelope()
        envelope["error"] |= {"limit": self.limit, "resetsAt": self.resets_at}
        return envelope


class AuthRequired(ToolError):
    kind, status, action = "auth_required", 502, "check_api_key"


class KeyRejected(AuthRequired):
    """An upstream rejects the key, or asks for one; the provider knows which variable holds it."""


class PaymentRequired(ToolError):
    kind, status, action = "payment_required", 502, "try_different_provider"


class Blocked(ToolError):
    kind, status, action = "blocked", 502, "inform_user"


class Network(ToolError):
    kind, status, retryable, action = "network", 504, True, "retry_after_delay"


class DependencyUnavailable(Network):
    """A service that this one runs on, such as its table, is busy or failing."""

    status = 503


class CallContinues(ToolError):
    """`call` is the id under which the caller fetches the answer."""

    kind, status, action = "pending", 202, "fetch_later"

    def __init__(self, message: str, *, call: str, retry_after: int) -> None:
        super().__init__(message, retry_after=retry_after)
        self.call = call

    def envelope(self) -> dict[str, Any]:
        envelope = super().envelope()
        envelope["error"]["callId"] = self.call
        return envelope


class ContentEmpty(ToolError):
    kind, status, retryable = "content_empty", 502, True


class BrowserUnavailable(ToolError):
    kind, status = "browser_unavailable", 503


class UpstreamFailed(ToolError):
    kind, status, retryable, action = "upstream_unavailable", 502, True, "try_different_provider"


class CorruptDocument(UpstreamFailed):
    """Not retryable, unlike other upstream failures: a retry returns the same file."""

    retryable, action = False, "inform_user"


class Refused(UpstreamFailed):
    retryable = False
