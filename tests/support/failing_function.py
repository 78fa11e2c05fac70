"""A function whose calls fail and flood, under the loop that streams."""

import asyncio
import logging
from functools import partial

from tests.entrypoints.mcp import registry

from assay.entrypoints import runtime
from assay.entrypoints.mcp.stateless_server import handle_event
from assay.entrypoints.mcp.streamed_answers import stream_answer
from assay.entrypoints.mcp.tool_catalogue import ToolCatalogue

PART = "x" * 500_000


async def run(name, arguments, ctx):
    """`empty` breaks after its first report, `noisy` reports much and then waits."""
    if name == "echo":
        return await registry.run(name, arguments, ctx)
    await ctx.report(1, None, "Begun")
    await asyncio.sleep(0.05)
    if name == "empty":
        raise RuntimeError("the tool is broken")
    try:
        for number in range(2, 102):
            await ctx.report(number, None, PART)
            await asyncio.sleep(0.002)
        await asyncio.sleep(60)
    except asyncio.CancelledError:
        logging.getLogger("assay").warning("the flood was cancelled")
        raise


CATALOGUE = ToolCatalogue(names=lambda: tuple(sorted(registry.TOOLS)), find=registry.find, run=run)


def handler(event, context):
    if event["rawPath"] == "/fails":
        raise ValueError("a failure before the first byte")
    respond = partial(stream_answer, send=context.response_stream.send, stall_seconds=0.5)
    return runtime.wait_for(handle_event(event, context, runtime.services(), CATALOGUE, respond))
