"""Audits as a kind of job for the common worker."""

import asyncio
import logging

from assay.caller import Caller
from assay.context import Context
from assay.document_audit.audit_job import (
    AUDITS,
    AuditJob,
    count_attempt,
    count_units,
    list_done_units,
    list_object_names,
    load_manuscript,
    save_result,
)
from assay.document_audit.audit_plan import Unit, plan_units
from assay.document_audit.unit_work import UnitInput, do_unit
from assay.errors import ToolError
from assay.manuscripts.manuscript import Manuscript
from assay.services import Services
from assay.state.call_memo import open_memo
from assay.state.json_documents import Document
from assay.state.outgoing_requests import record_outgoing
from assay.state.tenant import working_for
from assay.work_queue.job_kinds import JobKind, TimeShare
from assay.work_queue.job_record import JobEnded

log = logging.getLogger("assay")
UNIT_SECONDS = 60.0  # a unit that begins at the end of a time slice ends within what Lambda has left
LOST = "The stored manuscript no longer exists. Start the audit again."
CRASHED = "Skipped: every worker that tried it crashed."


async def run_slice(services: Services, job: AuditJob, share: TimeShare) -> float | None:
    """Do the units that are left, one at least, until the share of time is over.

    Raises JobEnded if another worker goes on.
    """
    manuscript = await load_manuscript(services, job)
    if manuscript is None:
        await AUDITS.end(services.table, job, "failed", services.clock(), units=0, error=LOST)
        return None
    done = await list_done_units(services, job)
    loop = asyncio.get_running_loop()
    units = await asyncio.to_thread(plan_units, manuscript, job.max_claims, job.max_quotations)
    left = [(number, unit) for number, unit in enumerate(units) if number not in done]
    for place, (number, unit) in enumerate(left):
        if place and loop.time() >= share.until:  # a slice that does nothing would be followed by others like it
            return 0.0
        current = await AUDITS.load(services.table, job.id)
        if current is None or current.is_ended or current.turn > job.turn:
            raise JobEnded
        if share.is_careful and await count_attempt(services, job, number) > share.timing.max_crashes:
            result: Document = {"problem": CRASHED, "kind": unit.kind, "sent": {}}
        else:
            result = await _run_unit(services, job, manuscript, unit)
        await save_result(services, job, number, result)
    await AUDITS.end(services.table, job, "completed", services.clock(), units=job.total)
    return None


async def _run_unit(services: Services, job: AuditJob, manuscript: Manuscript, unit: Unit) -> Document:
    """Do one unit within its time and the budget of a call. A failure is part of the result, never hidden."""
    deadline = asyncio.get_running_loop().time() + UNIT_SECONDS
    ctx = Context(services, Caller(job.tenant, job.user), "audit", deadline=deadline)
    with record_outgoing() as sent:
        try:
            with ctx.budget.open(), working_for(job.tenant), open_memo():
                async with asyncio.timeout_at(deadline):
                    result = await do_unit(UnitInput(ctx, job, manuscript, unit))
        except ToolError as failure:
            result = {"problem": failure.sentence()}
        except TimeoutError:
            result = {"problem": f"It took longer than {UNIT_SECONDS:g} seconds."}
    return result | {"kind": unit.kind, "sent": {service: list(texts) for service, texts in sent.items()}}


KIND = JobKind(AUDITS, run_slice, count_units, "audit", "part", list_object_names)
