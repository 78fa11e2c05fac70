# /// script
# requires-python = ">=3.13"
# dependencies = ["openai-agents==0.24.0", "mcp==2.3.0"]
# ///
"""The OpenAI agents SDK. It has no interface for progress and tasks."""

import asyncio

import measure
from agents.mcp import MCPServerStreamableHttp


async def main() -> None:
    options = {"url": measure.URL, "timeout": 30}
    async with MCPServerStreamableHttp(options, client_session_timeout_seconds=30) as server:

        async def list_names() -> set[str]:
            return {tool.name for tool in await server.list_tools()}

        async def call(name: str, values: measure.Arguments) -> measure.Answer:
            result = await server.call_tool(name, values)
            return measure.read_content(result.content, result.model_dump(by_alias=True)["structuredContent"])

        async def read(uri: str) -> object:
            return (await server.read_resource(uri)).contents[0].text

        await measure.run_steps("openai-agents", measure.Client(list_names, call, read))


asyncio.run(main())
