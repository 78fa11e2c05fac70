"""Server for MCP's official conformance suite: the tools and resources it calls by name, on Assay's MCP implementation.

`server.py ENGINE` listens on a free port of 127.0.0.1 and prints it. ENGINE is `local` (the local server as it is),
`lambda` (each request becomes an event for the Lambda function, whose Function URL streams), or `tools` (the local
server with Assay's tools instead of the suite's).
"""

import asyncio
import sys
import tempfile
from functools import partial
from typing import Any

import uvicorn
from infra.conformance.suite_tools import find, list_names

from assay.bootstrap import local_services
from assay.context import Context
from assay.entrypoints.http.asgi_headers import join_headers
from assay.entrypoints.http.host_origin_guard import App, HostOriginMiddleware, Receive, Scope, Send
from assay.entrypoints.mcp import stateless_server
from assay.entrypoints.mcp.content import content_of
from assay.entrypoints.mcp.http_checks import HttpReply
from assay.entrypoints.mcp.local_http import LocalMcp, body_of, send_response
from assay.entrypoints.mcp.prompt_base import Prompt, PromptArgument, Values
from assay.entrypoints.mcp.resources import Resource
from assay.entrypoints.mcp.streamed_answers import stream_answer
from assay.entrypoints.mcp.tool_catalogue import ToolCatalogue
from assay.errors import ToolError
from assay.invoke import Reply, execute
from assay.services import Services
from assay.settings import Settings

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
SILENCE = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA="
IMAGE = {"type": "image", "data": PIXEL, "mimeType": "image/png"}
AUDIO = {"type": "audio", "data": SILENCE, "mimeType": "audio/wav"}


def embedded_resource(uri: str) -> dict[str, Any]:
    return {"type": "resource", "resource": {"uri": uri, "mimeType": "text/plain", "text": "Content of a resource."}}


# Results that are not text only.
CONTENT = {
    "image": [IMAGE],
    "audio": [AUDIO],
    "resource": [embedded_resource("test://embedded-resource")],
    "mixed": [{"type": "text", "text": "Several kinds:"}, IMAGE, embedded_resource("test://mixed-content-resource")],
}


async def run(name: str, arguments: Any, ctx: Context) -> Reply:
    try:
        return await execute(find(name), arguments, ctx)
    except ToolError as failure:
        return Reply(error=failure)


def content(reply: Reply, version: str) -> list[dict[str, Any]]:
    return CONTENT.get(reply.wire.get("kind", ""), []) or content_of(reply, version)


async def _text(uri: str, _: Context) -> str:
    return f"This is the content of {uri}."


async def _pixel(_: str, __: Context) -> bytes:
    import base64

    return base64.b64decode(PIXEL)


RESOURCES = (
    Resource({"uri": "test://static-text", "name": "static-text", "mimeType": "text/plain"}, _text),
    Resource({"uri": "test://static-binary", "name": "static-binary", "mimeType": "image/png"}, _pixel),
    Resource({"uriTemplate": "test://template/{id}/data", "name": "template", "mimeType": "text/plain"}, _text),
)


class SuitePrompt(Prompt):
    """A prompt whose messages are what the suite expects, which knows no other text."""

    def build_messages(self, values: Values) -> list[dict[str, Any]]:
        content = {
            "test_prompt_with_arguments": {
                "type": "text",
                "text": f"Prompt with arguments: arg1='{values.get('arg1')}', arg2='{values.get('arg2')}'",
            },
            "test_prompt_with_embedded_resource": embedded_resource(values.get("resourceUri", "")),
            "test_prompt_with_image": IMAGE,
            "test_input_required_result_prompt": {"type": "text", "text": f"Context: {values.get('context')}"},
        }
        simple = {"type": "text", "text": "This is a simple prompt for testing."}
        return [{"role": "user", "content": content.get(self.name, simple)}]


def _prompt(name: str, *arguments: str) -> Prompt:
    described = tuple(PromptArgument(each, f"The suite's {each}.", required=True) for each in arguments)
    return SuitePrompt(name, name, f"What the suite calls {name}.", described, str)


PROMPTS = (
    _prompt("test_simple_prompt"),
    _prompt("test_prompt_with_arguments", "arg1", "arg2"),
    _prompt("test_prompt_with_embedded_resource", "resourceUri"),
    _prompt("test_prompt_with_image"),
    _prompt("test_input_required_result_prompt", "context"),
)


def catalogue() -> ToolCatalogue:
    return ToolCatalogue(
        names=list_names,
        find=find,
        run=run,
        content=content,
        resources=RESOURCES,
        prompts=PROMPTS,
    )


def as_lambda(services: Services) -> App:
    """ASGI application that converts each request into a Lambda event, as API Gateway does."""
    shown = catalogue()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        body = await body_of(receive) if scope["method"] == "POST" else b""
        event = {
            "version": "2.0",
            "rawQueryString": scope["query_string"].decode(),
            "headers": join_headers(scope["headers"]),
            "requestContext": {"http": {"method": scope["method"]}},
            "body": (body or b"").decode(),
        }
        streamed = []

        async def note(part: Any) -> None:
            streamed.append(part["type"])
            await send(part)

        respond = partial(stream_answer, send=note)
        reply = await stateless_server.handle_event(event, None, services, shown, respond)
        if not streamed:
            await send_response(HttpReply(reply["statusCode"], reply["body"].encode(), reply["headers"]), send)

    return app


class PortPrintingServer(uvicorn.Server):
    """Server that prints its port once it listens."""

    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        print(self.servers[0].sockets[0].getsockname()[1], flush=True)


async def main(engine: str) -> None:
    with tempfile.TemporaryDirectory() as home:
        services = local_services(Settings.read({"ASSAY_HOME": home}))
        local = LocalMcp(services, ToolCatalogue() if engine == "tools" else catalogue())
        app = HostOriginMiddleware(as_lambda(services) if engine == "lambda" else local.app, any_host=False)
        await PortPrintingServer(uvicorn.Config(app, port=0, lifespan="off", log_level="warning")).serve()
        await services.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
