"""`notifications/progress` for a call whose client gave a token."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from assay.context import Report
from assay.doors.mcp.eras import envelope_of
from assay.doors.mcp.rpc import Message

type Say = Callable[[Mapping[str, Any]], Awaitable[None]]


def wants_progress(message: Message) -> bool:
    token = envelope_of(message.params).get("progressToken")
    return message.method == "tools/call" and isinstance(token, int | str) and not isinstance(token, bool)


def report_for(message: Message, say: Say) -> Report | None:
    """What a tool reports its progress to; None where the client asked for none."""
    if not wants_progress(message):
        return None
    token = envelope_of(message.params)["progressToken"]
    last = float("-inf")

    async def report(progress: float, total: float | None = None, text: str | None = None) -> None:
        nonlocal last
        if progress <= last:  # MCP: it must grow with each notification
            return
        last = progress
        params = {"progressToken": token, "progress": progress, "total": total, "message": text}
        known = {name: value for name, value in params.items() if value is not None}
        await say({"jsonrpc": "2.0", "method": "notifications/progress", "params": known})

    return report
