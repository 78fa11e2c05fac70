"""The limit on requests of an IP address, for the functions of Lambda; the local server's middleware has it too."""

from collections.abc import Callable, Mapping
from typing import Any

from assay.entrypoints import runtime
from assay.entrypoints.http.apigateway_event import request_id_of, to_error_response
from assay.entrypoints.http.rate_limit_headers import find_address
from assay.errors import RateLimited, ToolError
from assay.services import Services
from assay.state.rate_limit import check_address


def refuse_address(
    address: str, event: Mapping[str, Any], headers: Mapping[str, str], services: Callable[[], Services]
) -> dict[str, Any] | None:
    """The error response for an address with too many requests; None for any other."""
    try:
        world = services()
        if not world.settings.rate_limit_per_ip:
            return None
        runtime.wait_for(check_address(world.limit_counters, world.settings, address, world.clock()))
    except RateLimited as failure:
        return to_error_response(failure, request_id_of(event, headers))
    except ToolError:  # settings or a table that cannot be read: the handler reports them
        return None
    return None


def find_event_address(event: Mapping[str, Any], headers: Mapping[str, str], services: Callable[[], Services]) -> str:
    """The address that the event comes from; "" while the settings cannot be read."""
    peer = ((event.get("requestContext") or {}).get("http") or {}).get("sourceIp") or ""
    try:
        return find_address(str(peer), headers, services().settings)
    except ToolError:  # the handler reports it
        return ""
