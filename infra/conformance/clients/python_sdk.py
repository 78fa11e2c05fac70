# /// script
# requires-python = ">=3.13"
# dependencies = ["mcp==2.3.0"]
# ///
"""The official Python SDK, in the era that argument 3 names: `auto` or `legacy`. URL may be the command of a bridge."""

import asyncio
import sys

import measure
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client


async def main() -> None:
    command, *arguments = measure.URL.split()
    bridge = stdio_client(StdioServerParameters(command=command, args=arguments)) if arguments else None
    async with Client(bridge or measure.URL, mode=sys.argv[3]) as client:

        async def list_names() -> set[str]:
            return {tool.name for tool in (await client.list_tools()).tools}

        async def call(name: str, values: measure.Arguments) -> measure.Answer:
            result = await client.call_tool(name, values)
            return measure.read_content(result.content, result.structured_content)

        async def read(uri: str) -> object:
            return (await client.read_resource(uri)).contents[0].text

        async def follow(name: str, values: measure.Arguments) -> int:
            reports: list[float] = []

            async def note(done: float, _: float | None, __: str | None) -> None:
                reports.append(done)

            await client.call_tool(name, values, progress_callback=note)
            return len(reports)

        await measure.run_steps("mcp", measure.Client(list_names, call, read, follow))


asyncio.run(main())
