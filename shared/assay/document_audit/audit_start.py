"""Starts the audit of a manuscript, and finds one by its id."""

import asyncio
import re

from assay.caller import Caller
from assay.context import Context
from assay.document_audit.audit_job import AUDITS, TITLE_CHARS, AuditJob, save_manuscript
from assay.document_audit.audit_kind import KIND
from assay.document_audit.audit_plan import plan_units
from assay.errors import ConfigError, NotFound, RateLimited
from assay.manuscripts.manuscript import Manuscript
from assay.services import Services
from assay.verification.tier_answer import Tier
from assay.work_queue import resume, sweeper
from assay.work_queue.job_record import build_job_id
from assay.work_queue.work_timing import DEFAULT_TIMING

ID = re.compile(r"[0-9a-f]{32}")


async def start_audit(
    ctx: Context, manuscript: Manuscript, *, max_claims: int, max_quotations: int, claim_tier: Tier | None = None
) -> AuditJob:
    """Store the manuscript and a job that waits for a worker.

    Raises RateLimited if the tenant has reached its limit of audits.
    """
    services, now = ctx.services, ctx.services.clock()
    if services.queue is None:
        raise ConfigError("Audits need a queue: set ASSAY_QUEUE.", field="ASSAY_QUEUE", action="inform_user")
    limit = services.settings.audits_per_tenant
    active = await AUDITS.count_active(services.table, ctx.caller.tenant)
    if active >= limit:
        raise RateLimited(
            f"{active} of your audits are still running, and the limit is {limit}. Wait for one to end, or cancel one.",
            retry_after=60,
        )
    units = await asyncio.to_thread(plan_units, manuscript, max_claims, max_quotations)
    job = AuditJob(
        id=build_job_id(now),
        tenant=ctx.caller.tenant,
        user=ctx.caller.user,
        created=now,
        until=now + DEFAULT_TIMING.retention,
        title=manuscript.title[:TITLE_CHARS],
        total=len(units),
        max_claims=max_claims,
        max_quotations=max_quotations,
        claim_tier=claim_tier,
    )
    await save_manuscript(services, job, manuscript)
    await AUDITS.create(services.table, job)
    await services.queue.send(AUDITS.build_message(job.id, 0))
    resume.ensure_worker(services)
    return job


async def find_audit(services: Services, caller: Caller, audit: str) -> AuditJob:
    """Load the caller's audit and recover it if it is stuck. Raises NotFound, also for another tenant's audit."""
    job = await AUDITS.load(services.table, audit) if ID.fullmatch(audit) else None
    if job is None or job.tenant != caller.tenant:
        raise NotFound(
            "No such audit, or its seven days of retention have passed. Send the manuscript again.", field="audit_id"
        )
    found: AuditJob = await sweeper.recover_job(services, KIND, DEFAULT_TIMING, job)
    if not found.is_ended:
        resume.ensure_worker(services)
    return found
