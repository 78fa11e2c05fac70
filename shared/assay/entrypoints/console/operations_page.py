"""Operations: calls over time, by tool, provider and tenant; recent errors; settings and what is missing."""

from datetime import datetime
from typing import Any

from fastapi import Response

from assay.administration.call_trends import CallHistoryReport
from assay.entrypoints.console.page_visit import PageVisit

CHOICES = ("grain", "periods", "until", "tool", "provider", "tenant_id")
GRAINS = {"hour": ("by hour", 48), "day": ("by day", 30)}


async def show_operations(visit: PageVisit) -> Response:
    """Calls, errors, latency, cache hits and estimated costs of a range of time."""
    asked = {name: value for name, value in visit.query.items() if name in CHOICES and value}
    grain = asked.get("grain", "day")
    asked.setdefault("periods", str(GRAINS.get(grain, GRAINS["day"])[1]))
    report = await visit.run_endpoint("read-call-history", asked)
    assert isinstance(report, CallHistoryReport)
    return visit.show("operations.html", report=report, asked=asked, grains=GRAINS, charts=build_charts(report))


def build_charts(report: CallHistoryReport) -> list[dict[str, Any]]:
    """The plots of the report: caption, unit, names of the columns, and rows that begin with the time in seconds."""
    places = [(datetime.fromisoformat(each.began_at).timestamp(), each) for each in report.periods]

    def build(caption: str, unit: str, columns: dict[str, str]) -> dict[str, Any]:
        rows = [[at, *(getattr(each, field) for field in columns.values())] for at, each in places]
        return {"caption": caption, "unit": unit, "columns": ["Time (UTC)", *columns], "rows": rows}

    return [
        build(
            "Calls, errors and cache hits",
            "",
            {"Calls": "total_calls", "Errors": "error_calls", "Cache hits": "cache_hits"},
        ),
        build("Latency", "ms", {"Median (p50)": "p50_latency_ms", "p95": "p95_latency_ms"}),
        build("Estimated cost", "USD", {"Cost": "estimated_cost_usd"}),
    ]


async def show_errors(visit: PageVisit) -> Response:
    """The errors of the last day, without their messages, which are for the person who made the call."""
    return visit.show("errors.html", report=await visit.run_endpoint("list-errors"))


async def show_settings(visit: PageVisit) -> Response:
    """What is in force, for the operator, and what is missing, for every administrator."""
    missing = await visit.run_endpoint("list-missing-settings")
    settings = await visit.run_endpoint("read-settings") if visit.is_local else None  # the operator's alone
    return visit.show("settings.html", missing=missing, settings=settings)
