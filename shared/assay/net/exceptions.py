"""Errors of the guarded client, with more detail than the error envelope."""

from typing import Literal

from assay.errors import InvalidInput, Network

type Reason = Literal["dns", "refused", "reset", "timeout", "tls", "protocol", "other"]


class Unreachable(Network):
    """No response; `reason` is the stage that failed."""

    def __init__(self, message: str, reason: Reason) -> None:
        super().__init__(message)
        self.reason: Reason = reason


class TooManyRedirects(Unreachable):
    """Too many redirects, or a circle. Not retryable."""

    retryable, action = False, "inform_user"


class BadCoding(Unreachable):
    """The body has an unsupported or invalid Content-Encoding. Not retryable."""

    retryable, action = False, "inform_user"


class OffLimits(InvalidInput):
    """The URL may not be fetched; `what` is a short phrase for its destination or defect."""

    def __init__(self, message: str, what: str) -> None:
        super().__init__(message, field="url")
        self.what = what


class BodyTooLarge(InvalidInput):
    """The body exceeds the limit, and a truncated one would be useless."""
