"""The stored form of a call's answer or error."""

from typing import Any

from assay.errors import ToolError
from assay.state.json_documents import Document


def build_answer(document: Document, meta: dict[str, Any], *, is_heavy: bool) -> Document:
    """Build what is stored of a successful call. A heavy answer is linked if it is large."""
    return {name: document[name] for name in ("wire", "text", "short")} | {"meta": meta, "is_heavy": is_heavy}


def read_short(answer: Document) -> tuple[str, dict[str, Any]]:
    """Return the summary of an answer with the fields beside it; that of an answer that is not stored is built now."""
    short = answer["short"]
    summary, extras = short() if callable(short) else short
    return summary, extras


def build_failure(failure: ToolError) -> Document:
    """Build what is stored of a failed call."""
    return {"error": failure.envelope()["error"], "message": failure.sentence(), "status": failure.status}


class StoredFailure(ToolError):
    """The error of a call that a worker made, as its caller would have seen it."""

    def __init__(self, stored: Document) -> None:
        super().__init__(stored["message"], retry_after=stored["error"].get("retryAfterSeconds"))
        self._error = stored["error"]
        # Entry points read these of the class elsewhere; here each error has its own.
        self.status = stored["status"]  # type: ignore[misc]
        self.kind = stored["error"]["kind"]  # type: ignore[misc]

    def envelope(self) -> dict[str, Any]:
        return {"error": dict(self._error)}


class CallFailed(ToolError):
    """The workers that made the call have failed, not the tool."""

    retryable, action = True, "retry_after_delay"


class CallCancelled(ToolError):
    kind, status, action = "cancelled", 410, "inform_user"
