"""Telemetry for CloudWatch: one JSON log line and one line of embedded metrics for each call."""

import json
import time
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from assay.settings.variables import environment
from assay.state.audit import Call
from assay.state.lambda_invocation import describe_invocation

if TYPE_CHECKING:
    from aws_lambda_powertools import Logger

SERVICE, NAMESPACE = "assay", "Assay"
UNITS = {"Milliseconds": "Milliseconds", "CostUsd": "None"}


@cache
def _logger() -> "Logger":
    from aws_lambda_powertools import Logger

    return Logger(service=SERVICE)


def prepare() -> None:
    """Create the logger, which the first call otherwise does."""
    _logger()


def record(call: Call) -> None:
    """Log the call as JSON and emit its metrics. An audit.Observer."""
    _logger().info(call.kind, extra=call.event() | _describe_place())
    if call.kind == "auth.failure":
        _emit({"AuthFailures": 1})
    if call.kind != "tool_call":
        return
    # CloudWatch bills each metric of each tool, so only these two have the tool as a dimension, and a metric that is
    # zero is not sent. The log has all of a call.
    own = {"Calls": 1.0} | ({"Errors": 1.0} if call.error else {})
    together = {
        "AllCalls": 1.0,
        "AllErrors": float(call.error is not None),
        "Milliseconds": float(round(call.seconds * 1000)),
        **({"CacheHits": 1.0} if call.cached else {}),
        **({"NotStored": float(len(call.not_stored))} if call.not_stored else {}),
        **({"CostUsd": call.cost_usd} if call.cost_usd else {}),
    }
    _emit(together, tool=call.tool, of_tool=own)


def count_stale_parameters() -> None:
    """Emit StaleParameters: SSM failed, and the parameters read before remain in force."""
    _emit({"StaleParameters": 1})


def _describe_place() -> dict[str, Any]:
    """What joins a line with Lambda's own lines and with X-Ray."""
    trace = environment().get("_X_AMZN_TRACE_ID", "")
    return describe_invocation() | ({"xray_trace_id": trace.partition(";")[0].removeprefix("Root=")} if trace else {})


def _emit(values: Mapping[str, float], *, tool: str = "", of_tool: Mapping[str, float] = MappingProxyType({})) -> None:
    """Print one line in CloudWatch's embedded metric format, with `of_tool` under the dimension `tool`.

    See https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html.
    """
    sets = [(["service"], values), (["tool"], of_tool)]
    directives = [
        {"Namespace": NAMESPACE, "Dimensions": [dimensions], "Metrics": [_define(name) for name in metrics]}
        for dimensions, metrics in sets
        if metrics
    ]
    now = round(time.time() * 1000)
    line = {"_aws": {"Timestamp": now, "CloudWatchMetrics": directives}, "service": SERVICE, **values, **of_tool}
    print(json.dumps(line | ({"tool": tool} if tool else {})), flush=True)  # noqa: T201  CloudWatch reads this output


def _define(metric: str) -> dict[str, str]:
    return {"Name": metric, "Unit": UNITS.get(metric, "Count")}
