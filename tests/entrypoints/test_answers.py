"""What a tool answers is what its schemas promise, over MCP to the SDK's client and over HTTPS to a reader of OpenAPI."""

import contextlib
import json
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest
from jsonschema import Draft202012Validator
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult
from mcp_types.methods import parse_server_result
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012
from tests.conftest import Clock
from tests.entrypoints.mcp.conftest import MODERN, modern_request
from tests.support import sample_calls
from tests.support.examples import LINES, NOW, format_example
from tests.support.fake_hosts import FakeHosts
from tests.support.sample_calls import SampleServices, arguments_of

from assay.entrypoints.http.local_server import create_app
from assay.net.provider_client import ProviderClient
from assay.services import Services
from assay.toolkit import tool_registry

ADDRESS = "http://127.0.0.1:8787"
EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
OPENAPI: dict[str, Any] = {}
LISTED: dict[str, Draft202012Validator] = {}  # the output schemas that tools/list shows


class CallFailed(Exception):
    """The call ended in an error of the documented shape."""


type Call = Callable[[str, dict[str, Any]], Awaitable[dict[str, Any]]]


@contextlib.asynccontextmanager
async def by_sdk(app: Any) -> AsyncIterator[Call]:
    """The SDK's client, which refuses an answer that its tool's output schema does not allow."""
    async with (
        httpx2.AsyncClient(transport=httpx2.ASGITransport(app), timeout=60) as wire,
        Client(streamable_http_client(f"{ADDRESS}/mcp", http_client=wire), cache=None) as client,
    ):
        await client.list_tools()

        async def call(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
            return content_of(await client.call_tool(tool, arguments))

        yield call


@contextlib.asynccontextmanager
async def by_mcp(app: Any) -> AsyncIterator[Call]:
    """A client that does what the SDK's does, with the list of tools of an earlier client: it is slow to read."""
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=ADDRESS, timeout=60) as client:

        async def send(method: str, **params: Any) -> dict[str, Any]:
            body, headers = modern_request(method, params)
            got = await client.post("/mcp", content=body, headers=headers)
            assert got.status_code == 200, got.text
            return got.json()["result"]

        if not LISTED:
            LISTED.update(
                {
                    tool["name"]: Draft202012Validator(tool["outputSchema"])
                    for tool in (await send("tools/list"))["tools"]
                }
            )

        async def call(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
            result = parse_server_result("tools/call", MODERN, await send("tools/call", name=tool, arguments=arguments))
            structured = content_of(result)
            LISTED[tool].validate(structured)
            return structured

        yield call


def content_of(result: CallToolResult) -> dict[str, Any]:
    """The structured content. Raises CallFailed for an error, whose shape is checked."""
    text = result.content[0].text
    if result.is_error:
        assert result.structured_content is None
        ERRORS.validate(json.loads(text.partition("\n\n")[2]))
        raise CallFailed(text)
    assert text
    # Clients that read the text alone must see where it comes from.
    assert str(result.structured_content.get("trust", "")) in text
    return result.structured_content


@contextlib.asynccontextmanager
async def by_https(app: Any) -> AsyncIterator[Call]:
    """A client that reads /openapi.json and refuses an answer that the document does not describe."""
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=ADDRESS, timeout=60) as client:
        if not OPENAPI:  # the same for every test, and slow to build
            OPENAPI.update((await client.get("/openapi.json")).json())

        async def call(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
            got = await client.post(f"/tools/{tool}", json=arguments)
            responses = OPENAPI["paths"][f"/tools/{tool}"]["post"]["responses"]
            output = responses.get(str(got.status_code), responses["default"])
            schema = output["content"]["application/json"]["schema"]
            validator(OPENAPI, schema["$ref"]).validate(got.json())
            if got.status_code >= 400:
                raise CallFailed(got.text)
            return {name: value for name, value in got.json().items() if name != "_meta"}

        yield call


def validator(described: Any, reference: str) -> Draft202012Validator:
    resource = Resource.from_contents(described, default_specification=DRAFT202012)
    return Draft202012Validator(
        {"$ref": f"openapi:{reference}"}, registry=Registry().with_resource("openapi:", resource)
    )


ENVELOPE = {"required": ["error"], "properties": {"error": {"required": ["kind", "retryable", "suggestedAction"]}}}
ERRORS = Draft202012Validator(ENVELOPE)
NAMES = tool_registry.tool_names()
ENTRY_POINTS = pytest.mark.parametrize("entry_point", [by_mcp, by_https], ids=lambda entry_point: entry_point.__name__)
CLIENTS = pytest.mark.parametrize("entry_point", [by_sdk, by_https], ids=lambda entry_point: entry_point.__name__)


@pytest.fixture
def environ(environ: dict[str, str], site: Any, request: pytest.FixtureRequest) -> dict[str, str]:
    return environ | sample_calls.environ(site.url) | getattr(request, "param", {})


@pytest.fixture
def clock() -> Clock:
    """A clock that starts at a fixed moment, so that examples do not change from day to day."""
    clock = Clock()
    clock.forward(NOW - time.time())
    return clock


@pytest.fixture
def samples(services: Services, site: Any, fake_hosts: FakeHosts) -> SampleServices:
    services.http = ProviderClient(services.settings, pause=0)
    samples = SampleServices(services, site, fake_hosts)
    samples.answers()
    return samples


@CLIENTS
@pytest.mark.parametrize("tool", NAMES)
async def test_an_answer_and_a_refusal_have_the_shape_they_promise(tool, entry_point, samples):
    async with entry_point(create_app(samples.services)) as call:
        arguments = await arguments_of(tool, samples, call)
        assert "linked" not in await call(tool, arguments)
        with pytest.raises(CallFailed, match="no_such_field"):
            await call(tool, arguments | {"no_such_field": 1})


@ENTRY_POINTS
@pytest.mark.parametrize("state", [SampleServices.finds_nothing, SampleServices.is_out], ids=["nothing", "outage"])
@pytest.mark.parametrize("tool", NAMES)
async def test_so_does_what_is_said_where_nothing_is_found(tool, state, entry_point, samples):
    state(samples)
    async with entry_point(create_app(samples.services)) as call:
        with contextlib.suppress(CallFailed):  # whose shape was looked at, too
            await call(tool, await arguments_of(tool, samples, call))


@ENTRY_POINTS
@pytest.mark.parametrize("environ", [{"LINK_BYTES": "1", "LINK_ALWAYS_BYTES": "1"}], indirect=True, ids=["linked"])
@pytest.mark.parametrize("tool", NAMES)
async def test_a_link_in_its_place_has_the_shape_it_promises(tool, entry_point, environ, samples):
    async with entry_point(create_app(samples.services)) as call:
        link = await call(tool, await arguments_of(tool, samples, call))
    assert link["linked"] is True
    assert link["summary"]
    assert len(link["summary"].encode()) <= 6_100


@pytest.mark.parametrize("tool", NAMES)
async def test_the_documented_example_is_what_the_tool_answers(tool, samples):
    """`SNAPSHOTS=write pytest` writes the examples, `make generate` includes them into docs/tools.md."""
    async with by_https(create_app(samples.services)) as call:
        arguments = await arguments_of(tool, samples, call)
        example = format_example(arguments, await call(tool, arguments))
    assert len(example.splitlines()) <= LINES
    path = EXAMPLES / f"{tool}.json"
    if os.environ.get("SNAPSHOTS") == "write":
        path.parent.mkdir(exist_ok=True)
        path.write_text(example)
    assert path.read_text() == example


def test_every_tool_has_a_sample_and_an_example():
    assert set(sample_calls.find_samples()) == set(NAMES)
    assert {path.stem for path in EXAMPLES.glob("*.json")} == set(NAMES)
