"""Traces: a caller's trace reaches logs, the audit, spans, and other services only where the operator lets it."""

import json
import logging
import re

import pytest
from opentelemetry import trace as opentelemetry
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind
from tests.support.lambda_context import FakeLambdaContext

from assay.bootstrap import build_services
from assay.entrypoints.http import http_api
from assay.entrypoints.mcp import stateless_server
from assay.entrypoints.mcp.tool_catalogue import ToolCatalogue
from assay.settings import Settings
from assay.state.trace_context import continue_trace, parse_state, parse_trace

TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
PARENT = f"00-{TRACE}-{SPAN}-01"
OTHER = "00-11111111111111111111111111111111-2222222222222222-00"
SOURCES = {"sources": [{"url": "https://a.example/", "title": "A"}], "style": "bibtex"}  # which needs no processor
SENT = {"content-type": "application/json", "accept": "application/json, text/event-stream", "host": "127.0.0.1"}


@pytest.fixture
def world(environ):
    """`world(TRACES_ENABLED="true")`: services with these settings, and the events that they audit."""

    def build(**more):
        services = build_services(Settings.read(environ | more))
        events = []
        services.observers[:] = [lambda call: events.append(call.event())]
        return services, events

    return build


@pytest.fixture(scope="session")
def exporter():
    """The operator's SDK, which a process sets up once."""
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    opentelemetry.set_tracer_provider(provider)
    return exporter


@pytest.fixture
def spans(exporter):
    """`spans()`: what ended since the test began, by name."""
    exporter.clear()
    return lambda: {span.name: span for span in exporter.get_finished_spans()}


async def call_https(services, tool="format_bibliography", arguments=None, **headers):
    event = {"headers": SENT | headers, "body": json.dumps(arguments or SOURCES), "requestContext": {}}
    return await http_api.answer(tool, event, FakeLambdaContext(60), services)


def build_message(meta):
    params = {"name": "format_bibliography", "arguments": SOURCES} | ({"_meta": meta} if meta else {})
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})


async def call_lambda_mcp(services, meta=None, **headers):
    event = {
        "headers": SENT | {"mcp-protocol-version": "2025-11-25"} | headers,
        "body": build_message(meta),
        "requestContext": {"http": {"method": "POST"}},
    }
    return await stateless_server.handle_event(event, FakeLambdaContext(60), services, ToolCatalogue())


@pytest.mark.parametrize("call", [call_https, call_lambda_mcp])
async def test_a_trace_in_headers_reaches_the_audit_with_a_span_of_its_own(call, world):
    services, events = world()
    await call(services, traceparent=PARENT)
    await call(services, traceparent=PARENT)
    assert [(event["trace_id"], event["parent_span_id"]) for event in events] == 2 * [(TRACE, SPAN)]
    assert len({SPAN, *(event["span_id"] for event in events)}) == 3
    await services.close()


async def test_meta_of_mcp_precedes_headers(world):
    services, events = world()
    await call_lambda_mcp(services, {"traceparent": PARENT}, traceparent=OTHER)
    await call_lambda_mcp(services, {"traceparent": "malformed"}, traceparent=OTHER)
    assert [event["trace_id"] == TRACE for event in events] == [True, False]
    assert "parent_span_id" not in events[1]
    await services.close()


@pytest.mark.parametrize(
    "sent",
    [
        "",
        "x",
        PARENT.upper(),
        PARENT + "-more",
        PARENT + "\n",
        "ff" + PARENT[2:],
        f"00-{'0' * 32}-{SPAN}-01",
        f"00-{TRACE}-{'0' * 16}-01",
        f"{PARENT},{PARENT}",
        "00-" + "a" * 100_000,
    ],
)
async def test_a_malformed_traceparent_starts_a_new_trace(sent, world):
    services, events = world()
    await call_https(services, traceparent=sent, tracestate="a=1")
    [event] = events
    assert re.fullmatch("[0-9a-f]{32}", event["trace_id"])
    assert event["trace_id"] not in (TRACE, "0" * 32)
    assert "parent_span_id" not in event
    await services.close()


@pytest.mark.parametrize("sent", [5, None, ["x"], {"a": 1}])
async def test_a_traceparent_in_meta_that_is_no_text_starts_a_new_trace(sent, world):
    services, events = world()
    answered = await call_lambda_mcp(services, {"traceparent": sent})
    assert json.loads(answered["body"])["result"]["isError"] is False
    assert "parent_span_id" not in events[0]
    await services.close()


