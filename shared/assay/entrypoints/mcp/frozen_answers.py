"""Answers to the first questions of MCP clients on Lambda, from texts that the build has frozen.

`initialize`, `server/discover`, `ping` and the lists are answered after the checks of key and headers, before anything
else of the package is imported: a cold start takes twice the time of an empty handler. Only requests whose answer is
certain are answered here, byte for byte as `stateless_server` does; all others go there, and so do those of a
deployment whose settings may change these answers.
"""

import json
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NoReturn

from assay.entrypoints.frozen_deployment import (
    WRONG,
    Event,
    FrozenTexts,
    Response,
    Uncertain,
    build_handler,
    check_key,
    find_request_id,
    is_met,
)
from assay.entrypoints.http.response_compression import compress_response
from assay.entrypoints.http.security_headers import SECURITY_HEADERS

FROZEN = Path(__file__).with_name("frozen_answers.json")
FIXED = ("ping", "prompts/list", "resources/list", "resources/templates/list")  # answers without settings or params
MAX_BODY = 8_192  # characters
ASSUMED_VERSION, STATELESS_VERSION = "2025-03-26", "2026-07-28"
PREFIX = "io.modelcontextprotocol/"
ENVELOPE = {PREFIX + name for name in ("protocolVersion", "clientCapabilities", "clientInfo")}
PLAIN_EXTENSIONS = {PREFIX + "tasks"}  # of a client: these change none of the answers
VISIBLE = re.compile(r"[ -~]{1,256}")


class FrozenAnswers(FrozenTexts):
    """The frozen answers of this deployment, for the holders of its keys."""

    def __init__(self, environ: Mapping[str, str], path: Path = FROZEN) -> None:
        super().__init__(environ, path)

    def find(self, event: Event) -> Response | None:
        """The response to the event; None if it is not certain here."""
        try:
            headers = {str(name).lower(): str(value) for name, value in (event.get("headers") or {}).items()}
            message = _read_message(event, headers)
            settings = self._deployment.read_settings(headers)
            check_key(headers, self._deployment.read_keys())
            version = headers.get("mcp-protocol-version", ASSUMED_VERSION)
            if version == STATELESS_VERSION:
                _check_envelope(message, headers)
                result = self._find_stateless_result(message["method"], settings)
            else:
                result = self._find_result(message, version, settings)
            request_id = find_request_id(event, headers)
        except WRONG:  # whatever it is, `stateless_server` says it
            return None
        body = f'{{"jsonrpc":"2.0","id":{json.dumps(message["id"])},"result":{result}}}'
        sent = {**SECURITY_HEADERS, "content-type": "application/json", "cache-control": "no-store"}
        sent["x-request-id"] = request_id
        return compress_response({"statusCode": 200, "headers": sent, "body": body, "isBase64Encoded": False}, headers)

    def _find_result(self, message: Mapping[str, Any], version: str, settings: Mapping[str, str]) -> str:
        method, params, tasks = message["method"], message.get("params", {}), _find_tasks(settings)
        if method == "initialize":
            _check_initialize(params)
            result: str = self._texts["initialize"][tasks][params["protocolVersion"]]
            return result
        if params or version not in self._texts["initialize"][tasks]:
            raise Uncertain
        if method == "tools/list":
            is_latest = version == max(self._texts["initialize"][tasks])
            return f"{{{self._list_tools('latest' if is_latest else 'older', settings)}}}"
        text: str = self._texts["fixed"][method]
        return text

    def _find_stateless_result(self, method: str, settings: Mapping[str, str]) -> str:
        texts = self._texts["stateless"]
        if method == "server/discover":
            discovered: str = texts[method][_find_tasks(settings)]
            return discovered
        text: str = texts[method]
        return text.replace('"tools":[]', self._list_tools("older", settings), 1) if method == "tools/list" else text

    def _list_tools(self, revision: str, settings: Mapping[str, str]) -> str:
        shown = (
            card.get(revision, card["latest"])
            for card in self._texts["tools"]
            if is_met(card["requirements"], settings)
        )
        return f'"tools":[{",".join(shown)}]'


def _read_message(event: Event, headers: Mapping[str, str]) -> dict[str, Any]:
    """The request in the body. Raises Uncertain unless everything about it is as clients usually send it."""
    body, path = event.get("body") or "", str(event.get("rawPath") or "").removesuffix("/")
    if (
        event.get("isBase64Encoded")
        or event.get("rawQueryString")
        or path not in ("", "/mcp")
        or event["requestContext"]["http"]["method"] != "POST"
        or "origin" in headers
        or "content-encoding" in headers
        or headers.get("content-type", "").split(";")[0].strip().lower() != "application/json"
        or "application/json"
        not in [kind.split(";")[0].strip() for kind in headers.get("accept", "").lower().split(",")]
        or not 0 < len(body) <= MAX_BODY
        or body.count("[") + body.count("{") > 64
    ):
        raise Uncertain
    message: Any = json.loads(body, parse_constant=_refuse, object_pairs_hook=_read_object)
    identity, params = message["id"], message.get("params", {})
    if message["jsonrpc"] != "2.0" or not isinstance(params, dict):
        raise Uncertain
    is_number = isinstance(identity, int) and not isinstance(identity, bool) and abs(identity) < 2**53
    if not (is_number or (isinstance(identity, str) and VISIBLE.fullmatch(identity))):
        raise Uncertain
    read: dict[str, Any] = message
    return read


def _read_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise Uncertain
    return members


def _refuse(_: str) -> NoReturn:
    raise Uncertain


def _find_tasks(settings: Mapping[str, str]) -> str:
    return "with tasks" if settings.get("ASSAY_QUEUE", "").strip() else "without tasks"


def _check_initialize(params: Mapping[str, Any]) -> None:
    if "_meta" in params or not _has_plain_extensions(params["capabilities"]):
        raise Uncertain
    _check_client(params["clientInfo"])


def _check_client(client: Any) -> None:
    if not (isinstance(client, dict) and isinstance(client["name"], str) and isinstance(client["version"], str)):
        raise Uncertain


def _has_plain_extensions(capabilities: Any) -> bool:
    """Whether a client has these capabilities, and no extension among them that may change the answer."""
    extensions = capabilities.get("extensions", {})
    return isinstance(capabilities, dict) and isinstance(extensions, dict) and extensions.keys() <= PLAIN_EXTENSIONS


def _check_envelope(message: Mapping[str, Any], headers: Mapping[str, str]) -> None:
    """Check the envelope of a stateless request. Raises Uncertain if anything in it may change the answer."""
    params = message["params"]
    envelope = params["_meta"]
    if (
        params.keys() != {"_meta"}
        or not envelope.keys() <= ENVELOPE
        or envelope[PREFIX + "protocolVersion"] != STATELESS_VERSION
        or headers.get("mcp-method") != message["method"]
        or not _has_plain_extensions(envelope[PREFIX + "clientCapabilities"])
    ):
        raise Uncertain
    if PREFIX + "clientInfo" in envelope:
        _check_client(envelope[PREFIX + "clientInfo"])


def handler_for(environ: Mapping[str, str] | None = None, path: Path = FROZEN) -> Callable[[Event, object], Response]:
    """The Lambda handler of all tools: the frozen answers, then `mcp_function`."""
    # `assay.settings` takes as long to import as the whole answer.
    environ = os.environ if environ is None else environ  # noqa: TID251
    return build_handler(FrozenAnswers(environ, path), environ, "assay.entrypoints.mcp_function")
