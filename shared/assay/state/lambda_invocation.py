"""The invocation of Lambda that this process serves: a function instance serves one at a time."""

from typing import Any

_current: dict[str, Any] = {}  # empty outside Lambda
_has_served = False


def note_invocation(lambda_context: object) -> None:
    """Note the context that Lambda passed to the handler. The first one of a process is its cold start."""
    global _has_served  # noqa: PLW0603  the process is the function instance
    _current.clear()
    if request_id := getattr(lambda_context, "aws_request_id", None):
        function = getattr(lambda_context, "function_name", "")
        _current.update(lambda_request_id=str(request_id), function_name=str(function), cold_start=not _has_served)
    _has_served = True


def describe_invocation() -> dict[str, Any]:
    """The request id and name of the function, and whether this is its cold start; empty outside Lambda."""
    return dict(_current)
