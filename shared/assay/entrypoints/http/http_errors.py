"""Errors of the HTTP entry points, each with its status code (RFC 9110), and the limit on request bodies."""

from collections.abc import Iterable

from assay.errors import InvalidInput, RateLimited

BODY_BYTES = 10 * 1024 * 1024  # of a request, decoded


# What a caller with a larger document does.
UPLOAD_IT = "call create_upload (POST /v1/uploads), send the file to the url that it returns, and pass upload_id"


class RequestBodyTooLarge(InvalidInput):
    status = 413


class HttpMethodNotAllowed(InvalidInput):
    """The resource has other methods; `allowed` names them, as the header Allow does."""

    status = 405

    def __init__(self, resource: str, method: str, allowed: Iterable[str]) -> None:
        self.allowed = ", ".join(sorted(allowed)) or "another method"
        super().__init__(f"{resource} does not accept {method[:20]}; use {self.allowed}.", field="method")


class UnsupportedCoding(InvalidInput):
    """The request's Content-Encoding is not supported."""

    status = 415


class ServerBusy(RateLimited):
    """The server has reached a limit that all callers share."""

    status = 503


def body_too_large(limit: int) -> RequestBodyTooLarge:
    """The error for a body of more than `limit` bytes."""
    size = f"{limit // 1024 // 1024} MB" if limit >= 1024 * 1024 else f"{limit // 1024} KB"
    way = f"Send less, or for a document {UPLOAD_IT}." if limit == BODY_BYTES else "Send less."
    return RequestBodyTooLarge(f"The body is over {size}. {way}", field="body")
