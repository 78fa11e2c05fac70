"""A person's crawls, audits and background calls, the newest first, with their progress."""

from heapq import merge
from itertools import islice
from typing import Annotated, Any

from pydantic import Field

from assay.administration.admin_call import AdminCall, PersonChoice
from assay.administration.job_admin import KINDS, KindOfJob
from assay.models.common import Output, Pattern
from assay.personal_data.namespaces import Person
from assay.services import Services
from assay.state.concurrent_map import map_concurrently
from assay.state.owned_data import list_latest_owned
from assay.text.timestamps import format_utc
from assay.tool_calls.call_job import CallJob
from assay.toolkit.tool import tool
from assay.toolkit.tool_registry import find_tool
from assay.work_queue.job_kinds import find_kind
from assay.work_queue.job_record import Job, Status

AT_ONCE = 16

type ListedJob = tuple[str, str]  # id and kind; ids sort by the time when the job was started


class UserJobChoice(PersonChoice):
    kind: Annotated[KindOfJob | None, Field(description="crawl, audit or tool-call; all if left out.")] = None
    limit: Annotated[int, Field(ge=1, le=100, description="Maximum number of entries.")] = 20
    after: Annotated[
        Annotated[str, Pattern(r"[0-9a-f]{32}", "the `next` of a list")] | None,
        Field(description="`next` of the previous page."),
    ] = None


class UserJob(Output):
    kind: str
    id: str
    subject: Annotated[
        str | None, Field(description="Start page, title of the manuscript, or tool; for the person alone.")
    ] = None
    status: Annotated[Status, Field(description="queued, running, completed, failed or cancelled.")]
    created_at: str
    completed_at: str | None = None
    expires_at: str
    unit: Annotated[str | None, Field(description="What is counted; absent for a call, which is done as a whole.")] = (
        None
    )
    units_done: int | None = None
    units_planned: Annotated[int | None, Field(description="Absent where it is not known before the end.")] = None
    started_kind: Annotated[str | None, Field(description="Kind of the job that this call has started.")] = None
    started_id: Annotated[str | None, Field(description="Id of that job.")] = None


class UserJobList(Output):
    jobs: Annotated[list[UserJob], Field(description="The newest first.")]
    next: Annotated[str | None, Field(description="Pass it as `after` for older ones; absent at the end.")] = None


@tool()
async def list_user_jobs(ask: UserJobChoice, call: AdminCall) -> UserJobList:
    """List the crawls, audits and background calls of a person that have not expired; what they are about is for the
    person alone."""
    services, person = call.services, Person(ask.tenant, ask.user_id)
    found, has_more = await _find_latest(services, person, ask)
    is_own = call.administrator.own is not None

    async def describe(listed: ListedJob) -> UserJob | None:
        identity, kind = listed
        job = await find_kind(kind).jobs.load(services.table, identity)
        return None if job is None else await _describe(services, kind, job, is_own=is_own)

    entries = await map_concurrently(describe, found, limit=AT_ONCE)
    return UserJobList(
        jobs=[entry for entry in entries if entry is not None], next=found[-1][0] if has_more and found else None
    )


async def _find_latest(services: Services, person: Person, ask: UserJobChoice) -> tuple[list[ListedJob], bool]:
    """The latest of the chosen kinds, by one query of each, and whether there are more."""

    async def find(kind: str) -> list[ListedJob]:
        names = await list_latest_owned(services.table, *person, kind, before=ask.after, most=ask.limit + 1)
        return [(name, kind) for name in names]

    by_kind = await map_concurrently(find, (ask.kind,) if ask.kind else KINDS)
    found = list(islice(merge(*by_kind, reverse=True), ask.limit + 1))
    return found[: ask.limit], len(found) > ask.limit


async def _describe(services: Services, kind: str, job: Any, *, is_own: bool) -> UserJob:
    unit = find_kind(kind).unit
    entry = UserJob(
        kind=kind,
        id=job.id,
        subject=(job.subject or None) if is_own else None,
        status=job.status,
        created_at=format_utc(job.created),
        completed_at=format_utc(job.completed) if job.completed else None,
        expires_at=format_utc(job.until),
        unit=unit or None,
        units_done=await _count_units(services, kind, job) if unit else None,
        units_planned=job.planned_units,
    )
    return await _follow_job(services, job, entry) if isinstance(job, CallJob) and job.followed else entry


async def _count_units(services: Services, kind: str, job: Job) -> int:
    """The units that are done: of an ended job from its record, so that the rows of few jobs are counted."""
    return job.units if job.units is not None else await find_kind(kind).count_units(services, job)


async def _follow_job(services: Services, call: CallJob, entry: UserJob) -> UserJob:
    """The entry of a call that lasts until the job that it has started ends, with the state of that job."""
    follows = find_tool(call.tool).follows
    if follows is None:  # in this release the tool answers at once
        return entry
    started = await find_kind(follows.kind).jobs.load(services.table, call.followed)
    status: Status = entry.status if call.is_ended or started is None else started.status
    return entry.model_copy(
        update={"status": status, "started_kind": follows.kind, "started_id": call.followed if started else None}
    )
