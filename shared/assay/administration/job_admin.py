"""Jobs that take longer than a call, those that failed, and messages that no worker could process."""

import hashlib
import json
from collections.abc import AsyncIterator
from typing import Annotated, Any, Literal

from pydantic import Field

from assay.administration.admin_call import AdminCall, Paged, TenantChoice
from assay.errors import InvalidInput, NotFound
from assay.models.common import Output, Pattern
from assay.services import Services
from assay.state.ports import QueueMessage, TableItem
from assay.text.timestamps import format_utc
from assay.toolkit.tool import tool
from assay.work_queue.job_kinds import MODULES, JobKind, find_kind
from assay.work_queue.job_limits import find_exceeded_limit
from assay.work_queue.job_record import Job, JobEnded, find_listed_id, list_sort
from assay.work_queue.resume import ensure_worker
from assay.work_queue.work_timing import DEFAULT_TIMING

KINDS = ("crawl", "audit", "tool-call")
SCANNED = 2_000  # rows that one page looks at
MOST_DEAD = 10  # that SQS returns at once
TRIES = 5  # SQS returns a sample of a queue

type KindOfJob = Literal["crawl", "audit", "tool-call"]


class JobChoice(TenantChoice, Paged):
    state: Annotated[
        Literal["active", "parked"], Field(description="active: not ended; parked: failed, and kept for a retry.")
    ] = "active"


class JobEntry(Output):
    kind: str
    id: str
    tenant_id: str
    user_id: str
    status: str
    created_at: str
    expires_at: str
    turns: Annotated[int, Field(description="Time slices that were started.")]
    requeues: Annotated[int, Field(description="Attempts since a unit of work was last done.")]
    units: Annotated[int | None, Field(description="Units of work that are done, once it has ended.")] = None
    error: str | None = None


class JobList(Output):
    jobs: list[JobEntry]
    next: Annotated[str | None, Field(description="Pass it as `after` for more; absent at the end.")] = None


@tool()
async def list_jobs(ask: JobChoice, call: AdminCall) -> JobList:
    """List jobs that have not ended, or crawls and audits that failed."""
    found: list[JobEntry] = []
    scanned = 0
    async for kind, item in _scan_rows(ask, call.services):
        scanned += 1
        job = await find_kind(kind).jobs.load(call.services.table, find_listed_id(item.sort))
        if job is not None:
            found.append(_to_entry(kind, job))
        if len(found) == ask.limit or scanned == SCANNED:
            return JobList(jobs=found, next=f"{kind}/{item.sort}")
    return JobList(jobs=found)


async def _scan_rows(ask: JobChoice, services: Services) -> AsyncIterator[tuple[str, TableItem]]:
    """Yield the rows of the lists of all kinds, after the place that `ask` names, each with the kind.

    The rows of a tenant are together, so that those of others are not read for it.
    """
    prefix = "" if ask.tenant_id is None else list_sort(ask.tenant_id, "")
    first, _, place = (ask.after or f"{KINDS[0]}/").partition("/")
    if first not in KINDS:
        raise InvalidInput("`after` is not the `next` of a list. Leave it out to begin again.", field="after")
    for kind in KINDS[KINDS.index(first) :]:
        jobs, after = find_kind(kind).jobs, place or None
        while True:
            page = await services.table.query(
                jobs.active_key if ask.state == "active" else jobs.parked_key, prefix, after=after, limit=ask.limit
            )
            for item in page.items:
                yield kind, item
            if (after := page.after) is None:
                break
        place = ""


def _to_entry(kind: str, job: Job) -> JobEntry:
    return JobEntry(
        kind=kind,
        id=job.id,
        tenant_id=job.tenant,
        user_id=job.user,
        status=job.status,
        created_at=format_utc(job.created),
        expires_at=format_utc(job.until),
        turns=job.turn,
        requeues=job.requeues,
        units=job.units,
        error=job.error,
    )


class JobIdentity(TenantChoice):
    kind: Annotated[KindOfJob, Field(description="crawl, audit or tool-call.")]
    id: Annotated[str, Pattern(r"[0-9a-f]{32}", "the id of a job"), Field(description="As `list-jobs` has it.")]


@tool(read_only=False)
async def retry_job(ask: JobIdentity, call: AdminCall) -> JobEntry:
    """Let a parked job continue where it stopped."""
    services = call.services
    kind, job = await _load_job(ask, call)
    if await services.table.get(kind.jobs.parked_key, list_sort(job.tenant, job.id)) is None:
        raise NotFound("The job is not parked. `list-jobs --state parked` shows those that are.", field="id")
    if limit := find_exceeded_limit(kind, DEFAULT_TIMING, job, services.clock()):
        raise InvalidInput(f"{limit} Start a new one.", field="id")
    try:
        job = await kind.jobs.reopen(services.table, job, services.clock())
    except JobEnded:
        raise InvalidInput("The job ended in the meantime. Nothing was changed.", field="id") from None
    await _send(services, kind.jobs.build_message(job.id, job.turn))
    await services.table.delete(kind.jobs.parked_key, list_sort(job.tenant, job.id))
    return _to_entry(ask.kind, job)


