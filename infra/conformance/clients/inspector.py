"""The Inspector's command line (`mcp-inspector` on PATH), which has no interface for progress, cancellation and tasks.

Argument 3 names the era, argument 4 the version.
"""

import asyncio
import json
import sys
from typing import Any

import measure


async def run(*arguments: str) -> Any:
    options = ("--cli", measure.URL, "--transport", "http", "--protocol-era", sys.argv[3], "--method", *arguments)
    program = await asyncio.create_subprocess_exec(
        "mcp-inspector", *options, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    output, _ = await program.communicate()
    text = output.decode()
    measure.check(program.returncode == 0, text[-300:])
    return json.JSONDecoder().raw_decode(text, text.index("{"))[0]  # a line that is no JSON may follow


async def list_names() -> set[str]:
    return {tool["name"] for tool in (await run("tools/list"))["tools"]}


async def call(name: str, values: measure.Arguments) -> measure.Answer:
    options = [part for key, value in values.items() for part in ("--tool-arg", f"{key}={value}")]
    result = await run("tools/call", "--tool-name", name, *options)
    links = [item["uri"] for item in result["content"] if item["type"] == "resource_link"]
    return measure.Answer(result["content"][0]["text"], result["structuredContent"], links)


async def read(uri: str) -> object:
    return (await run("resources/read", "--uri", uri))["contents"][0]["text"]


CLIENT = measure.Client(list_names, call, read, can_cancel=False)
asyncio.run(measure.run_steps("@modelcontextprotocol/inspector", CLIENT, sys.argv[4]))
