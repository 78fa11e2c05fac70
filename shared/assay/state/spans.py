"""Spans of calls and outgoing requests, with OpenTelemetry where the operator has enabled it.

The program creates spans with OpenTelemetry's API only: the operator's SDK or agent samples and exports them. Without
TRACES_ENABLED nothing of OpenTelemetry is imported. Spans have names of tools and hosts, never arguments or paths.
"""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from importlib.util import find_spec
from typing import TYPE_CHECKING

from assay.errors import ConfigError
from assay.settings import Settings
from assay.state.trace_context import Trace, get_current_trace, within_trace
from assay.text.url_parts import split_url

if TYPE_CHECKING:  # the optional library
    from opentelemetry.context import Context
    from opentelemetry.trace import Span, SpanKind

SCOPE = "assay"


class RecordedSpan:
    """A span, or nothing where spans are off."""

    def __init__(self, span: "Span | None" = None) -> None:
        self._span = span

    def set_status(self, status: int) -> None:
        """Record the HTTP status of the response."""
        if self._span is not None:
            self._span.set_attribute("http.response.status_code", status)
            if status >= 400:
                self.set_error(str(status))

    def set_error(self, kind: str) -> None:
        """Mark the span as failed. The error's message is left out, because it may contain what was searched for."""
        if self._span is not None:
            from opentelemetry.trace import StatusCode

            self._span.set_attribute("error.type", kind)
            self._span.set_status(StatusCode.ERROR)


NO_SPAN = nullcontext(RecordedSpan())


def check_library(settings: Settings) -> None:
    """Raise ConfigError where spans are enabled and the library is missing."""
    if settings.traces_enabled and not (find_spec("opentelemetry") and find_spec("opentelemetry.trace")):
        raise ConfigError(
            "TRACES_ENABLED needs OpenTelemetry: install assay with the extra `traces`.",
            field="TRACES_ENABLED",
            action="inform_user",
        )


def open_call_span(settings: Settings, tool: str, entrypoint: str) -> AbstractContextManager[RecordedSpan]:
    """The span of a tool call, a child of the caller's span if the caller sent one."""
    if not settings.traces_enabled:
        return NO_SPAN
    from opentelemetry.trace import SpanKind

    trace = get_current_trace()
    parent = _build_parent(trace) if trace and trace.parent else None
    attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool, "assay.entrypoint": entrypoint}
    return _open_span(f"execute_tool {tool}", SpanKind.SERVER, attributes, parent)


def open_request_span(
    settings: Settings, method: str, url: str, service: str = ""
) -> AbstractContextManager[RecordedSpan]:
    """The span of an outgoing request. Of the URL it has the host only."""
    if not settings.traces_enabled:
        return NO_SPAN
    from opentelemetry.trace import SpanKind

    attributes = {"http.request.method": method, "server.address": _find_host(url)}
    if service:
        attributes["assay.provider"] = service
    return _open_span(method, SpanKind.CLIENT, attributes, None)


def _find_host(url: str) -> str:
    try:
        return split_url(url).hostname or ""
    except ValueError:  # the request reports it
        return ""


def build_trace_headers(settings: Settings) -> Mapping[str, str]:
    """The trace headers of an outgoing request; none unless the operator lets third parties see them."""
    trace = get_current_trace()
    return trace.build_headers() if trace is not None and settings.trace_headers_sent else {}


@contextmanager
def _open_span(
    name: str, kind: "SpanKind", attributes: Mapping[str, str], parent: "Context | None"
) -> Iterator[RecordedSpan]:
    """Open the span and make its ids those of the current trace, so that logs and headers agree with it."""
    from opentelemetry import trace as api

    from assay import __version__

    tracer = api.get_tracer(SCOPE, __version__)
    with tracer.start_as_current_span(
        name, context=parent, kind=kind, attributes=attributes, record_exception=False, set_status_on_exception=False
    ) as span:
        recorded = RecordedSpan(span)
        with within_trace(_adopt_ids(span)):
            try:
                yield recorded
            except BaseException as failure:
                recorded.set_error(type(failure).__name__)
                raise


def _adopt_ids(span: "Span") -> Trace:
    """The current trace with the ids of the span, if an SDK records it."""
    known, context = get_current_trace(), span.get_span_context()
    trace_id, span_id = f"{context.trace_id:032x}", f"{context.span_id:016x}"
    if known is None:
        return Trace(trace_id, span_id, flags=int(context.trace_flags))
    if not span.is_recording():
        return known
    parent = known.span_id if known.trace_id == trace_id else ""
    state = known.state if known.trace_id == trace_id else ""
    return Trace(trace_id, span_id, parent, int(context.trace_flags), state)


def _build_parent(trace: Trace) -> "Context":
    """OpenTelemetry's context with the caller's span."""
    from opentelemetry.trace import NonRecordingSpan, SpanContext, TraceFlags, set_span_in_context
    from opentelemetry.trace.span import TraceState

    remote = SpanContext(
        int(trace.trace_id, 16),
        int(trace.parent, 16),
        is_remote=True,
        trace_flags=TraceFlags(trace.flags),
        trace_state=TraceState.from_header([trace.state] if trace.state else []),
    )
    return set_span_in_context(NonRecordingSpan(remote))
