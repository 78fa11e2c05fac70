"""Follows background work, such as a crawl, in the foreground: progress, Ctrl-C, SIGTERM."""

import asyncio
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from assay.entrypoints.cli.terminal import ERASE, confirm
from assay.entrypoints.http.signals import on_signal

if TYPE_CHECKING:
    from assay.context import Context

FAILED, INTERRUPTED = 1, 130  # exit codes
RUNNING = ("queued", "running")
BAR = 30  # characters


class StopEvent(asyncio.Event):
    """Set when the work must stop. `by_hand` is true if Ctrl-C came from a terminal, where the CLI can ask back."""

    by_hand = False

    def interrupt(self) -> None:
        self.by_hand = sys.stdin.isatty() and sys.stderr.isatty()
        self.set()


class ProgressBar:
    """A progress bar on standard error. `unit` names what is counted, in the plural."""

    def __init__(self, unit: str) -> None:
        self.unit = unit

    async def report(self, tried: float, found: float | None, _: str | None) -> None:
        done = int(BAR * tried / (found or 1))
        line = f"[{'#' * done}{'.' * (BAR - done)}] {tried:.0f} of {found or 0:.0f} {self.unit}"
        print(f"{ERASE}{line}", end="", file=sys.stderr, flush=True)

    def erase(self) -> None:
        print(ERASE, end="", file=sys.stderr, flush=True)


@dataclass(frozen=True)
class ToolCall:
    """A tool and its arguments."""

    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class FollowedWork:
    """Work to follow. `status` waits for the end and returns a status; `resumed_by` tells how to go on later."""

    unit: str
    status: ToolCall
    cancel: ToolCall
    kind: str  # what it is, such as "crawl"
    resumed_by: str


@asynccontextmanager
async def command_context() -> AsyncIterator[tuple["Context", StopEvent]]:
    """A context whose services are closed at the end, and the event that signals set."""
    from assay.bootstrap import build_services
    from assay.caller import Caller
    from assay.context import Context

    services = build_services()
    stop = StopEvent()
    on_signal(stop.interrupt, signal.SIGINT)
    on_signal(stop.set, signal.SIGTERM)
    try:
        yield Context(services, Caller(), entrypoint="cli", allow_large=True), stop
    finally:
        await services.close()


async def invoke_tool(ctx: "Context", call: ToolCall) -> dict[str, Any]:
    """Invoke the tool and return its result. Raises its ToolError."""
    from assay.invoke import invoke

    reply = await invoke(call.tool, dict(call.arguments), replace(ctx, meta={}, deadline=None))
    if reply.error is not None:
        raise reply.error
    return reply.wire


async def follow_work(ctx: "Context", work: FollowedWork, stop: StopEvent) -> None:
    """Wait for the end of the work and show its progress; cancel it when `stop` is set."""
    shown = ProgressBar(work.unit) if sys.stderr.isatty() else None
    ctx.report = shown.report if shown else None
    stopping = asyncio.ensure_future(stop.wait())
    try:
        while True:
            looking = asyncio.ensure_future(invoke_tool(ctx, work.status))
            await asyncio.wait({looking, stopping}, return_when=asyncio.FIRST_COMPLETED)
            if not looking.done():
                looking.cancel()
                ctx.report = None
                if not (stop.by_hand and await _confirm_keeping(work, stop)):
                    await invoke_tool(ctx, work.cancel)
                return
            if looking.result()["status"] not in RUNNING:
                return
    finally:
        stopping.cancel()
        ctx.report = None
        if shown:
            shown.erase()


async def _confirm_keeping(work: FollowedWork, stop: StopEvent) -> bool:
    """Ask whether to keep the work for later. A second Ctrl-C means no."""
    stop.clear()
    question = f"Keep the {work.kind} for later? A server or `{work.resumed_by}` can resume it. [y/N] "
    try:
        return await confirm(question, stop)
    finally:
        stop.set()
