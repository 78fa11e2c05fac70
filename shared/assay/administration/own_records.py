"""What is recorded about a person elsewhere: their workspaces, and the audit trail of their calls."""

import asyncio
from typing import Annotated, Any

from pydantic import Field

from assay.administration.admin_call import AdminCall, Paged, PersonChoice
from assay.models.common import Output
from assay.personal_data.audit_events import read_latest_events
from assay.personal_data.namespaces import Person
from assay.sessions.session_index import read_heads
from assay.statistics.recent_errors import read_errors
from assay.text.timestamps import format_utc
from assay.toolkit.tool import tool
from assay.workspaces.workspace_store import list_memberships

MOST_WORKSPACES = 100
ELSEWHERE = (
    "Your calls that succeeded are not shown here. This deployment writes the events of all people to its log and, "
    "where AuditRetentionDays is set, to a locked bucket: they are not stored by person, and its functions may not "
    "read them. The operator can search them for you. Failed calls of the last day are listed."
)


class WorkspaceEntry(Output):
    workspace_id: str
    joined_at: str


class WorkspaceList(Output):
    workspaces: Annotated[list[WorkspaceEntry], Field(description="By name, 100 at most.")]
    is_complete: bool


@tool()
async def list_workspaces(ask: PersonChoice, call: AdminCall) -> WorkspaceList:
    """List the workspaces that a person is a member of."""
    rows = await list_memberships(call.services.table, ask.tenant, ask.user_id, MOST_WORKSPACES + 1)
    entries = [
        WorkspaceEntry(workspace_id=row["workspace"], joined_at=format_utc(row["added"]))
        for row in rows[:MOST_WORKSPACES]
    ]
    return WorkspaceList(
        workspaces=sorted(entries, key=lambda entry: entry.workspace_id), is_complete=len(rows) <= MOST_WORKSPACES
    )


class ResearchEntry(Output):
    session_id: Annotated[str | None, Field(description="For the person alone.")] = None
    research_goal: Annotated[str | None, Field(description="For the person alone.")] = None
    is_complete: bool
    started_at: str
    last_used_at: str


class ResearchList(Output):
    sessions: Annotated[list[ResearchEntry], Field(description="Those used last first; a tenant has 50 at most.")]


@tool()
async def list_research_sessions(ask: PersonChoice, call: AdminCall) -> ResearchList:
    """List the live research sessions of a person; their goals and ids are for the person alone."""
    heads = await read_heads(call.services.table, ask.tenant, ask.user_id)
    is_own = call.administrator.own is not None
    return ResearchList(
        sessions=[
            ResearchEntry(
                session_id=entry.get("id") if is_own else None,
                research_goal=head["goal"] if is_own else None,
                is_complete=head.get("completed") is not None,
                started_at=format_utc(entry["begun"]),
                last_used_at=format_utc(entry["used"]),
            )
            for entry, head in heads
        ]
    )


class AuditChoice(PersonChoice, Paged):
    pass


class AuditedEvent(Output):
    at: str
    event: Annotated[str, Field(description="tool_call, consent.grant, key.create and others.")]
    tool: Annotated[str | None, Field(description="Absent where the event is no call.")] = None
    entrypoint: str
    success: bool
    error: Annotated[str | None, Field(description="Kind of error.")] = None
    duration_ms: int | None = None
    cached: bool | None = None
    providers: str | None = None
    cost_usd: float | None = None
    subject: Annotated[str | None, Field(description="Id of a key, client of a grant, or purpose of a consent.")] = None
    request_id: str | None = None
    source_ip: str | None = None


class AuditEventList(Output):
    events: Annotated[list[AuditedEvent], Field(description="The latest first, without arguments and answers.")]
    is_available: Annotated[bool, Field(description="False if the trail cannot be read by person here.")]
    note: Annotated[str | None, Field(description="Where the events are, if they are not available.")] = None
    errors: Annotated[
        list[dict[str, Any]], Field(description="The person's failed calls of the last day, the latest first.")
    ]
    next: Annotated[str | None, Field(description="Pass it as `after` for earlier ones; absent at the end.")] = None


@tool()
async def list_audit_events(ask: AuditChoice, call: AdminCall) -> AuditEventList:
    """List the audit events of a person, and the calls of theirs that failed in the last day."""
    services, person = call.services, Person(ask.tenant, ask.user_id)
    is_own = call.administrator.own is not None
    errors = await read_errors(services.table, person.tenant, person.user)
    mine = [error for error in errors if "cause" in error] if not ask.after else []
    if not is_own:  # messages may contain what the person searched for
        mine = [{name: value for name, value in error.items() if name != "cause"} for error in mine]
    if services.settings.table_name:
        return AuditEventList(events=[], is_available=False, note=ELSEWHERE, errors=mine)
    page = await asyncio.to_thread(read_latest_events, services.settings.home, person, ask.after, ask.limit)
    return AuditEventList(
        events=[_to_entry(event) for event in page.events], is_available=True, errors=mine, next=page.after
    )


def _to_entry(event: dict[str, Any]) -> AuditedEvent:
    metadata = event.get("metadata", {})
    is_call = event["event_type"] == "tool_call"
    return AuditedEvent(
        at=event["timestamp"],
        event=event["event_type"],
        tool=event["tool_name"] if is_call else None,
        entrypoint=metadata.get("door", ""),
        success=event["success"],
        error=event.get("error_code"),
        duration_ms=event["duration_ms"] if is_call else None,
        cached=metadata.get("cache_hit") if is_call else None,
        providers=metadata.get("provider"),
        cost_usd=metadata.get("cost_usd"),
        subject=metadata.get("subject") or metadata.get("purpose") or metadata.get("workspace"),
        request_id=event.get("request_id") or None,
        source_ip=event.get("source_ip"),
    )
