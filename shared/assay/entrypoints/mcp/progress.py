"""Sends `notifications/progress` for calls with a progress token."""

import asyncio
import math
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from assay.entrypoints.mcp.jsonrpc import RpcMessage
from assay.entrypoints.mcp.protocol_versions import envelope_of

type SendNotification = Callable[[Mapping[str, Any]], Awaitable[None]]

BURST = 100  # notifications of a call that are sent as they come
MAX_WAITING = 10  # notifications that wait for a client that reads slowly
PER_SECOND = 10  # notifications after that
FIRST_PULSE, PULSE = 2.0, 5.0  # seconds without a report after which the last one is repeated


def wants_progress(message: RpcMessage) -> bool:
    """Whether the message is a `tools/call` with a progress token."""
    token = envelope_of(message.params).get("progressToken")
    return message.method == "tools/call" and isinstance(token, int | str) and not isinstance(token, bool)


def report_for(message: RpcMessage, send: SendNotification) -> "Reporter | None":
    """The reporter for the tool's progress; None if the client did not ask for progress."""
    return Reporter(envelope_of(message.params)["progressToken"], send) if wants_progress(message) else None


class Reporter:
    """Sends the progress of one request until closed. Work shared with other requests may report after that.

    A call never waits for a client that reads slowly: while one notification is being sent, only the latest of the
    others are kept. While the tool has nothing to report, the last report is repeated, so that clients do not give the
    call up. Progress must increase, so each repetition goes half of the way to the next step.
    """

    def __init__(self, token: int | str, send: SendNotification) -> None:
        self._token = token
        self._send: SendNotification | None = send
        self._last = float("-inf")
        self._total: float | None = None
        self._text: str | None = "Working"
        self._waiting: deque[Mapping[str, Any]] = deque(maxlen=MAX_WAITING)
        self._writer: asyncio.Task[None] | None = None
        self._now = asyncio.get_running_loop().time
        self._allowance, self._counted_at, self._reported_at = float(BURST), self._now(), self._now()
        self._pulse = asyncio.create_task(self._repeat())

    async def __call__(self, progress: float, total: float | None, text: str | None) -> None:
        if self._send is None or progress <= self._last:  # MCP: progress must increase with each notification
            return
        self._last, self._total, self._text, self._reported_at = progress, total, text, self._now()
        params = {"progressToken": self._token, "progress": progress, "total": total, "message": text}
        self._waiting.append({name: value for name, value in params.items() if value is not None})
        if self._writer is None or self._writer.done():
            self._writer = asyncio.create_task(self._write())
        await asyncio.sleep(0)  # the writer sends it now if it can

    async def _write(self) -> None:
        while self._send is not None and self._waiting:
            if (pause := self._take_allowance()) > 0:
                await asyncio.sleep(pause)
                self._waiting = deque([self._waiting[-1]], MAX_WAITING)  # the latest tells all
                continue
            params = self._waiting.popleft()
            await self._send({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})

    def _take_allowance(self) -> float:
        """Count one notification; return 0.0, or the seconds until there is an allowance for it."""
        now = self._now()
        self._allowance = min(BURST, self._allowance + (now - self._counted_at) * PER_SECOND)
        self._counted_at = now
        if self._allowance < 1:
            return (1 - self._allowance) / PER_SECOND
        self._allowance -= 1
        return 0.0

    async def _repeat(self) -> None:
        pause = FIRST_PULSE
        while True:
            if (left := self._reported_at + pause - self._now()) > 0:
                await asyncio.sleep(left)
                continue
            done = max(self._last, 0.0)
            done += (math.floor(done) + 1 - done) / 2
            total = self._total if self._total is not None and done <= self._total else None
            pause = PULSE
            await self(done, total, self._text)

    def close(self) -> None:
        """Send nothing any more, not even what is kept. A notification that is being sent is sent to its end."""
        self._send = None
        self._pulse.cancel()