@tool(read_only=False, destructive=True)
async def drop_job(ask: JobIdentity, call: AdminCall) -> JobEntry:
    """Cancel a job that has not ended, or take a parked one off the list; what it has found stays until it expires."""
    services = call.services
    kind, job = await _load_job(ask, call)
    if not job.is_ended:
        units = await kind.count_units(services, job)
        job = await kind.jobs.end(services.table, job, "cancelled", services.clock(), units=units)
    await services.table.delete(kind.jobs.parked_key, list_sort(job.tenant, job.id))
    return _to_entry(ask.kind, job)


async def _load_job(ask: JobIdentity, call: AdminCall) -> tuple[JobKind, Any]:
    kind = find_kind(ask.kind)
    job = await kind.jobs.load(call.services.table, ask.id)
    if job is None or ask.tenant_id not in (None, job.tenant):
        raise NotFound("There is no such job. `list-jobs` shows the ids.", field="id")
    return kind, job


async def _send(services: Services, message: str) -> None:
    if services.queue is None:
        raise InvalidInput("There is no queue of jobs: set ASSAY_QUEUE.", field="ASSAY_QUEUE")
    await services.queue.send(message)
    ensure_worker(services)


class DeadLetter(Output):
    id: str
    receives: Annotated[int, Field(description="Deliveries that failed.")]
    kind: str | None = None
    job_id: str | None = None
    tenant_id: Annotated[str | None, Field(description="Absent if the job has expired.")] = None
    job_status: str | None = None


class DeadLetterList(Output):
    dead_letters: Annotated[list[DeadLetter], Field(description="Up to ten; on AWS a sample of them.")]


@tool()
async def list_dead_letters(ask: TenantChoice, call: AdminCall) -> DeadLetterList:
    """List messages about jobs that were delivered too often. A job without a message is queued again by itself."""
    found = await _read_dead_letters(ask, call)
    return DeadLetterList(dead_letters=[letter for _, letter in found])


class DeadLetterIdentity(TenantChoice):
    id: Annotated[str, Pattern(r"[0-9a-f]{32}", "the id of a message"), Field(description="From the list.")]


@tool(read_only=False)
async def retry_dead_letter(ask: DeadLetterIdentity, call: AdminCall) -> DeadLetter:
    """Deliver a dead letter again."""
    message, letter = await _find_dead_letter(ask, call)
    await _send(call.services, message.body)
    await _delete(message, call)
    return letter


@tool(read_only=False, destructive=True)
async def drop_dead_letter(ask: DeadLetterIdentity, call: AdminCall) -> DeadLetter:
    """Delete a dead letter."""
    message, letter = await _find_dead_letter(ask, call)
    await _delete(message, call)
    return letter


async def _delete(message: QueueMessage, call: AdminCall) -> None:
    if call.services.queue is not None:
        await call.services.queue.delete_dead(message.receipt)


async def _find_dead_letter(ask: DeadLetterIdentity, call: AdminCall) -> tuple[QueueMessage, DeadLetter]:
    for _ in range(TRIES):
        for message, letter in await _read_dead_letters(ask, call):
            if letter.id == ask.id:
                return message, letter
    raise NotFound("There is no such message. `list-dead-letters` shows the ids.", field="id")


async def _read_dead_letters(ask: TenantChoice, call: AdminCall) -> list[tuple[QueueMessage, DeadLetter]]:
    queue = call.services.queue
    messages = [] if queue is None else await queue.dead(MOST_DEAD)
    found = [(message, await _describe(message, call.services)) for message in messages]
    return [(message, letter) for message, letter in found if ask.tenant_id in (None, letter.tenant_id)]


async def _describe(message: QueueMessage, services: Services) -> DeadLetter:
    identity = hashlib.sha256(message.body.encode()).hexdigest()[:32]
    try:
        document = json.loads(message.body)
    except ValueError:
        document = None
    # Other messages than ours may lie in the queue.
    kind = next((name for name in MODULES if name in document), None) if isinstance(document, dict) else None
    if kind is None:
        return DeadLetter(id=identity, receives=message.receives)
    job = await find_kind(kind).jobs.load(services.table, str(document[kind])[:64])
    return DeadLetter(
        id=identity,
        receives=message.receives,
        kind=kind,
        job_id=str(document[kind])[:64],
        tenant_id=job.tenant if job else None,
        job_status=job.status if job else None,
    )
