"""Errors of the OAuth protocol, with their registered codes."""


class OAuthError(Exception):
    """A refusal as RFC 6749, section 5.2 has it: a registered code and a description without credentials."""

    def __init__(self, code: str, description: str, *, status: int = 400, retry_after: int | None = None) -> None:
        super().__init__(description)
        self.code, self.description, self.status, self.retry_after = code, description, status, retry_after

    def wire(self) -> dict[str, str]:
        return {"error": self.code, "error_description": self.description}


def invalid_request(description: str) -> OAuthError:
    return OAuthError("invalid_request", description)


def invalid_grant(description: str) -> OAuthError:
    return OAuthError("invalid_grant", description)


def invalid_client(description: str) -> OAuthError:
    """The error for an unknown or unauthenticated client; clients register again after it."""
    return OAuthError("invalid_client", description, status=401)


def invalid_metadata(description: str) -> OAuthError:
    return OAuthError("invalid_client_metadata", description)
