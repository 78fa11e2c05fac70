# /// script
# requires-python = ">=3.13"
# dependencies = ["pydantic-ai-slim[mcp-tasks]==2.68.0", "fastmcp-tasks==4.1.2", "mcp==2.3.0"]
# ///
"""Pydantic AI, over FastMCP's client."""

import asyncio
from typing import Any

import measure
from pydantic_ai.mcp import MCPToolset


async def main() -> None:
    reports: list[float] = []

    async def note(done: float, *_: object) -> None:
        reports.append(done)

    async with MCPToolset(measure.URL, progress_handler=note) as toolset:

        async def list_names() -> set[str]:
            return {tool.name for tool in await toolset.list_tools()}

        async def call(name: str, values: measure.Arguments) -> measure.Answer:
            result = await toolset.call_tool_for_app(name, values)
            links = [item["uri"] for item in result["content"] if item["type"] == "resource_link"]
            return measure.Answer(result["content"][0]["text"], result["structuredContent"], links)

        async def follow(name: str, values: measure.Arguments) -> int:
            await toolset.direct_call_tool(name, values)
            return len(reports)

        async def call_as_task(name: str, values: measure.Arguments) -> Any:
            return await toolset.direct_call_tool(name, values, use_task=True)

        client = measure.Client(list_names, call, toolset.read_resource, follow, call_as_task)
        await measure.run_steps("pydantic-ai-slim", client)


asyncio.run(main())
