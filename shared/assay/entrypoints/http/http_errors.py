"""Errors of the HTTP entry points, each with its status code (RFC 9110), and the limit on request bodies."""

from assay.errors import InvalidInput, RateLimited

BODY_BYTES = 10 * 1024 * 1024  # of a request, decoded


class RequestBodyTooLarge(InvalidInput):
    status = 413


class HttpMethodNotAllowed(InvalidInput):
    status = 405


class UnsupportedCoding(InvalidInput):
    """The request's Content-Encoding is not supported."""

    status = 415


class ServerBusy(RateLimited):
    """The server has reached a limit that all callers share."""

    status = 503


def body_too_large(limit: int) -> RequestBodyTooLarge:
    """The error for a body of more than `limit` bytes."""
    size = f"{limit // 1024 // 1024} MB" if limit >= 1024 * 1024 else f"{limit // 1024} KB"
    return RequestBodyTooLarge(f"The body is over {size}; send less.", field="body")
