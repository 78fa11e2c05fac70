"""Parses and encodes JSON-RPC 2.0 messages as MCP uses them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.errors import InvalidInput, ToolError
from assay.text.json_encoding import encode_json
from assay.text.strict_json import parse_strict

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
RESOURCE_NOT_FOUND = -32002  # until 2025-11-25
HEADER_MISMATCH = -32020
UNSUPPORTED_VERSION = -32022
REQUEST_CANCELLED = -32800  # answers a cancelled HTTP request: HTTP requires a response
CONNECTION_CLOSED = -32000
MAX_DEPTH = 128  # levels of nesting: far more than any tool accepts, far below Python's recursion limit
LONGEST_ID = 256  # characters of an id or a progress token, which the server echoes unchanged


class RpcError(Exception):
    """A JSON-RPC error. `data` carries the error envelope that every other entry point returns."""

    identity: int | str | None = None  # id of the message it answers, if known

    def __init__(self, code: int, why: str | ToolError, **data: Any) -> None:
        failure = InvalidInput(why) if isinstance(why, str) else why
        super().__init__(failure.message)
        self.code = code
        self.message = failure.sentence()
        self.data = failure.envelope() | data

    def wire(self) -> dict[str, Any]:
        return {"code": self.code, "message": self.message, "data": self.data}


@dataclass(frozen=True)
class RpcMessage:
    """One request (`id` is set), one notification (`id` is None) or one response (`method` is empty)."""

    method: str
    params: Mapping[str, Any] | None
    id: int | str | None


def parse_json(body: bytes) -> Any:
    """Parse a body as JSON. Raises RpcError with -32700 if it is not valid JSON in UTF-8."""
    try:
        document = parse_strict(body.decode())
    except UnicodeDecodeError:
        raise RpcError(PARSE_ERROR, "Parse error: the body is not UTF-8.") from None
    except ValueError as wrong:
        raise RpcError(PARSE_ERROR, f"Parse error: {wrong}.") from None
    if body.count(b"[") + body.count(b"{") > MAX_DEPTH and _is_too_deep(document):
        raise RpcError(PARSE_ERROR, f"Parse error: the body is nested deeper than {MAX_DEPTH} levels.")
    return document


def _is_too_deep(document: Any) -> bool:
    level, depth = [document], 0
    while level and depth <= MAX_DEPTH:
        inner = (node.values() if isinstance(node, dict) else node for node in level if isinstance(node, dict | list))
        level, depth = [child for children in inner for child in children], depth + 1
    return bool(level)


def message_of(document: Any) -> RpcMessage:
    """The one message in a decoded body. Raises RpcError with -32600, also for a batch, which only 2025-03-26 had."""
    if isinstance(document, list):
        raise RpcError(INVALID_REQUEST, "Invalid Request: send one message per request; batches are not supported.")
    if not isinstance(document, dict) or document.get("jsonrpc") != "2.0":
        raise RpcError(INVALID_REQUEST, 'Invalid Request: send one object with "jsonrpc": "2.0".')
    if "method" not in document and "id" in document and ("result" in document or "error" in document):
        return RpcMessage("", None, None)
    method, params = document.get("method"), document.get("params")
    if not isinstance(method, str) or not method or not is_sound(method):
        raise RpcError(INVALID_REQUEST, "Invalid Request: method is a string.")
    if params is not None and not isinstance(params, dict):
        raise RpcError(INVALID_REQUEST, "Invalid Request: params is an object.")
    return RpcMessage(method, params, _id_of(document))


def find_message(document: Any) -> RpcMessage | None:
    """The message in a decoded body; None if it is invalid."""
    try:
        return message_of(document)
    except RpcError:
        return None


def _id_of(document: Mapping[str, Any]) -> int | str | None:
    if "id" not in document:
        return None
    identity = document["id"]
    if isinstance(identity, bool) or not isinstance(identity, int | str) or not is_sound(identity):
        raise RpcError(INVALID_REQUEST, "Invalid Request: id is a string or an integer, not null.")
    if is_too_long(identity):
        raise RpcError(
            INVALID_REQUEST, f"Invalid Request: id is longer than {LONGEST_ID} characters; send a shorter one."
        )
    return identity


def is_too_long(identity: int | str) -> bool:
    return len(identity if isinstance(identity, str) else str(identity)) > LONGEST_ID


def is_sound(value: object) -> bool:
    """Whether the value can be encoded as UTF-8: a string with a lone surrogate cannot."""
    try:
        return not isinstance(value, str) or bool(value.encode() or True)
    except UnicodeEncodeError:
        return False


def id_in(document: Any) -> int | str | None:
    """The id to put into an error response; None if the document has no valid id."""
    try:
        return _id_of(document) if isinstance(document, dict) else None
    except RpcError:
        return None


def success_response(identity: int | str, result: Mapping[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": identity, "result": result}


def error_response(identity: int | str | None, refusal: RpcError) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": identity, "error": refusal.wire()}


def encode_document(document: Mapping[str, Any]) -> bytes:
    """Encode as compact JSON in UTF-8. A lone surrogate, which UTF-8 cannot represent, becomes a question mark."""
    return encode_json(document, errors="replace")
