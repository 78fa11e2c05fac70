# /// script
# requires-python = ">=3.13"
# dependencies = ["fastmcp-slim[client]==4.1.2", "fastmcp-tasks==4.1.2", "mcp==2.3.0"]
# ///
"""FastMCP's client, with its extension for tasks."""

import asyncio
from typing import Any

import measure
from fastmcp import Client
from fastmcp_tasks import call_tool_task


async def main() -> None:
    async with Client(measure.URL) as client:

        async def list_names() -> set[str]:
            return {tool.name for tool in await client.list_tools()}

        async def call(name: str, values: measure.Arguments) -> measure.Answer:
            result = await client.call_tool(name, values)
            return measure.read_content(result.content, result.structured_content)

        async def read(uri: str) -> object:
            return (await client.read_resource(uri))[0].text

        async def follow(name: str, values: measure.Arguments) -> int:
            reports: list[float] = []

            async def note(done: float, *_: object) -> None:
                reports.append(done)

            await client.call_tool(name, values, progress_handler=note)
            return len(reports)

        async def call_as_task(name: str, values: measure.Arguments) -> Any:
            task = await call_tool_task(client, name=name, arguments=values)
            return (await task.result()).structured_content

        await measure.run_steps("fastmcp-slim", measure.Client(list_names, call, read, follow, call_as_task))


asyncio.run(main())
