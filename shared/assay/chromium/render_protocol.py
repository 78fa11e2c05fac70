"""A render between two machines: what is asked, what comes back, and a failure that is the same error there as here."""

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
# Anything else comes back as the nearest of these that it is a kind of.
KNOWN: Mapping[str, type[ToolError]] = {
    kind.__name__: kind for kind in (*PLAIN, BadCoding, TooManyRedirects, Unreachable, OffLimits, BodyTooLarge)
}


def build_request(
    url: str, settings: Settings, *, settle: float, seconds: float, screenshot: bool, console: bool
) -> Wire:
    """What the function needs to know: it has no settings of its own."""
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
    """The function's settings with the caller's rule: a list of domains, a name, a size."""
    return replace(
        settings,
        allowed_domains=tuple(rule.get("allowed_domains", ())),
        browser_agent=str(rule.get("browser_agent", "")),
        max_html_bytes=int(rule.get("max_html_bytes", settings.max_html_bytes)),
    )


def encode_result(rendered: Rendered) -> Wire:
    wire = asdict(rendered)
    if rendered.screenshot is not None:
        wire["screenshot"] = base64.b64encode(rendered.screenshot).decode()
    return {"rendered": wire}


def encode_failure(error: ToolError) -> Wire:
    kind = next(each.__name__ for each in type(error).__mro__ if each.__name__ in KNOWN)
    told: Wire = {"kind": kind, "message": error.message, "action": error.suggested_action}
    told["retry_after"] = error.retry_after
    told["field"] = error.field
    told["hint"] = error.hint
    told["reason"] = getattr(error, "reason", None)
    told["what"] = getattr(error, "what", None)
    return {"failure": told}


def decode_result(wire: Mapping[str, Any]) -> Rendered:
    """The page that came back. Raises the error that came in its place."""
    if "failure" in wire:
        raise _error(wire["failure"])
    told = dict(wire["rendered"])
    told["links"], told["console"] = tuple(told["links"]), tuple(told["console"])
    if told["screenshot"] is not None:
        told["screenshot"] = base64.b64decode(told["screenshot"])
    return Rendered(**told)


def _error(told: Mapping[str, Any]) -> ToolError:
    kind = KNOWN.get(told["kind"], UpstreamFailed)
    if issubclass(kind, Unreachable):
        return kind(told["message"], told["reason"] or "other")
    if issubclass(kind, OffLimits):
        return kind(told["message"], told["what"] or "a place")
    return kind(
        told["message"],
        action=told["action"],
        retry_after=told["retry_after"],
        field=told["field"],
        hint=told["hint"],
    )
