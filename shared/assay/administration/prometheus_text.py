"""Metrics in the text exposition format of Prometheus, version 0.0.4.

Written here because the official client keeps counters in the process, and importing it takes 70 ms of a cold start.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import accumulate

from assay.statistics.latency_histogram import BOUNDS
from assay.statistics.tool_figures import ToolFigures, add_up

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})

type Sample = tuple[str, Mapping[str, str], float]  # suffix of the name, labels, value


def format_metrics(
    tools: Mapping[str, ToolFigures],
    *,
    providers: Mapping[str, str],
    sessions: int,
    is_complete: bool,
    version: str,
) -> str:
    """The metrics of these calls by tool, and of the circuit breakers of these providers."""
    total = add_up(tools)
    families: tuple[tuple[str, str, str, Iterable[Sample]], ...] = (
        ("assay_info", "gauge", "Version of the server.", [("", {"version": version}, 1)]),
        ("mcp_tool_calls_total", "counter", "Calls of tools.", _count(tools, lambda each: each.calls)),
        ("mcp_tool_errors_total", "counter", "Calls that failed, by kind of error.", _list_errors(tools)),
        ("mcp_tool_latency_seconds", "histogram", "Duration of calls.", _list_durations(tools)),
        ("mcp_cache_hits_total", "counter", "Calls answered from the cache.", [("", {"layer": "all"}, total.cached)]),
        ("mcp_cache_misses_total", "counter", "Calls not answered from it.", [("", {}, total.calls - total.cached)]),
        ("assay_tool_cost_usd_total", "counter", "Cost at paid providers.", _count(tools, lambda each: each.dollars)),
        ("assay_active_sessions", "gauge", "Research sessions that have not expired.", [("", {}, sessions)]),
        (
            "assay_provider_available",
            "gauge",
            "1 unless the circuit breaker of the provider is open.",
            [("", {"provider": name}, float(state != "open")) for name, state in sorted(providers.items())],
        ),
        ("assay_metrics_complete", "gauge", "0 if there are more tenants than were read.", [("", {}, is_complete)]),
    )
    return "".join(line for family in families for line in _format_family(*family))


def _count(tools: Mapping[str, ToolFigures], read: Callable[[ToolFigures], float]) -> list[Sample]:
    return [("", {"tool": name}, read(figures)) for name, figures in tools.items()]


def _list_errors(tools: Mapping[str, ToolFigures]) -> Iterator[Sample]:
    for name, figures in tools.items():
        for kind, count in sorted(figures.errors.items()):
            yield "", {"tool": name, "error_code": kind}, count


def _list_durations(tools: Mapping[str, ToolFigures]) -> Iterator[Sample]:
    for name, figures in tools.items():
        for bound, count in zip((*map(str, BOUNDS), "+Inf"), accumulate(figures.durations), strict=True):
            yield "_bucket", {"tool": name, "le": bound}, count
        yield "_sum", {"tool": name}, round(figures.seconds, 6)
        yield "_count", {"tool": name}, figures.calls


def _format_family(name: str, kind: str, text: str, samples: Iterable[Sample]) -> Iterator[str]:
    yield f"# HELP {name} {text}\n# TYPE {name} {kind}\n"
    for suffix, labels, value in samples:
        shown = ",".join(f'{label}="{each.translate(ESCAPES)}"' for label, each in labels.items())
        yield f"{name}{suffix}{f'{{{shown}}}' if shown else ''} {float(value):.10g}\n"
