"""JSON messages of a remote render: request, result, and errors that are raised again with their type."""

import base64
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from assay.errors import (
    AuthRequired,
    Blocked,
    BrowserUnavailable,
    ConfigError,
    ContentEmpty,
    InvalidInput,
    Network,
    NotFound,
    RateLimited,
    ToolError,
    UpstreamFailed,
)
from assay.net.exceptions import BadCoding, BodyTooLarge, OffLimits, TooManyRedirects, Unreachable
from assay.settings import Settings
from assay.state.ports import Rendered

type Wire = dict[str, Any]

PLAIN = (
    *(AuthRequired, Blocked, BrowserUnavailable, ConfigError, ContentEmpty, InvalidInput, Network, NotFound),
    *(RateLimited, ToolError, UpstreamFailed),
)
# Any other error is sent as its nearest base class among these.
KNOWN: Mapping[str, type[ToolError]] = {
    kind.__name__: kind for kind in (*PLAIN, BadCoding, TooManyRedirects, Unreachable, OffLimits, BodyTooLarge)
}


def build_request(
    url: str, settings: Settings, *, settle: float, seconds: float, screenshot: bool, console: bool
) -> Wire:
    """Build the request, including the caller's settings that apply to the render."""
    return {
        "url": url,
        "settle": settle,
        "seconds": seconds,
        "screenshot": screenshot,
        "console": console,
        "rule": {
            "allowed_domains": list(settings.allowed_domains),
            "browser_agent": settings.browser_agent,
            "max_html_bytes": settings.max_html_bytes,
        },
    }


def apply_host_rule(settings: Settings, rule: Mapping[str, Any]) -> Settings:
    """The function's settings with the caller's: allowed domains, user agent, size limit."""
    return replace(
        settings,
        allowed_domains=tuple(rule.get("allowed_domains", ())),
        browser_agent=str(rule.get("browser_agent", "")),
        max_html_bytes=int(rule.get("max_html_bytes", settings.max_html_bytes)),
    )


def encode_result(rendered: Rendered) -> Wire:
    """Encode a rendered page; the screenshot becomes base64."""
    wire = asdict(rendered)
    if rendered.screenshot is not None:
        wire["screenshot"] = base64.b64encode(rendered.screenshot).decode()
    return {"rendered": wire}


def encode_failure(error: ToolError) -> Wire:
    """Encode an error with its class name and fields."""
    kind = next(each.__name__ for each in type(error).__mro__ if each.__name__ in KNOWN)
    failure: Wire = {"kind": kind, "message": error.message, "action": error.suggested_action}
    failure["retry_after"] = error.retry_after
    failure["field"] = error.field
    failure["hint"] = error.hint
    failure["reason"] = getattr(error, "reason", None)
    failure["what"] = getattr(error, "what", None)
    return {"failure": failure}


def decode_result(wire: Mapping[str, Any]) -> Rendered:
    """Decode the rendered page. Raises the error if the response holds one."""
    if "failure" in wire:
        raise _error(wire["failure"])
    fields = dict(wire["rendered"])
    fields["links"], fields["console"] = tuple(fields["links"]), tuple(fields["console"])
    if fields["screenshot"] is not None:
        fields["screenshot"] = base64.b64decode(fields["screenshot"])
    return Rendered(**fields)


def _error(failure: Mapping[str, Any]) -> ToolError:
    kind = KNOWN.get(failure["kind"], UpstreamFailed)
    if issubclass(kind, Unreachable):
        return kind(failure["message"], failure["reason"] or "other")
    if issubclass(kind, OffLimits):
        return kind(failure["message"], failure["what"] or "a place")
    return kind(
        failure["message"],
        action=failure["action"],
        retry_after=failure["retry_after"],
        field=failure["field"],
        hint=failure["hint"],
    )
