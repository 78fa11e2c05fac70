"""How a fetch ends without an answer, in more detail than the callers' envelope has room for."""

from typing import Literal

from assay.errors import InvalidInput, Network

type Reason = Literal["dns", "refused", "reset", "timeout", "tls", "protocol", "other"]


class Unreachable(Network):
    """No answer; `reason` says where it ended."""

    def __init__(self, message: str, reason: Reason) -> None:
        super().__init__(message)
        self.reason: Reason = reason


class TooManyRedirects(Unreachable):
    """The address leads on and on; asking again would not help."""

    retryable, action = False, "inform_user"


class BadCoding(Unreachable):
    """The body is wrapped in a way that is not unwrapped here; asking again would not help."""

    retryable, action = False, "inform_user"


class OffLimits(InvalidInput):
    """An address that is never fetched; `what` says in a few words what it leads to, or what is wrong with it."""

    def __init__(self, message: str, what: str) -> None:
        super().__init__(message, field="url")
        self.what = what


class BodyTooLarge(InvalidInput):
    """The body is larger than the cap, and half of it would be of no use."""
