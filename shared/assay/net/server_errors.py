"""Errors in the responses of an Assay server, as the exceptions that they describe."""

from typing import Any

from assay import errors
from assay.errors import ToolError
from assay.net.provider_client import ProviderResponse


def refusal_of(got: ProviderResponse) -> ToolError | None:
    """The error in the response; None for a success, or if the body is not an error envelope."""
    body = got.body
    if got.status < 400 or not isinstance(body, dict) or not isinstance(error := body.get("error"), dict):
        return None
    return read_error(error, got.status)


def read_error(error: dict[str, Any], status: int) -> ToolError:
    """The ToolError that an error object describes, as the class with the same kind and, if possible, status."""
    kind = str(error.get("kind", ""))
    classes = [each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, ToolError)]
    candidates = [each for each in classes if each.kind == kind] or [ToolError]
    error_class = next((each for each in candidates if each.status == status), candidates[0])
    failure = error_class(str(error.get("message", "The server failed without a message.")))
    failure.provider = error.get("provider")
    failure.retry_after = error.get("retryAfterSeconds")
    failure.field = error.get("field")
    failure.alternatives = tuple(error.get("alternatives", ()))
    failure.suggested_action = error.get("suggestedAction", failure.suggested_action)
    return failure
