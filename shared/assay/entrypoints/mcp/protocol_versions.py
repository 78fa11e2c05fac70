"""Supported MCP revisions: with `initialize` (up to 2025-11-25) and stateless (from 2026-07-28), on one URL."""

import base64
import binascii
import re
from collections.abc import Mapping
from typing import Any

from assay.entrypoints.mcp.jsonrpc import (
    HEADER_MISMATCH,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    UNSUPPORTED_VERSION,
    RpcError,
    RpcMessage,
)

LEGACY = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN = ("2026-07-28",)
ASSUMED = "2025-03-26"  # for a request without the version header, as the MCP specification requires
VERSION_HEADER, METHOD_HEADER, NAME_HEADER = "mcp-protocol-version", "mcp-method", "mcp-name"
ROUTING = (VERSION_HEADER, METHOD_HEADER, NAME_HEADER)
NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
PREFIX = "io.modelcontextprotocol/"
VERSION_KEY, CAPABILITIES_KEY = PREFIX + "protocolVersion", PREFIX + "clientCapabilities"
CLIENT_KEY, SERVER_KEY = PREFIX + "clientInfo", PREFIX + "serverInfo"
ENCODED = re.compile(r"=\?base64\?(?P<payload>[A-Za-z0-9+/=]*)\?=")
STATUS = {METHOD_NOT_FOUND: 404}  # HTTP status of an error in 2026-07-28; all others are 400


def is_modern(version: str) -> bool:
    return version not in LEGACY


def version_of(headers: Mapping[str, str]) -> str:
    return headers.get(VERSION_HEADER, ASSUMED)


def envelope_of(params: Mapping[str, Any] | None) -> Mapping[str, Any]:
    meta = (params or {}).get("_meta")
    return meta if isinstance(meta, Mapping) else {}


def unsupported_version_error(requested: object) -> RpcError:
    text = str(requested)[:40]
    return RpcError(
        UNSUPPORTED_VERSION,
        f"Unsupported protocol version {text!r}; use {MODERN[-1]}, or open a session with {LEGACY[-1]}.",
        supported=list(MODERN),
        requested=text,
    )


def check_modern(message: RpcMessage, headers: Mapping[str, str]) -> None:
    """Check a request of 2026-07-28: it needs an envelope, and headers that match the body.

    Raises RpcError: -32602 for the envelope, -32020 for headers, -32022 for an unsupported version.
    """
    version = headers.get(VERSION_HEADER)
    if version not in MODERN and VERSION_KEY not in envelope_of(message.params):
        raise unsupported_version_error(version)
    envelope = checked_envelope(message)
    if version != envelope[VERSION_KEY]:
        raise RpcError(HEADER_MISMATCH, f"The header {VERSION_HEADER} and params._meta name different versions.")
    if headers.get(METHOD_HEADER) != message.method:
        raise RpcError(HEADER_MISMATCH, f"The header {METHOD_HEADER} does not name the body's method.")
    field = NAMED_BY.get(message.method)
    named = (message.params or {}).get(field) if field else None
    if named is not None and _plain(headers.get(NAME_HEADER)) != named:
        raise RpcError(HEADER_MISMATCH, f"The header {NAME_HEADER} does not name the body's {field}.")
    task = (message.params or {}).get("taskId") if message.method.startswith("tasks/") else None
    if task is not None and _plain(headers.get(NAME_HEADER, task)) != task:  # older clients send none
        raise RpcError(HEADER_MISMATCH, f"The header {NAME_HEADER} does not name the body's taskId.")
    check_served(envelope)


def checked_envelope(message: RpcMessage) -> Mapping[str, Any]:
    """The envelope of a request of 2026-07-28. Raises RpcError with -32602 if it lacks a required key."""
    envelope = envelope_of(message.params)
    for key in (VERSION_KEY, CAPABILITIES_KEY):
        if key not in envelope:
            raise RpcError(INVALID_PARAMS, f"params._meta lacks {key}.")
    return envelope


def check_served(envelope: Mapping[str, Any]) -> None:
    if envelope[VERSION_KEY] not in MODERN:
        raise unsupported_version_error(envelope[VERSION_KEY])


def check_legacy(message: RpcMessage, _: Mapping[str, str]) -> None:
    """Refuse an envelope of 2026-07-28 without the version header: a proxy has probably removed the header."""
    if VERSION_KEY in envelope_of(message.params) and message.method != "initialize":
        raise RpcError(HEADER_MISMATCH, f"params._meta names a version that the header {VERSION_HEADER} does not.")


def _plain(header: str | None) -> str | None:
    """The header's text, with `=?base64?…?=` decoded as UTF-8. None if the encoding is malformed."""
    if header is None or (match := ENCODED.fullmatch(header)) is None:
        return header
    try:
        content = base64.b64decode(match["payload"], validate=True)
        text = content.decode()
    except (binascii.Error, UnicodeDecodeError):
        return None
    return text if base64.b64encode(content).decode() == match["payload"] else None
