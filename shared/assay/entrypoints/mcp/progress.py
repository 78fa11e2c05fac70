"""Sends `notifications/progress` for calls with a progress token."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from assay.entrypoints.mcp.jsonrpc import RpcMessage
from assay.entrypoints.mcp.protocol_versions import envelope_of

type SendNotification = Callable[[Mapping[str, Any]], Awaitable[None]]


def wants_progress(message: RpcMessage) -> bool:
    """Whether the message is a `tools/call` with a progress token."""
    token = envelope_of(message.params).get("progressToken")
    return message.method == "tools/call" and isinstance(token, int | str) and not isinstance(token, bool)


def report_for(message: RpcMessage, send: SendNotification) -> "Reporter | None":
    """The reporter for the tool's progress; None if the client did not ask for progress."""
    return Reporter(envelope_of(message.params)["progressToken"], send) if wants_progress(message) else None


class Reporter:
    """Sends the progress of one request until closed. Work shared with other requests may report after that."""

    def __init__(self, token: int | str, send: SendNotification) -> None:
        self._token = token
        self._send: SendNotification | None = send
        self._last = float("-inf")

    async def __call__(self, progress: float, total: float | None, text: str | None) -> None:
        if self._send is None or progress <= self._last:  # MCP: progress must increase with each notification
            return
        self._last = progress
        params = {"progressToken": self._token, "progress": progress, "total": total, "message": text}
        known = {name: value for name, value in params.items() if value is not None}
        await self._send({"jsonrpc": "2.0", "method": "notifications/progress", "params": known})

    def close(self) -> None:
        self._send = None
