"""The first page of the console: a person's latest work, what is new, their calls of the last day, and what is missing.

Each panel reads its own data, so that the failure of one leaves the others.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any, NamedTuple

from fastapi import Response

from assay.administration.own_records import AuditEventList
from assay.administration.server_state import QuotaEntry
from assay.entrypoints.console.page_visit import ENTRYPOINT, PageVisit
from assay.entrypoints.console.tool_refusals import PersonalAnswer, read_personal
from assay.errors import ToolError

log = logging.getLogger("assay")
PANEL_SECONDS = 10.0
SHOWN = 5  # entries of a panel
DAY = 86_400.0
READ_EVENTS = 500
WATCHES_TOOL = "monitor_list"  # this page calls it, so that it is no call of the person
JOB_PATHS = {"crawl": "/console/crawls", "audit": "/console/audits", "tool-call": "/console/calls"}


class OverviewPanel(NamedTuple):
    """What a panel shows, or the sentence that stands in its place."""

    content: Any = None
    failure: str = ""


class CallsOfDay(NamedTuple):
    """A person's calls of the last 24 hours. Where the trail cannot be read, `number` is None, and the quota tells.

    Not `is_complete`: the trail was read up to its limit.
    """

    number: int | None = None
    failed: int = 0
    cost_usd: float = 0.0
    tools: tuple[tuple[str, int], ...] = ()
    is_complete: bool = True
    quota: QuotaEntry | None = None


async def show_overview(visit: PageVisit) -> Response:
    """What one did lately, and where one can go."""
    reads = {"sessions": read_sessions, "jobs": read_jobs, "watches": read_watches, "calls": read_calls}
    if visit.is_administrator:
        reads["missing"] = read_missing
    panels = await asyncio.gather(*(read_panel(visit, name, read) for name, read in reads.items()))
    found = dict(zip(reads, panels, strict=True))
    return visit.show("overview.html", panels=found, paths=JOB_PATHS, shown=SHOWN)


async def read_panel(visit: PageVisit, name: str, read: Callable[[PageVisit], Awaitable[Any]]) -> OverviewPanel:
    """The panel, with a sentence in place of what could not be read."""
    try:
        async with asyncio.timeout(PANEL_SECONDS):
            return OverviewPanel(await read(visit))
    except ToolError as failure:
        return OverviewPanel(failure=failure.sentence())
    except TimeoutError:
        return OverviewPanel(failure=f"This took longer than {PANEL_SECONDS:.0f} seconds. Load the page again.")
    except Exception:  # the other panels are worth showing
        log.exception("the panel %s failed unexpectedly, request id %s", name, visit.request_id)
        sentence = f"This could not be read; see the server log, request id {visit.request_id}."
        return OverviewPanel(failure=sentence)


async def read_sessions(visit: PageVisit) -> list[Any]:
    """The research sessions used last."""
    found: Any = await visit.run_own_endpoint("list-research-sessions")
    return list(found.sessions[:SHOWN])


async def read_jobs(visit: PageVisit) -> list[Any]:
    """The latest crawls, audits and background calls; of a call that started one of them, that one alone."""
    found: Any = await visit.run_own_endpoint("list-user-jobs", {"limit": 2 * SHOWN})
    return [job for job in found.jobs if job.started_id is None][:SHOWN]


async def read_watches(visit: PageVisit) -> PersonalAnswer:
    """The watches, those with news first."""
    answer = await read_personal(visit, WATCHES_TOOL, {})
    listed = sorted(answer.found.get("watches", []), key=lambda watch: -watch["unreadCount"])
    return answer._replace(found={**answer.found, "watches": listed[:SHOWN]} if answer.found else {})


async def read_calls(visit: PageVisit) -> CallsOfDay:
    """The calls of the last 24 hours and their costs; where nobody can read them by person, those that are limited."""
    trail = await visit.run_own_endpoint("list-audit-events", {"limit": READ_EVENTS})
    assert isinstance(trail, AuditEventList)
    if not trail.is_available:
        limits: Any = await visit.run_own_endpoint("read-limits")
        quota = next((one for one in limits.quotas if one.name == "user-day"), None)
        return CallsOfDay(failed=len(trail.errors), quota=quota)
    return sum_calls(trail, visit.services.clock() - DAY)


def sum_calls(trail: AuditEventList, since: float) -> CallsOfDay:
    """The calls of a person since that time."""
    recent = [event for event in trail.events if datetime.fromisoformat(event.at).timestamp() >= since]
    calls = [
        event
        for event in recent
        if event.tool is not None and (event.entrypoint, event.tool) != (ENTRYPOINT, WATCHES_TOOL)
    ]
    return CallsOfDay(
        number=len(calls),
        failed=sum(not call.success for call in calls),
        cost_usd=sum(call.cost_usd or 0.0 for call in calls),
        tools=tuple(Counter(str(call.tool) for call in calls).most_common(SHOWN)),
        is_complete=trail.next is None or len(recent) < len(trail.events),
    )


async def read_missing(visit: PageVisit) -> list[Any]:
    """The settings that are not set, with what each would enable; what searches the web first, since most tools do."""
    found: Any = await visit.run_endpoint("list-missing-settings")
    return sorted(found.missing, key=lambda one: not (one.kind == "provider" and one.enables.endswith("web")))
