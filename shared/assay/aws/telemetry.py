"""Telemetry for CloudWatch: one JSON log line and one line of embedded metrics for each call."""

from functools import cache
from typing import TYPE_CHECKING

from assay.state.audit import Call

if TYPE_CHECKING:
    from aws_lambda_powertools import Logger

SERVICE, NAMESPACE = "assay", "Assay"


@cache
def _logger() -> "Logger":
    from aws_lambda_powertools import Logger

    return Logger(service=SERVICE)


def prepare() -> None:
    """Import the libraries and create the logger, which the first call otherwise does."""
    from aws_lambda_powertools.metrics import EphemeralMetrics

    _ = EphemeralMetrics, _logger()


def record(call: Call) -> None:
    """Log the call as JSON; emit Calls, Errors, CacheHits, NotStored and Milliseconds by tool. An audit.Observer."""
    from aws_lambda_powertools.metrics import EphemeralMetrics, MetricUnit

    _logger().info(call.kind, extra=call.event())
    metrics = EphemeralMetrics(namespace=NAMESPACE, service=SERVICE)
    metrics.add_dimension("tool", call.tool)
    metrics.add_metric("Calls", MetricUnit.Count, 1)
    metrics.add_metric("Errors", MetricUnit.Count, int(call.error is not None))
    metrics.add_metric("CacheHits", MetricUnit.Count, int(call.cached))
    metrics.add_metric("NotStored", MetricUnit.Count, len(call.not_stored))
    metrics.add_metric("Milliseconds", MetricUnit.Milliseconds, round(call.seconds * 1000))
    metrics.flush_metrics()


def count_stale_parameters() -> None:
    """Emit StaleParameters: SSM failed, and the parameters read before remain in force."""
    from aws_lambda_powertools.metrics import EphemeralMetrics, MetricUnit

    metrics = EphemeralMetrics(namespace=NAMESPACE, service=SERVICE)
    metrics.add_metric("StaleParameters", MetricUnit.Count, 1)
    metrics.flush_metrics()