def test_later_versions_of_a_traceparent_are_read_as_far_as_they_are_known():
    assert parse_trace(f"cc-{TRACE}-{SPAN}-01-what-comes").parent == SPAN
    assert parse_trace(f"00-{TRACE}-{SPAN}-ff").build_headers()["traceparent"].endswith("-01")


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        ("rojo=00f067aa0ba902b7,congo=t61rcWkgMzE", "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"),
        (" a=1 , ,b@c=2", "a=1,b@c=2"),
        ("a=1,a=2", ""),
        ("A=1", ""),
        ("a", ""),
        ("a=1\r\nx: y", ""),
        (",".join(f"k{n}=1" for n in range(33)), ""),
        ("a=" + "x" * 10_000, ""),
        (None, ""),
    ],
)
def test_a_malformed_tracestate_is_left_out(sent, read):
    assert parse_state(sent) == read
    assert parse_trace(PARENT, sent).trace_id == TRACE


async def test_log_records_of_a_call_have_the_ids_of_its_trace(world, caplog):
    services, _ = world()
    with caplog.at_level(logging.WARNING, "assay"), continue_trace({"traceparent": PARENT}) as trace:
        logging.getLogger("assay").warning("Something to look at.")
    assert (caplog.records[0].trace_id, caplog.records[0].span_id) == (TRACE, trace.span_id)
    await services.close()


async def test_third_parties_get_no_trace_headers_unless_the_operator_sends_them(world, site):
    site.says("/page", "<title>Otters</title><p>Otters hold hands while they sleep.</p>" * 20)
    site.says("/searxng/search", '{"results": []}', kind="application/json")
    headers = {"traceparent": PARENT, "tracestate": "rojo=1", "baggage": "user=ada"}
    for more, names in (({}, set()), ({"TRACE_HEADERS_SENT": "true"}, {"traceparent", "tracestate"})):
        services, _ = world(**more)
        site.requests.clear()
        await call_https(services, "scrape_page", {"url": f"{site.url}/page?{len(names)}"}, **headers)
        await call_https(services, "web_search", {"query": f"otters {len(names)}", "provider": "searxng"}, **headers)
        sent = [request.headers for request in site.requests if request.path.startswith(("/page", "/searxng"))]
        assert len(sent) >= 2
        for each in sent:
            assert {"traceparent", "tracestate", "baggage"} & each.keys() == names
            assert each.get("traceparent", TRACE + SPAN).startswith(("00-" + TRACE, TRACE))
            assert SPAN not in each.get("traceparent", "")
        await services.close()


async def test_spans_of_a_call_and_its_requests_continue_the_callers_trace(world, site, spans):
    site.says("/searxng/search", '{"results": []}', kind="application/json")
    services, events = world(TRACES_ENABLED="true", TRACE_HEADERS_SENT="true")
    await call_https(services, "web_search", {"query": "secret otters", "provider": "searxng"}, traceparent=PARENT)
    call, request = spans()["execute_tool web_search"], spans()["GET"]
    assert (call.kind, request.kind) == (SpanKind.SERVER, SpanKind.CLIENT)
    assert f"{call.context.trace_id:032x}" == f"{request.context.trace_id:032x}" == TRACE == events[0]["trace_id"]
    assert f"{call.parent.span_id:016x}" == SPAN
    assert request.parent.span_id == call.context.span_id
    assert events[0]["span_id"] == f"{call.context.span_id:016x}"
    assert dict(request.attributes) == {
        "http.request.method": "GET",
        "server.address": "127.0.0.1",
        "assay.provider": "searxng",
        "http.response.status_code": 200,
    }
    asked = [each for each in site.requests if "searxng" in each.path]
    assert asked[-1].headers["traceparent"] == f"00-{TRACE}-{request.context.span_id:016x}-01"
    assert "secret" not in call.to_json() + request.to_json()
    await services.close()


async def test_a_failed_call_marks_its_span_with_the_kind_alone(world, spans):
    services, events = world(TRACES_ENABLED="true")
    await call_https(services, "web_search", {"query": "x" * 501})
    call = spans()["execute_tool web_search"]
    assert call.attributes["error.type"] == "validation"
    assert not call.events
    assert call.parent is None
    assert events[0]["trace_id"] == f"{call.context.trace_id:032x}"
    await services.close()


async def test_without_the_setting_there_are_no_spans(world, spans):
    services, _ = world()
    await call_https(services, traceparent=PARENT)
    assert spans() == {}
    await services.close()
