# /// script
# requires-python = ">=3.13"
# dependencies = ["mcp==1.30.0"]
# ///
"""Version 1 of the official Python SDK, which many hosts have."""

import asyncio
from typing import Any

import measure
from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client
from mcp.types import CallToolResult, CancelledNotification, CancelledNotificationParams, ClientNotification


async def cancel_last(session: ClientSession) -> None:
    """Tell the server that the last request is cancelled, which this version leaves to the host."""
    number = session._request_id - 1  # noqa: SLF001  the SDK does not tell it otherwise
    params = CancelledNotificationParams(requestId=number)
    cancelled = CancelledNotification(method="notifications/cancelled", params=params)
    await session.send_notification(ClientNotification(cancelled))


async def run_task(session: ClientSession, name: str, values: measure.Arguments) -> Any:
    tasks = session.experimental
    task = (await tasks.call_tool_as_task(name, values, ttl=60_000)).task.taskId
    async for _ in tasks.poll_task(task):
        pass
    return (await tasks.get_task_result(task, CallToolResult)).structuredContent


async def main() -> None:
    async with streamablehttp_client(measure.URL) as (receive, send, _), ClientSession(receive, send) as session:
        await session.initialize()

        async def list_names() -> set[str]:
            return {tool.name for tool in (await session.list_tools()).tools}

        async def call(name: str, values: measure.Arguments) -> measure.Answer:
            try:
                result = await session.call_tool(name, values)
            except asyncio.CancelledError:
                await cancel_last(session)
                raise
            return measure.read_content(result.content, result.structuredContent)

        async def read(uri: str) -> object:
            return (await session.read_resource(uri)).contents[0].text

        async def follow(name: str, values: measure.Arguments) -> int:
            reports: list[float] = []

            async def note(done: float, _: float | None, __: str | None) -> None:
                reports.append(done)

            await session.call_tool(name, values, progress_callback=note)
            return len(reports)

        async def call_as_task(name: str, values: measure.Arguments) -> Any:
            return await run_task(session, name, values)

        await measure.run_steps("mcp", measure.Client(list_names, call, read, follow, call_as_task))


asyncio.run(main())
