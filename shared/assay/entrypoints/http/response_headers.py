"""What every HTTP response on Lambda has: security headers, CORS for pages of allowed origins, and compression.

Requests that did not come through the proxy in front of the functions, if there is one, are refused here.
"""

from collections.abc import Callable, Mapping
from typing import Any

from assay.entrypoints.http import cors
from assay.entrypoints.http.address_limit import find_event_address, refuse_address
from assay.entrypoints.http.origin_secret import refuse_other_ways
from assay.entrypoints.http.response_compression import compress_response
from assay.entrypoints.http.security_headers import SECURITY_HEADERS
from assay.errors import ToolError
from assay.services import Services
from assay.state.caller_address import within_address
from assay.state.lambda_invocation import note_invocation

type Handler = Callable[[Mapping[str, Any], object], dict[str, Any]]


def with_response_headers(handler: Handler, services: Callable[[], Services]) -> Handler:
    """A Lambda handler (payload 2.0) that adds all this to the responses of `handler` and answers CORS preflights.

    Headers that `handler` sets itself stay.
    """

    def handle(event: Mapping[str, Any], lambda_context: object) -> dict[str, Any]:
        note_invocation(lambda_context)
        headers = {str(name).lower(): str(value) for name, value in (event.get("headers") or {}).items()}
        if refusal := refuse_other_ways(event, headers, services):
            return refusal | {"headers": {**SECURITY_HEADERS, **refusal["headers"]}}
        origin = headers.get("origin", "")
        if _is_preflight(event, headers) and origin in _allowed_origins(services):
            return {"statusCode": 204, "headers": {**SECURITY_HEADERS, **cors.preflight_headers(origin)}, "body": ""}
        address = find_event_address(event, headers, services)
        with within_address(address):
            response = refuse_address(address, event, headers, services) or handler(event, lambda_context)
        response = response | {"headers": {**list_common_headers(headers, services), **response["headers"]}}
        return compress_response(response, headers)

    return handle


def list_common_headers(headers: Mapping[str, str], services: Callable[[], Services]) -> dict[str, str]:
    """The headers that every response to a request with these headers has."""
    origin = headers.get("origin", "")
    more = cors.headers_for(origin) if origin in _allowed_origins(services) else {}
    return {**SECURITY_HEADERS, **more}


def _is_preflight(event: Mapping[str, Any], headers: Mapping[str, str]) -> bool:
    method = ((event.get("requestContext") or {}).get("http") or {}).get("method")
    return method == "OPTIONS" and "access-control-request-method" in headers


def _allowed_origins(services: Callable[[], Services]) -> frozenset[str]:
    try:
        return cors.list_allowed_origins(services().settings)
    except ToolError:  # `handler` reports settings that cannot be read
        return frozenset()
