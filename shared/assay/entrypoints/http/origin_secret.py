"""Refuses requests that did not come through the proxy in front of the functions, which adds a secret to each."""

import hmac
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from assay.errors import Forbidden, ToolError

if TYPE_CHECKING:
    from assay.services import Services

VARIABLE, HEADER = "ORIGIN_SECRET", "x-origin-secret"


def has_origin_secret(headers: Mapping[str, str], accepted: str) -> bool:
    """Whether the request has one of the accepted secrets, separated by commas, or none is asked for."""
    secrets = [secret.strip().encode() for secret in accepted.split(",") if secret.strip()]
    sent = headers.get(HEADER, "").encode()
    return not secrets or sum(hmac.compare_digest(sent, secret) for secret in secrets) > 0


def refuse_other_ways(
    event: Mapping[str, Any], headers: Mapping[str, str], services: "Callable[[], Services]"
) -> dict[str, Any] | None:
    """The error response for a request that did not come through the proxy; None for any other."""
    try:
        if has_origin_secret(headers, services().settings.key(VARIABLE)):
            return None
    except ToolError:  # the handler reports settings that cannot be read
        return None
    from assay.entrypoints.http.apigateway_event import request_id_of, to_error_response  # for fast cold starts

    failure = Forbidden("This address serves only requests that come through the proxy in front of it.")
    return to_error_response(failure, request_id_of(event, headers))
