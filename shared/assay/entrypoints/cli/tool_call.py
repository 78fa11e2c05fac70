"""Runs one tool for the command line: with an event loop, or without one where that is faster."""

import signal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.context import Context
    from assay.invoke import Reply


def call_tool(tool: str, arguments: Any, *, allow_large: bool = False, waits: bool = True) -> "Reply":
    """The reply of `tool`, never replaced by a link if `allow_large`.

    A call that `waits` for no input or output runs without an event loop, because asyncio takes time to import.
    """
    from assay.bootstrap import build_services
    from assay.caller import Caller
    from assay.context import Context
    from assay.state import event_loop
    from assay.state.rate_limit import list_rules

    services = build_services()
    ctx = Context(services, Caller(), entrypoint="cli", allow_large=allow_large)
    if not waits and not list_rules(services.settings, ctx.caller.tenant, ctx.caller.user):
        return event_loop.run_without_loop(invoke_and_close(tool, arguments, ctx))
    import asyncio

    return asyncio.run(invoke_until_signal(tool, arguments, ctx))


async def invoke_and_close(tool: str, arguments: Any, ctx: "Context") -> "Reply":
    """Invoke the tool, then close its services."""
    from assay.invoke import invoke

    try:
        return await invoke(tool, arguments, ctx)
    finally:
        await ctx.services.close()


async def invoke_until_signal(tool: str, arguments: Any, ctx: "Context") -> "Reply":
    """The reply, or a Network error when SIGTERM arrives first. Ctrl-C cancels the task and exits with status 130."""
    import asyncio

    from assay.entrypoints.cli.terminal import progress_shown
    from assay.entrypoints.http.signals import on_signal
    from assay.errors import Network
    from assay.invoke import Reply

    work = asyncio.ensure_future(invoke_and_close(tool, arguments, ctx))
    terminated = False

    def terminate() -> None:
        nonlocal terminated
        terminated = True
        work.cancel()

    on_signal(terminate, signal.SIGTERM)
    try:
        async with progress_shown(tool, ctx):
            return await work
    except asyncio.CancelledError:
        if not terminated:
            raise
        return Reply(error=Network(f"{tool} was stopped by SIGTERM before it finished. Call again.", retry_after=1))
