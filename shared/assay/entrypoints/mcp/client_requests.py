"""Requests that the server sends to clients of the older revisions while it answers a call: `elicitation/create`."""

import asyncio
import uuid
from collections.abc import Awaitable, Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from assay.entrypoints.mcp.app_negotiation import declares_apps

type Send = Callable[[Mapping[str, Any]], Awaitable[None]]
type Answer = Mapping[str, Any]

ASKING = "elicitation/create"
MODES = frozenset({"form", "url"})
ANSWER_SECONDS = 600.0  # for the person to decide
MOST_CLIENTS = 1_000  # whose capabilities are stored


def read_modes(capabilities: object) -> frozenset[str]:
    """The modes of elicitation in a client's capabilities; without any named, it is `form`."""
    declared = capabilities.get("elicitation") if isinstance(capabilities, Mapping) else None
    if not isinstance(declared, Mapping):
        return frozenset()
    return frozenset(mode for mode in MODES if isinstance(declared.get(mode), Mapping)) or frozenset({"form"})


@dataclass(frozen=True)
class Questioner:
    """Asks the person of one client. `ask` is None where the transport cannot send a request during the call."""

    modes: frozenset[str]
    ask: Callable[[Mapping[str, Any]], Awaitable[Answer]] | None


class DeclaredCapabilities(NamedTuple):
    """What a client declared in `initialize`: the modes of elicitation, and whether it draws app views."""

    modes: frozenset[str] = frozenset()
    has_apps: bool = False


class ClientRequests:
    """What clients declared in `initialize`, and the requests that wait for their responses."""

    def __init__(self) -> None:
        self._declared: dict[Hashable, DeclaredCapabilities] = {}
        self._waiting: dict[tuple[Hashable, str], asyncio.Future[Answer]] = {}

    def note_client(self, client: Hashable, params: Mapping[str, Any]) -> None:
        """Store what the client declares in its `initialize`."""
        capabilities = params.get("capabilities")
        declared = DeclaredCapabilities(read_modes(capabilities), declares_apps(capabilities))
        if any(declared):
            self._declared[client] = declared
            if len(self._declared) > MOST_CLIENTS:
                del self._declared[next(iter(self._declared))]

    def has_apps(self, client: Hashable) -> bool:
        """Whether this client declared that it draws app views."""
        return self._declared.get(client, DeclaredCapabilities()).has_apps

    def build_questioner(self, client: Hashable, send: Send | None) -> Questioner | None:
        """The way to ask the person of this client through `send`; None if the client declared none."""
        if not (modes := self._declared.get(client, DeclaredCapabilities()).modes):
            return None
        if send is None:
            return Questioner(modes, None)
        return Questioner(modes, lambda params: self._ask(client, send, params))

    async def _ask(self, client: Hashable, send: Send, params: Mapping[str, Any]) -> Answer:
        """Send the question and wait for the client's response. An error response, or none in time, is a cancel."""
        identity = uuid.uuid4().hex
        waiting = asyncio.get_running_loop().create_future()
        self._waiting[client, identity] = waiting
        try:
            await send({"jsonrpc": "2.0", "id": identity, "method": ASKING, "params": params})
            async with asyncio.timeout(ANSWER_SECONDS):
                answer: Answer = await waiting
                return answer
        except TimeoutError:
            return {"action": "cancel"}
        finally:
            del self._waiting[client, identity]

    def receive_response(self, client: Hashable, document: Any) -> None:
        """Hand a response to the request that it answers. Any other document is ignored."""
        if not isinstance(document, dict) or "method" in document or not isinstance(document.get("id"), str):
            return
        waiting = self._waiting.get((client, document["id"]))
        if waiting is not None and not waiting.done():
            result = document.get("result")
            waiting.set_result(result if isinstance(result, Mapping) else {"action": "cancel"})
