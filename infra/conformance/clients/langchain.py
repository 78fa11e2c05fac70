# /// script
# requires-python = ">=3.13"
# dependencies = ["langchain-mcp-adapters==0.3.2", "mcp==1.30.0"]
# ///
"""LangChain's adapters, over version 1 of the official Python SDK."""

import asyncio

import measure
from langchain_mcp_adapters.callbacks import Callbacks
from langchain_mcp_adapters.client import MultiServerMCPClient


async def main() -> None:
    reports: list[float] = []

    async def note(done: float, *_: object) -> None:
        reports.append(done)

    connection = {"assay": {"transport": "streamable_http", "url": measure.URL}}
    client = MultiServerMCPClient(connection, callbacks=Callbacks(on_progress=note))
    tools = {tool.name: tool for tool in await client.get_tools()}

    async def list_names() -> set[str]:
        return set(tools)

    async def call(name: str, values: measure.Arguments) -> measure.Answer:
        message = await tools[name].ainvoke({"type": "tool_call", "id": "1", "name": name, "args": values})
        links = [item["url"] for item in message.content if "url" in item]
        return measure.Answer(message.text, message.artifact["structured_content"], links)

    async def read(uri: str) -> object:
        return (await client.get_resources("assay", uris=uri))[0].data

    async def follow(name: str, values: measure.Arguments) -> int:
        await call(name, values)
        return len(reports)

    await measure.run_steps("langchain-mcp-adapters", measure.Client(list_names, call, read, follow))


asyncio.run(main())
