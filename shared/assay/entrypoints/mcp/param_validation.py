"""Validates the params of requests, without a schema library because importing one slows cold starts."""

from collections.abc import Mapping
from typing import Any

from assay.entrypoints.mcp.jsonrpc import INVALID_PARAMS, LONGEST_ID, RpcError, is_sound, is_too_long
from assay.entrypoints.mcp.protocol_versions import CAPABILITIES_KEY, CLIENT_KEY, envelope_of

TEXTS = {
    "tools/call": ("name",),
    "prompts/get": ("name",),
    "resources/read": ("uri",),
    "initialize": ("protocolVersion",),
    **dict.fromkeys(("tasks/get", "tasks/result", "tasks/update", "tasks/cancel"), ("taskId",)),
}
OBJECTS = {
    "initialize": ("capabilities", "clientInfo"),
    "tasks/update": ("inputResponses",),
    "completion/complete": ("ref", "argument"),
}
REFERENCES = {"ref/prompt": "name", "ref/resource": "uri"}
LISTS = frozenset({"tools/list", "prompts/list", "resources/list", "resources/templates/list", "tasks/list"})
CALLS = frozenset({"tools/call", "prompts/get"})
OPTIONAL = (
    ("arguments", dict, CALLS),
    ("cursor", str, LISTS),
    ("requestState", str, CALLS),
    ("inputResponses", dict, CALLS),
)
KINDS = {dict: "an object", str: "a string"}


def check(method: str, params: Mapping[str, Any]) -> None:
    """Check the params of a request. Raises RpcError with -32602 that names the first invalid field."""
    _check_meta(params)
    for name in TEXTS.get(method, ()):
        if not isinstance(params.get(name), str) or not is_sound(params[name]):
            raise RpcError(INVALID_PARAMS, f"{method}: params.{name} is a string.")
    _check_kinds(method, params)
    if method == "initialize":
        _check_implementation(params["clientInfo"], "params.clientInfo")
    if method == "prompts/get":
        _check_texts(params.get("arguments") or {}, "prompts/get: params.arguments")
    if method == "completion/complete":
        _check_completion(params["ref"], params["argument"])


def _check_texts(values: Mapping[str, Any], where: str) -> None:
    for name, value in values.items():
        if not isinstance(value, str) or not is_sound(value):
            raise RpcError(INVALID_PARAMS, f"{where}.{name[:40]} is a string.")


def _check_completion(ref: Mapping[str, Any], argument: Mapping[str, Any]) -> None:
    if (place := REFERENCES.get(str(ref.get("type")))) is None:
        raise RpcError(INVALID_PARAMS, "completion/complete: params.ref.type is ref/prompt or ref/resource.")
    _check_texts({place: ref.get(place)}, "completion/complete: params.ref")
    _check_texts({key: argument.get(key) for key in ("name", "value")}, "completion/complete: params.argument")


def _check_kinds(method: str, params: Mapping[str, Any]) -> None:
    for name in OBJECTS.get(method, ()):
        if not isinstance(params.get(name), Mapping):
            raise RpcError(INVALID_PARAMS, f"{method}: params.{name} is an object.")
    for name, kind, methods in OPTIONAL:
        if method in methods and not isinstance(params.get(name), kind | None):
            raise RpcError(INVALID_PARAMS, f"{method}: params.{name} is {KINDS[kind]}.")


def _check_meta(params: Mapping[str, Any]) -> None:
    if not isinstance(params.get("_meta"), Mapping | None):
        raise RpcError(INVALID_PARAMS, "params._meta is an object.")
    envelope = envelope_of(params)
    token = envelope.get("progressToken")
    if isinstance(token, bool) or not isinstance(token, int | str | None):
        raise RpcError(INVALID_PARAMS, "params._meta.progressToken is a string or an integer.")
    if token is not None and is_too_long(token):
        raise RpcError(INVALID_PARAMS, f"params._meta.progressToken is longer than {LONGEST_ID} characters.")
    if not isinstance(envelope.get(CAPABILITIES_KEY, {}), Mapping):
        raise RpcError(INVALID_PARAMS, f"params._meta.{CAPABILITIES_KEY} is an object.")
    if envelope.get(CLIENT_KEY) is not None:
        _check_implementation(envelope[CLIENT_KEY], f"params._meta.{CLIENT_KEY}")


def _check_implementation(value: object, where: str) -> None:
    if not isinstance(value, Mapping) or not all(isinstance(value.get(key), str) for key in ("name", "version")):
        raise RpcError(INVALID_PARAMS, f"{where} is an object with name and version.")
