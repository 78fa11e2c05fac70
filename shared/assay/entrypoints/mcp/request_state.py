"""The `requestState` of a question: what the server needs when the client repeats the call with the answer.

The client stores it and could change it, so it is signed, together with the caller and the call it belongs to.
"""

import base64
import binascii
import hashlib
import hmac
import json
from collections.abc import Mapping
from typing import Any

from assay.entrypoints.mcp.exchange import Exchange, Params
from assay.entrypoints.mcp.jsonrpc import INVALID_PARAMS, RpcError
from assay.state.installation_keys import load_or_create_key
from assay.state.ports import Conflict

KEY = "request-state-key"
LIFETIME = 600  # seconds
MOST_CHARACTERS = 16_000


async def seal_state(document: dict[str, Any], params: Params, exchange: Exchange) -> str | None:
    """The document as a signed `requestState`; None if it is too long for one."""
    until = exchange.services.clock() + LIFETIME
    content = json.dumps(document | {"until": until}, separators=(",", ":")).encode()
    state = f"{_encode(content)}.{_encode(await _sign(content, params, exchange))}"
    return state if len(state) <= MOST_CHARACTERS else None


async def open_state(params: Params, exchange: Exchange) -> dict[str, Any]:
    """The document of the request's state. Raises one RpcError for a forged, foreign and expired one alike."""
    state: str = params["requestState"]
    if len(state) > MOST_CHARACTERS:
        raise refuse_state()
    content, _, signature = state.partition(".")
    try:
        decoded, signed = (base64.b64decode(part, altchars=b"-_", validate=True) for part in (content, signature))
    except (binascii.Error, ValueError):
        raise refuse_state() from None
    if not hmac.compare_digest(await _sign(decoded, params, exchange), signed):
        raise refuse_state()
    document: dict[str, Any] = json.loads(decoded)
    if document["until"] <= exchange.services.clock():
        raise refuse_state()
    return document


async def claim_state(document: Mapping[str, Any], exchange: Exchange) -> None:
    """Mark the state as used. Raises the RpcError of a forged one if it was used before."""
    try:
        await exchange.services.table.put("elicitation", document["id"], b"", until=document["until"] + 1, expect=0)
    except Conflict:
        raise refuse_state() from None


def refuse_state() -> RpcError:
    return RpcError(INVALID_PARAMS, "The requestState does not belong to this call. Call again without it.")


def _encode(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).decode()


async def _sign(content: bytes, params: Params, exchange: Exchange) -> bytes:
    """The signature of the content for this caller and call."""
    caller = exchange.caller
    who = [caller.tenant, caller.user, caller.name, sorted(caller.scopes), caller.has_token, caller.read_only]
    call = ["tools/call", exchange.path, params["name"], params.get("arguments") or {}]
    bound = json.dumps([who, call], sort_keys=True).encode()
    key = await load_or_create_key(exchange.services.table, KEY)
    return hmac.new(key, hashlib.sha256(bound).digest() + content, hashlib.sha256).digest()
